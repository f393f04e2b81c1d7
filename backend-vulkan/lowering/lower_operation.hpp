// lower_operation.hpp - one componentwise operation as SPIR-V, with the meaning that foundation/semantics/semantics.hpp gives it.
//
// SPIR-V leaves much undefined that WGSL doesn't: shifts by 32 and more, division by zero, conversions out of range,
// remainders of negative numbers, and which side GLSL.std.450's FMin takes of a NaN. Nothing here depends on that.
#pragma once

#include <span>

#include <muster/backend-vulkan/lowering/builder.hpp>
#include <muster/foundation/ir/op.hpp>

namespace muster::vulkan {

/// `from`: of the first operand; `to`: of the result; both scalars or vectors of one width. The math group becomes
/// GLSL.std.450's functions: for fast mode.
Id emit_operation(Builder& builder, Op op, TypeId from, TypeId to, std::span<const Id> operands);

/// A function of GLSL.std.450's for an operation of the math group.
GLSLstd450 math_function(Op op);

}  // namespace muster::vulkan
