// arch.hpp - a table of NVIDIA architectures and their limits. No driver, no device.
//
//     const Arch* arch = find_arch("sm_90");   // arch->limits().max_workgroup_bytes == 227 KiB
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <muster/driver/contract/device_info.hpp>

namespace muster::cuda {

/// 8 GiB, so that a length fits 32 bits and no negative i32 is an index within bounds.
inline constexpr std::uint64_t max_storage_binding_bytes = std::uint64_t{1} << 33;

struct Arch {
    std::string_view name;  // "sm_90": the name that NVRTC and targets use
    std::uint32_t major = 0, minor = 0;
    std::uint32_t shared_kib = 0;  // most shared memory of one block
    DeviceLimits limits() const;
};

/// All architectures from sm_70 on, ascending.
std::span<const Arch> archs();

/// 90 of "sm_90"; none if the text isn't of this form.
std::optional<int> number_of(std::string_view arch);
/// Null if no architecture has this name.
const Arch* find_arch(std::string_view name);
/// The architecture of this compute capability, or else the newest older one. Null below 7.0.
const Arch* arch_of(std::uint32_t major, std::uint32_t minor);

}  // namespace muster::cuda
