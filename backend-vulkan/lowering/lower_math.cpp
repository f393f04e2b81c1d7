// The math group as functions of GLSL.std.450, whose error bounds in Vulkan WGSL has adopted. For fast mode;
// in exact mode these operations have been expanded before (foundation/math).
#include <array>

#include <muster/backend-vulkan/lowering/lower_operation.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/semantics/scalar_operations.hpp>

namespace muster::vulkan {
namespace {

using scalar_operations::slot;

constexpr std::array<GLSLstd450, op_count> functions = [] {
    std::array<GLSLstd450, op_count> all{};
    all[slot(Op::exp)] = GLSLstd450Exp;
    all[slot(Op::exp2)] = GLSLstd450Exp2;
    all[slot(Op::log)] = GLSLstd450Log;
    all[slot(Op::log2)] = GLSLstd450Log2;
    all[slot(Op::sin)] = GLSLstd450Sin;
    all[slot(Op::cos)] = GLSLstd450Cos;
    all[slot(Op::tan)] = GLSLstd450Tan;
    all[slot(Op::asin)] = GLSLstd450Asin;
    all[slot(Op::acos)] = GLSLstd450Acos;
    all[slot(Op::atan)] = GLSLstd450Atan;
    all[slot(Op::atan2)] = GLSLstd450Atan2;
    all[slot(Op::sinh)] = GLSLstd450Sinh;
    all[slot(Op::cosh)] = GLSLstd450Cosh;
    all[slot(Op::tanh)] = GLSLstd450Tanh;
    all[slot(Op::asinh)] = GLSLstd450Asinh;
    all[slot(Op::acosh)] = GLSLstd450Acosh;
    all[slot(Op::atanh)] = GLSLstd450Atanh;
    all[slot(Op::pow)] = GLSLstd450Pow;
    all[slot(Op::inverse_sqrt)] = GLSLstd450InverseSqrt;
    return all;
}();

static_assert(covers(functions, {OpKind::math}));

}  // namespace

GLSLstd450 math_function(Op op) { return functions[slot(op)]; }

}  // namespace muster::vulkan
