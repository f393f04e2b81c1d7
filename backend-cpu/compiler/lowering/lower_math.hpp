// lower_math.hpp - the math group: exp, sin, pow, ... on scalars and lanes, each a function of the module.
//
// Exact mode: the operations of foundation/expand/math_function.hpp, bit for bit. Fast mode: within the accuracy that WGSL asks
// for (section "Concrete Floating Point Accuracy"), and mostly far better: docs/math.md says how far.
#pragma once

#include <span>

#include <muster/backend-cpu/compiler/lowering/lower_operation.hpp>

namespace muster::cpu {

/// `op` of the math group; one or two operands, all float or all <width x float>. Calls the function, which is defined
/// where the module hasn't got it yet.
llvm::Value* emit_math(Builder& builder, const LowerOptions& options, Op op,
                       std::span<llvm::Value* const> operands);

/// Marks those functions: to be inlined where a module has few calls of one, else never.
void inline_math_of_few_uses(llvm::Module& module);

}  // namespace muster::cpu
