// build_image.hpp - makes an image (image.hpp) of a lowered kernel: optimises, generates code, links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <muster/backend-cpu/compiler/llvm/target.hpp>
#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

/// `width`: LoweredKernel::width. Errors: internal if the module isn't valid; compile_failed.
Result<std::vector<std::byte>> build_image(LoweredKernel kernel, const CompileTarget& target,
                                           const Machine& machine, std::uint32_t width);

}  // namespace muster::cpu
