// lower_operation.hpp - one operation on scalars or on vectors of lanes: foundation/semantics/semantics.hpp in LLVM IR.
//
// Every operand and the result are of one shape: all plain (float, i32, i1) or all <width x ...>. f32 is float, i32 and
// u32 are i32, bool is i1. Exact where the options say so: the bits are those of semantics.hpp; never a trap, never
// undefined behaviour or poison for any input.
#pragma once

#include <span>

#include <llvm/IR/IRBuilder.h>

#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/type.hpp>

namespace muster::cpu {

using Builder = llvm::IRBuilder<>;

/// Of a function before operations are emitted into it: what the code generator may take for a division.
void prepare_function(llvm::Function& function, const LowerOptions& options);

/// `op` of the exact group (componentwise ones: arithmetic, comparison, logic, bits, conversion, select; not the
/// composites, not all/any) or of the math group. `from` is the scalar of the operands (of select: of
/// its values), `to` of the result.
llvm::Value* emit_operation(Builder& builder, const LowerOptions& options, Op op, Scalar from, Scalar to,
                            std::span<llvm::Value* const> operands);

}  // namespace muster::cpu
