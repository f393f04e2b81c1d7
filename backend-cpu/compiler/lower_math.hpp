// lower_math.hpp - the math group of fast mode: exp, sin, pow, ... inline, without a call, on scalars and lanes.
//
// Within the accuracy that WGSL asks for (section "Concrete Floating Point Accuracy"), and mostly far better:
// docs/math.md says how far. Exact mode never comes here: foundation/expand.hpp has replaced these operations.
#pragma once

#include <span>

#include <muster/backend-cpu/compiler/lower_operation.hpp>

namespace muster::cpu {

/// `op` of the math group; one or two operands, all float or all <width x float>.
llvm::Value* emit_math(Builder& builder, const LowerOptions& options, Op op,
                       std::span<llvm::Value* const> operands);

}  // namespace muster::cpu
