// widen_masks.hpp - keeps the masks of machines without mask registers as vectors of
// 32 bits, all ones or zero.
#pragma once

#include <cstdint>

#include <llvm/IR/Module.h>

namespace muster::cpu {

/// Widens what computes with vectors of i1, and those that are used in other blocks. Code generation would
/// keep 16 of them as 16 bytes: a comparison's result would be packed to that, and unpacked for each use.
/// `vector_bytes`: of the machine's vector register.
void widen_masks(llvm::Module& module, std::uint32_t vector_bytes);

}  // namespace muster::cpu
