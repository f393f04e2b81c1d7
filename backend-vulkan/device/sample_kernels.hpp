// sample_kernels.hpp - kernels that run on a device and in the interpreter, to see if
// the results are the same.
//
// Vulkan promises of no subgroups that a workgroup's last and smaller one is like the others, nor that a
// subgroup's invocations come together after a branch that divides them; and nothing of the quotients, square
// roots and fma of f64. Threads: any.
#pragma once

#include <muster/driver/contract/backend.hpp>

namespace muster::vulkan {

/// True if subgroups have the invocations that the interpreter gives them. Precondition: the device
/// says that it has subgroups.
Result<bool> sample_subgroups(Device& device);

/// True if arithmetic on f64 is exact, subnormals included. A device without an exact fma of f32 gets
/// programs in which that of f64 is written out. Precondition: the device says that it has doubles.
Result<bool> sample_doubles(Device& device, const Exactness& exactness);

}  // namespace muster::vulkan
