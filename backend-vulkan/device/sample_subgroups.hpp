// sample_subgroups.hpp - shows whether a device's subgroups have the invocations that the interpreter gives them.
//
// Vulkan doesn't promise this of a workgroup whose last subgroup is smaller, nor that a subgroup's invocations come together
// after a branch that divides them. Threads: any.
#pragma once

#include <muster/driver/contract/backend.hpp>

namespace muster::vulkan {

/// Runs a kernel on the device and in the interpreter, and compares. Precondition: the device says that it has subgroups.
Result<bool> sample_subgroups(Device& device);

}  // namespace muster::vulkan
