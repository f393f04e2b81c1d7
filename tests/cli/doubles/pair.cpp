// A backend of two devices, which run programs with the interpreter, and another backend for the second of them, to test the
// choice. They are the only backends of a tool of their own.
#include <muster/driver/contract/forwarding_backend.hpp>
#include <muster/driver/contract/inventory.hpp>

#include "support/interpreting_double.hpp"

namespace muster {
namespace {

const OpSet& all_exact() { return OpSet::all_exact(); }

test::DeviceScriptPointer script(const std::string& id, std::uint32_t ordinal, std::uint8_t last_of_uuid) {
    auto made = std::make_shared<test::DeviceScript>();
    made->id = id;
    made->info = test::fit_device(ordinal);
    made->info.uuid.fill(0xab);
    made->info.uuid[15] = last_of_uuid;
    return made;
}

class Pair final : public ForwardingBackend {
  public:
    Pair() : ForwardingBackend(std::make_shared<test::InterpretingBackend>(script("pair", 0, 0))) {}
    Result<std::vector<DeviceInfo>> probe() override {
        std::vector devices{script("pair", 0, 0)->info, script("pair", 1, 1)->info};
        for (DeviceInfo& device : devices)
            device.hardware = {.compute_units = 12,
                               .free_memory_bytes = std::uint64_t{3} << 30,
                               .vendor = 0x10de,
                               .device = 0x2330,
                               .pci_address = PciAddress{0, 0x3b, 0, 1},
                               .unified_memory = false};
        return devices;
    }
    Result<Target> describe(std::string_view arch) override {
        if (arch == "d7") return fail(ErrorCode::not_found, "There is no target pair:d7.", "name pair:d1");
        return ForwardingBackend::describe(arch);
    }
    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override {
        return std::make_unique<test::InterpretingDevice>(
            script("pair", ordinal, static_cast<std::uint8_t>(ordinal)));
    }
};

Result<std::unique_ptr<Backend>> make_other_way() {
    return std::make_unique<test::InterpretingBackend>(script("other-way", 0, 1));
}

Result<std::unique_ptr<Backend>> make_pair() { return std::make_unique<Pair>(); }

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
