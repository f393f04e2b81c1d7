// A backend of two devices, which compute nothing, and another backend for the second of them, to test the
// choice. They are the only backends of a tool of their own.
#include <muster/driver/contract/inventory.hpp>

#include "support/doubles.hpp"

namespace muster {
namespace {

const OpSet& all_exact() { return OpSet::all_exact(); }

Result<std::unique_ptr<Backend>> make_other_way() {
    const test::ScriptPointer script = test::script("other-way", 200);
    script->devices = {test::fit_device(0)};
    script->devices[0].uuid.fill(0xab);
    script->devices[0].uuid[15] = 1;
    return std::make_unique<test::DoubleBackend>(script);
}

Result<std::unique_ptr<Backend>> make_pair() {
    const test::ScriptPointer script = test::script("pair", 100);
    script->devices = {test::fit_device(0), test::fit_device(1)};
    for (DeviceInfo& device : script->devices) {
        device.uuid.fill(0xab);
        device.uuid[15] = static_cast<std::uint8_t>(device.ordinal);
        device.hardware.compute_units = 12;
        device.hardware.free_memory_bytes = std::uint64_t{3} << 30;
        device.hardware.vendor = 0x10de;
        device.hardware.device = 0x2330;
        device.hardware.pci_address = PciAddress{0, 0x3b, 0, 1};
        device.hardware.unified_memory = false;
    }
    return std::make_unique<test::DoubleBackend>(script);
}

constexpr BackendRegistration registration{.id = "pair", .factory = make_pair, .supported_ops = all_exact};
constexpr BackendCapability capability{.id = "pair", .dispatches = true};
constexpr BackendEnvironment environment{.id = "pair", .hides_devices = "PAIR_VISIBLE"};
MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(capability);
MUSTER_SUBMIT(environment);

constexpr BackendRegistration other_way{
    .id = "other-way", .factory = make_other_way, .supported_ops = all_exact, .tags = "debug"};
constexpr BackendCapability other_way_runs{.id = "other-way", .dispatches = true};
MUSTER_SUBMIT(other_way);
MUSTER_SUBMIT(other_way_runs);

}  // namespace
}  // namespace muster
