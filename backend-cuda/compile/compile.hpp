// compile.hpp - compiles a kernel's text to PTX or a cubin, for a named target or for a device at hand.
//
// Exact mode: -fmad=false -prec-div=true -prec-sqrt=true -ftz=false. Fast mode: --use_fast_math. Line
// information is always on (-lineinfo); it changes no instruction. Threads: any.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/backend-cuda/compile/nvrtc.hpp>
#include <muster/backend-cuda/lowering/lower.hpp>

namespace muster::cuda {

enum class ImageFormat : std::uint8_t { ptx, cubin };

/// NVRTC's command-line options. `arch` is named as in a target: "sm_90".
std::vector<std::string> compile_options(const CompileOptions& options, std::string_view arch,
                                         ImageFormat format);

/// Errors: unsupported (NVRTC doesn't know the architecture), compile_failed (with NVRTC's log, and the lines
/// of the text and of the WGSL source that it refers to).
Result<std::vector<std::byte>> compile_text(const Nvrtc& nvrtc, const Program& program,
                                            const CudaSource& source, const CompileOptions& options,
                                            std::string_view arch, ImageFormat format);

/// Fills in everything except the artifact's bytes, format, target and debug map.
Artifact artifact_of(const ValidProgram& program, const CudaSource& source, const CompileOptions& options);

/// Compiles for dispatch on a device of this architecture whose driver supports this CUDA version (12040:
/// 12.4). Makes a cubin if NVRTC knows the architecture and its major version isn't newer than the driver's,
/// otherwise PTX. The artifact's in_process is a CudaSource without its text. Errors: those of
/// Nvrtc::process(), lower() and compile_text().
Result<Artifact> compile_for_device(const ValidProgram& program, const CompileOptions& options,
                                    const std::string& arch, int cuda_version);

}  // namespace muster::cuda
