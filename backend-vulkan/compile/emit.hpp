// emit.hpp - modules to ship: for a version of Vulkan, on a machine that may have no loader and no device.
//
//     muster emit saxpy.wgsl --backend vulkan --target vulkan1.2 --format spirv -o saxpy.spv
//
// An emitted module stands by itself: sets and bindings are the program's groups and bindings, nothing is
// passed as push constants, and the grid is Vulkan's own. An exact module requires the float controls
// RoundingModeRTE and SignedZeroInfNanPreserve of its device. Pure. Threads: any.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::vulkan {

/// "spirv": the words; "spirv-asm": spirv-dis's text.
std::span<const std::string> emission_formats();
/// optimize=yes runs spirv-opt.
std::span<const SpecInfo> emission_specs();

/// "vulkan1.2", which nearly all devices support.
std::string default_target();
/// Errors: not_found, which lists the targets.
Result<Target> describe_target(std::string_view arch);

/// Precondition: the target is one of describe_target()'s, and the program has been expanded for it. Errors:
/// invalid_argument (a spec's value), those of lower().
Result<Artifact> emit_module(const ValidProgram& program, const Target& target, const EmitRequest& request);

}  // namespace muster::vulkan
