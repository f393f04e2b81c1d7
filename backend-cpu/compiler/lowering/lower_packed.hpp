// lower_packed.hpp - dot products of the four bytes in each 32-bit lane.
#pragma once

#include <muster/backend-cpu/compiler/lowering/lower_operation.hpp>

namespace muster::cpu {

/// dot4_u8_packed, or dot4_i8_packed if `is_signed`: semantics::dot4_u8 and dot4_i8. Operands and
/// result: i32, or vectors of it.
llvm::Value* packed_product(Builder& builder, PackedProducts instructions, std::uint32_t vector_bytes,
                            bool is_signed, llvm::Value* a, llvm::Value* b);

}  // namespace muster::cpu
