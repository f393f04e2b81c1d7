// emit.hpp - kernels to ship, for a named architecture, on a machine with no driver and no device.
//
//     muster emit saxpy.wgsl --backend cuda --target sm_90 --format cuda -o saxpy.cu
//
// What is emitted stands by itself: parameters are as lower.hpp says of a kernel that isn't dispatched, and the grid is
// CUDA's own. The debug map is of the lines of the text, or of the PTX; a cubin has its own (-lineinfo). Of a kernel with grid barriers the text
// says what a launch needs; beside PTX and cubins there is a side file that does. Threads: any.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/device_info.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cuda {

/// "cuda", the text, on any machine; "ptx" and "cubin", where there is NVRTC (nvrtc.hpp).
std::span<const std::string> emission_formats();
std::span<const SpecInfo> emission_specs();

/// "sm_75": the oldest that every toolkit from 12 on compiles for; PTX for it runs on all that came later.
std::string default_target();
/// Errors: not_found, with the targets there are.
Result<Target> describe_target(std::string_view arch);

/// Precondition: the target is one of describe_target()'s, the program expanded for it. Errors: those of lower(), and but for "cuda"
/// those of Nvrtc::process() and compile_text().
Result<Artifact> emit_kernel(const ValidProgram& program, const Target& target, const EmitRequest& request);

}  // namespace muster::cuda
