#include <algorithm>
#include <charconv>
#include <tuple>

#include <muster/backend-cuda/lowering/arch.hpp>

namespace muster::cuda {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr Arch all[] = {
    {"sm_70", 7, 0, 96},    {"sm_72", 7, 2, 96},    {"sm_75", 7, 5, 64},    {"sm_80", 8, 0, 163},
    {"sm_86", 8, 6, 99},    {"sm_87", 8, 7, 163},   {"sm_89", 8, 9, 99},    {"sm_90", 9, 0, 227},
    {"sm_100", 10, 0, 227}, {"sm_103", 10, 3, 227}, {"sm_110", 11, 0, 227}, {"sm_120", 12, 0, 99},
    {"sm_121", 12, 1, 99},
};
constexpr auto version(const Arch& arch) { return std::tuple(arch.major, arch.minor); }
static_assert(std::ranges::is_sorted(all, {}, version));

}  // namespace

// Bindings are limited by the kernel's parameters, 4 KiB in all: each takes a pointer and perhaps a length.
DeviceLimits Arch::limits() const {
    return {.max_workgroup_size = {1024, 1024, 64},
            .max_workgroup_invocations = 1024,
            .max_workgroup_bytes = std::uint64_t{shared_kib} << 10,
            .max_workgroups = {0x7fffffff, 65535, 65535},
            .max_storage_binding_bytes = max_storage_binding_bytes,
            .max_uniform_binding_bytes = std::uint64_t{1} << 16,
            .max_storage_bindings = 128,
            .max_uniform_bindings = 64,
            .max_private_bytes = std::uint64_t{256} << 10};
}

std::span<const Arch> archs() { return all; }

const Arch* find_arch(std::string_view name) {
    const auto* const found = std::ranges::find(all, name, &Arch::name);
    return found == std::end(all) ? nullptr : found;
}

const Arch* arch_of(std::uint32_t major, std::uint32_t minor) {
    const auto* const after = std::ranges::upper_bound(all, std::tuple(major, minor), {}, version);
    return after == std::begin(all) ? nullptr : after - 1;
}

std::optional<int> number_of(std::string_view arch) {
    int number = 0;
    if (!arch.starts_with("sm_")) return std::nullopt;
    const auto end = std::from_chars(arch.data() + 3, arch.data() + arch.size(), number).ptr;
    return end == arch.data() + arch.size() ? std::optional(number) : std::nullopt;
}

}  // namespace muster::cuda
