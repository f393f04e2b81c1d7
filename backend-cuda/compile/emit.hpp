// emit.hpp - emits kernels to ship, for a named architecture, on a machine with no driver and no device.
//
//     muster emit saxpy.wgsl --backend cuda --target sm_90 --format cuda -o saxpy.cu
//
// Emitted kernels don't need muster: parameters are laid out as lower.hpp describes for a kernel that isn't
// dispatched, and the grid is CUDA's own. The debug map refers to lines of the text or of the PTX; a cubin
// has its own (-lineinfo). A kernel with grid barriers has launch requirements: the text states them in a
// comment, and PTX and cubins get a side file. Threads: any.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cuda {

/// "cuda" (the text) works on any machine; "ptx" and "cubin" need NVRTC (nvrtc.hpp).
std::span<const std::string> emission_formats();
std::span<const SpecInfo> emission_specs();

/// "sm_75": the oldest target that every toolkit from 12 on compiles for. Its PTX runs on
/// all later architectures.
std::string default_target();
/// Errors: not_found; the message lists the targets.
Result<Target> describe_target(std::string_view arch);

/// Precondition: the target comes from describe_target(), and the program has been expanded for it. Errors:
/// those of lower(), and except for "cuda" those of Nvrtc::process() and compile_text().
Result<Artifact> emit_kernel(const ValidProgram& program, const Target& target, const EmitRequest& request);

}  // namespace muster::cuda
