// lower_operation.hpp - emits one componentwise operation as SPIR-V, as
// foundation/semantics/semantics.hpp defines it.
//
// SPIR-V leaves much undefined that WGSL defines: shifts by 32 and more, division by zero,
// conversions out of range, remainders of negative numbers, and GLSL.std.450's FMin and FMax of a
// NaN. Nothing here depends on these.
#pragma once

#include <span>

#include <muster/backend-vulkan/lowering/builder.hpp>
#include <muster/foundation/ir/op.hpp>

namespace muster::vulkan {

/// `from` is the type of the first operand, `to` that of the result; both scalars, or vectors of one width.
/// The math group, for fast mode, becomes functions of GLSL.std.450.
Id emit_operation(Builder& builder, Op op, TypeId from, TypeId to, std::span<const Id> operands);

/// The function of GLSL.std.450 for an operation of the math group.
GLSLstd450 math_function(Op op);

}  // namespace muster::vulkan
