// lower_operation.hpp - one operation on scalars or on vectors of lanes:
// foundation/semantics/semantics.hpp in LLVM IR.
//
// Operands and result have one shape: all scalar (float, i32, i1) or all <width x ...>. f32 is float, i32 and
// u32 are i32, bool is i1, f16 is an i32 with its bits in the low half. f16 is only converted from and to
// f32, and selected. Exact if the options say so: the bits are those of semantics.hpp. No input traps or
// gives undefined behaviour or poison.
#pragma once

#include <span>

#include <llvm/IR/IRBuilder.h>

#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::cpu {

using Builder = llvm::IRBuilder<>;

/// Sets a function's attributes before operations are emitted into it: how the code generator may divide.
void prepare_function(llvm::Function& function, const LowerOptions& options);

/// The flags for operations on floats in the mode that the options say.
llvm::FastMathFlags float_flags(const LowerOptions& options);

/// `op` is of the math or packed group, or a componentwise operation of the exact group (arithmetic,
/// comparison, logic, bits, conversion, select; not the composites, not all/any). `from` is the scalar type
/// of the operands (of the values, for select), `to` that of the result.
llvm::Value* emit_operation(Builder& builder, const LowerOptions& options, Op op, Scalar from, Scalar to,
                            std::span<llvm::Value* const> operands);

}  // namespace muster::cpu
