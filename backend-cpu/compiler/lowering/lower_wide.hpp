// lower_wide.hpp - operations on scalars of 64 bits: semantics.hpp in LLVM IR, as
// lower_operation.hpp does for the others.
#pragma once

#include <muster/backend-cpu/compiler/lowering/lower_operation.hpp>

namespace muster::cpu {

/// As emit_operation(), for a componentwise operation of the exact group whose operands or result have 64
/// bits. i64 and u64 are i64, f64 is double; the count of a shift is an i32. f16 doesn't come: expand()
/// converts it by way of f32.
llvm::Value* emit_wide_operation(Builder& builder, const LowerOptions& options, Op op, Scalar from, Scalar to,
                                 std::span<llvm::Value* const> operands);

/// Two words as the scalar of 64 bits, and the reverse.
llvm::Value* joined(Builder& builder, Scalar scalar, llvm::Value* low, llvm::Value* high);
std::array<llvm::Value*, 2> split(Builder& builder, llvm::Value* wide);

}  // namespace muster::cpu
