// backend-cpu at each width that a machine may have, and without features that a machine may lack, as backends
// of their own, so that conformance cases and random programs run on each, on every machine. They run only if
// they are named.
#include <string>

#include <muster/backend-cpu/backend.hpp>
#include <muster/backend-cpu/device/device.hpp>
#include <muster/driver/contract/inventory.hpp>

namespace muster::cpu {
namespace {

template <std::uint32_t width>
Result<std::unique_ptr<Backend>> of_width() {
    return std::make_unique<CpuBackend>(CpuOptions{.id = "cpu-w" + std::to_string(width), .width = width});
}

constexpr Tags tags = "debug test";
constexpr BackendRegistration w1{
    .id = "cpu-w1", .factory = of_width<1>, .supported_ops = supported_ops, .tags = tags};
constexpr BackendRegistration w4{
    .id = "cpu-w4", .factory = of_width<4>, .supported_ops = supported_ops, .tags = tags};
constexpr BackendRegistration w8{
    .id = "cpu-w8", .factory = of_width<8>, .supported_ops = supported_ops, .tags = tags};
constexpr BackendRegistration w16{
    .id = "cpu-w16", .factory = of_width<16>, .supported_ops = supported_ops, .tags = tags};
constexpr BackendCapability w1_runs{.id = "cpu-w1", .dispatches = true};
constexpr BackendCapability w4_runs{.id = "cpu-w4", .dispatches = true};
constexpr BackendCapability w8_runs{.id = "cpu-w8", .dispatches = true};
constexpr BackendCapability w16_runs{.id = "cpu-w16", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(w1);
MUSTER_SUBMIT(w4);
MUSTER_SUBMIT(w8);
MUSTER_SUBMIT(w16);
MUSTER_SUBMIT(w1_runs);
MUSTER_SUBMIT(w4_runs);
MUSTER_SUBMIT(w8_runs);
MUSTER_SUBMIT(w16_runs);

#if defined(__x86_64__)
namespace {

Result<std::unique_ptr<Backend>> of_level_1() {
    return std::make_unique<CpuBackend>(CpuOptions{.id = "cpu-v1", .arch = "x86-64-v1"});
}

constexpr BackendRegistration v1{
    .id = "cpu-v1", .factory = of_level_1, .supported_ops = supported_ops, .tags = tags};
constexpr BackendCapability v1_runs{.id = "cpu-v1", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(v1);  // no AVX, no FMA, no rounding instruction
MUSTER_SUBMIT(v1_runs);
#endif

}  // namespace muster::cpu
