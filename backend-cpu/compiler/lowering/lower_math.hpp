// lower_math.hpp - the math group (exp, sin, pow, ...) on scalars and lanes; each is
// a function of the module.
//
// Exact mode: the operations of foundation/expand/math_function.hpp, bit for bit. Fast mode: within WGSL's
// bounds (section "Concrete Floating Point Accuracy"), and mostly far better; docs/math.md gives the errors.
#pragma once

#include <span>

#include <muster/backend-cpu/compiler/lowering/lower_operation.hpp>

namespace muster::cpu {

/// Calls the function for `op`, of the math group, and defines it first if the module doesn't have it. One or
/// two operands, all float or all <width x float>.
llvm::Value* emit_math(Builder& builder, const LowerOptions& options, Op op,
                       std::span<llvm::Value* const> operands);

/// True for a function that emit_math() has defined.
bool is_math_function(const llvm::Function& function);

}  // namespace muster::cpu
