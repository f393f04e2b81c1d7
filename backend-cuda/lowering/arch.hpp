// arch.hpp - NVIDIA's architectures by name: what a kernel may use on each. Facts in one table; no driver, no device.
//
//     const Arch* arch = find_arch("sm_90");   // arch->limits().max_workgroup_bytes == 227 KiB
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <muster/driver/contract/device_info.hpp>

namespace muster::cuda {

struct Arch {
    std::string_view name;  // "sm_90": as NVRTC takes it, and as a target has it
    std::uint32_t major = 0, minor = 0;
    std::uint32_t shared_kib = 0;  // of shared memory that one block may have
    DeviceLimits limits() const;
};

/// From sm_70 on; ordered.
std::span<const Arch> archs();
/// Null where there is none of this name.
const Arch* find_arch(std::string_view name);
/// The one of this compute capability; of a later one, the last that is older. Null below 7.0.
const Arch* arch_of(std::uint32_t major, std::uint32_t minor);

}  // namespace muster::cuda
