// emit.hpp - modules to ship: for a named version of Vulkan, on a machine with no loader and no device.
//
//     muster emit saxpy.wgsl --backend vulkan --target vulkan1.2 --format spirv -o saxpy.spv
//
// What is emitted stands by itself: sets and bindings are the program's groups and bindings, nothing comes as push
// constants, and the grid is Vulkan's own. An exact module asks for the float controls RoundingModeRTE and
// SignedZeroInfNanPreserve, which its device has to have. Pure. Threads: any.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::vulkan {

/// "spirv", the words; "spirv-asm", as spirv-dis prints them.
std::span<const std::string> emission_formats();
/// optimize=yes runs spirv-opt.
std::span<const SpecInfo> emission_specs();

/// "vulkan1.2", which nearly all devices have.
std::string default_target();
/// Errors: not_found, with the targets there are.
Result<Target> describe_target(std::string_view arch);

/// Precondition: the target is one of describe_target()'s, the program expanded for it. Errors: invalid_argument (a
/// spec's value), those of lower().
Result<Artifact> emit_module(const ValidProgram& program, const Target& target, const EmitRequest& request);

}  // namespace muster::vulkan
