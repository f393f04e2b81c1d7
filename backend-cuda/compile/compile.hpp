// compile.hpp - the text to PTX, or to a cubin; for a target that is named, or for a device at hand.
//
// Exact: -fmad=false -prec-div=true -prec-sqrt=true -ftz=false. Fast: --use_fast_math. Lines are kept (-lineinfo), which
// changes no instruction. Threads: any.
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

/// What NVRTC is told. `arch`: as in a target, "sm_90".
std::vector<std::string> compile_options(const CompileOptions& options, std::string_view arch,
                                         ImageFormat format);

/// Errors: unsupported (NVRTC doesn't know the architecture), compile_failed, with NVRTC's log, the line of the text and
/// the line of the source that it is about.
Result<std::vector<std::byte>> compile_text(const Nvrtc& nvrtc, const Program& program,
                                            const CudaSource& source, const CompileOptions& options,
                                            std::string_view arch, ImageFormat format);

std::string_view text_of(std::span<const std::byte> bytes);

/// All of an artifact but its bytes, format, target and debug map.
Artifact artifact_of(const ValidProgram& program, const CudaSource& source, const CompileOptions& options);

/// For dispatch, on a device of this architecture whose driver is for this CUDA (12040: 12.4): a cubin, where NVRTC knows
/// the architecture and isn't of a later generation than the driver; else PTX. in_process is a CudaSource without its text.
/// Errors: those of Nvrtc::process(), lower() and compile_text().
Result<Artifact> compile_for_device(const ValidProgram& program, const CompileOptions& options,
                                    const std::string& arch, int cuda_version);

}  // namespace muster::cuda
