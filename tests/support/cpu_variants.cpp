// backend-cpu at each width and each level of x86-64 that a machine may have, as backends of their own: conformance cases,
// random programs and benchmarks run on them. They run only if they are named; those tagged "long", only in ./check --all. Of the
// widths these are the usual ones: levels 1 and 3 have widths 4 and 8, and tests/lowering runs cases and programs at all three.
#include <string>

#include <muster/backend-cpu/backend.hpp>
#include <muster/backend-cpu/device/device.hpp>
#include <muster/backend-cpu/native/host.hpp>
#include <muster/driver/contract/inventory.hpp>

namespace muster::cpu {
namespace {

template <std::uint32_t width>
Result<std::unique_ptr<Backend>> of_width() {
    return std::make_unique<CpuBackend>(CpuOptions{.id = "cpu-w" + std::to_string(width), .width = width});
}

constexpr Tags tags = "debug test", long_tags = "debug test long";
constexpr BackendRegistration w1{
    .id = "cpu-w1", .factory = of_width<1>, .supported_ops = supported_ops, .tags = tags};
constexpr BackendRegistration w4{
    .id = "cpu-w4", .factory = of_width<4>, .supported_ops = supported_ops, .tags = long_tags};
constexpr BackendRegistration w8{
    .id = "cpu-w8", .factory = of_width<8>, .supported_ops = supported_ops, .tags = long_tags};
constexpr BackendRegistration w16{
    .id = "cpu-w16", .factory = of_width<16>, .supported_ops = supported_ops, .tags = long_tags};
constexpr BackendRegistration w32{
    .id = "cpu-w32", .factory = of_width<32>, .supported_ops = supported_ops, .tags = tags};
constexpr BackendCapability w1_runs{.id = "cpu-w1", .dispatches = true};
constexpr BackendCapability w4_runs{.id = "cpu-w4", .dispatches = true};
constexpr BackendCapability w8_runs{.id = "cpu-w8", .dispatches = true};
constexpr BackendCapability w16_runs{.id = "cpu-w16", .dispatches = true};
constexpr BackendCapability w32_runs{.id = "cpu-w32", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(w1);
MUSTER_SUBMIT(w4);
MUSTER_SUBMIT(w8);
MUSTER_SUBMIT(w16);
MUSTER_SUBMIT(w32);
MUSTER_SUBMIT(w1_runs);
MUSTER_SUBMIT(w4_runs);
MUSTER_SUBMIT(w8_runs);
MUSTER_SUBMIT(w16_runs);
MUSTER_SUBMIT(w32_runs);

#if defined(__x86_64__)
namespace {

template <int level>
Result<std::unique_ptr<Backend>> of_level() {
    const std::string name = std::to_string(level), arch = "x86-64-v" + name;
    if (!arch_traits(arch)->runs_here)
        return fail(ErrorCode::unavailable, "This processor lacks what " + arch + " has.",
                    "run it on another, or name a lower level");
    return std::make_unique<CpuBackend>(CpuOptions{.id = "cpu-v" + name, .arch = arch});
}

constexpr BackendRegistration v1{
    .id = "cpu-v1", .factory = of_level<1>, .supported_ops = supported_ops, .tags = tags};
constexpr BackendRegistration v2{
    .id = "cpu-v2", .factory = of_level<2>, .supported_ops = supported_ops, .tags = long_tags};
constexpr BackendRegistration v3{
    .id = "cpu-v3", .factory = of_level<3>, .supported_ops = supported_ops, .tags = tags};
constexpr BackendRegistration v4{
    .id = "cpu-v4", .factory = of_level<4>, .supported_ops = supported_ops, .tags = long_tags};
constexpr BackendCapability v1_runs{.id = "cpu-v1", .dispatches = true};
constexpr BackendCapability v2_runs{.id = "cpu-v2", .dispatches = true};
constexpr BackendCapability v3_runs{.id = "cpu-v3", .dispatches = true};
constexpr BackendCapability v4_runs{.id = "cpu-v4", .dispatches = true};

}  // namespace

MUSTER_SUBMIT(v1);  // no AVX, no FMA, no rounding instruction
MUSTER_SUBMIT(v2);
MUSTER_SUBMIT(v3);
MUSTER_SUBMIT(v4);
MUSTER_SUBMIT(v1_runs);
MUSTER_SUBMIT(v2_runs);
MUSTER_SUBMIT(v3_runs);
MUSTER_SUBMIT(v4_runs);
#endif

}  // namespace muster::cpu
