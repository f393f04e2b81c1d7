// backend-cpu at each width, with quick code, and at each level of x86-64 that a machine may have, as backends of their own: conformance cases,
// random programs and benchmarks run on them. They run only if they are named; those tagged "long", only in ./check --all. Of the
// widths these are the usual ones: levels 1 and 3 have widths 4 and 8, and tests/lowering runs cases and programs at all three.
#include <string>

#include <support/variant.hpp>

#include <muster/backend-cpu/backend.hpp>
#include <muster/backend-cpu/device/device.hpp>
#include <muster/backend-cpu/native/host.hpp>

namespace muster::cpu {
namespace {

template <std::uint32_t width>
Result<std::unique_ptr<Backend>> of_width() {
    return std::make_unique<CpuBackend>(CpuOptions{.id = "cpu-w" + std::to_string(width), .width = width});
}

Result<std::unique_ptr<Backend>> of_quick_code() {
    return std::make_unique<CpuBackend>(CpuOptions{.id = "cpu-quick", .quick = true});
}

}  // namespace

MUSTER_VARIANT(w1, "cpu-w1", of_width<1>, test::variant_tags);
MUSTER_VARIANT(w4, "cpu-w4", of_width<4>, test::long_variant_tags);
MUSTER_VARIANT(w8, "cpu-w8", of_width<8>, test::long_variant_tags);
MUSTER_VARIANT(w16, "cpu-w16", of_width<16>, test::long_variant_tags);
MUSTER_VARIANT(w32, "cpu-w32", of_width<32>, test::variant_tags);
MUSTER_VARIANT(quick, "cpu-quick", of_quick_code, test::variant_tags);

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

}  // namespace

MUSTER_VARIANT(v1, "cpu-v1", of_level<1>, test::variant_tags);  // no AVX, no FMA, no rounding instruction
MUSTER_VARIANT(v2, "cpu-v2", of_level<2>, test::long_variant_tags);
MUSTER_VARIANT(v3, "cpu-v3", of_level<3>, test::variant_tags);
MUSTER_VARIANT(v4, "cpu-v4", of_level<4>, test::long_variant_tags);
#endif

}  // namespace muster::cpu
