// compile.hpp - program -> artifact (SPIR-V), for a device of this machine.
#pragma once

#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/backend-vulkan/native/physical_device.hpp>
#include <muster/driver/contract/artifact.hpp>

namespace muster::vulkan {

/// The options for lowering to what the device supports. Pure.
LowerTarget lower_target(const PhysicalDevice& device, const CompileOptions& options);

/// Pure. Errors: those of lower().
Result<Artifact> compile_spirv(const ValidProgram& program, const LowerTarget& target);

}  // namespace muster::vulkan
