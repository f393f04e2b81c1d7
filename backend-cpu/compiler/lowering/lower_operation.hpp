// lower_operation.hpp - one operation on scalars or on vectors of lanes:
// foundation/semantics/semantics.hpp in LLVM IR.
//
// Operands and result have one shape: all scalar (float, i32, i1) or all <width x ...>. f32 is float, i32 and
// u32 are i32, bool is i1, i64 and u64 are i64, f64 is double; the count of a shift is an i32. f16 is an i32
// with its bits in the low half, only converted from and to f32, and selected. Exact if the options say so:
// the bits are those of semantics.hpp. No input traps or gives undefined behaviour or poison.
#pragma once

#include <array>
#include <span>

#include <llvm/IR/IRBuilder.h>

#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::cpu {

using Builder = llvm::IRBuilder<>;

/// Sets a function's attributes before operations are emitted into it: how the code generator may divide.
void prepare_function(llvm::Function& function, const LowerOptions& options);

/// `op` is of the math or packed group, or a componentwise operation of the exact group (arithmetic,
/// comparison, logic, bits, conversion, select; not the composites, not all/any). `from` is the scalar type
/// of the operands (of the values, for select), `to` that of the result.
llvm::Value* emit_operation(Builder& builder, const LowerOptions& options, Op op, Scalar from, Scalar to,
                            std::span<llvm::Value* const> operands);

/// Two words as the scalar of 64 bits, and the reverse.
llvm::Value* joined(Builder& builder, Scalar scalar, llvm::Value* low, llvm::Value* high);
std::array<llvm::Value*, 2> split(Builder& builder, llvm::Value* wide);

}  // namespace muster::cpu
