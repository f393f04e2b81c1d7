// functions.hpp - the math group's operations in one table, over any Number.
#pragma once

#include <array>

#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/math/exp_log.hpp>
#include <muster/foundation/math/hyperbolic.hpp>
#include <muster/foundation/math/inverse_trigonometry.hpp>
#include <muster/foundation/math/pow.hpp>
#include <muster/foundation/math/trigonometry.hpp>

namespace muster::math {

/// Functions by operation; null for operations outside the math group. A function of one operand ignores the
/// second.
template <Number F>
inline constexpr auto functions = [] {
    std::array<F (*)(F, F), op_count> table{};
    const auto row = [&](Op op) -> F (*&)(F, F) { return table[static_cast<std::size_t>(op)]; };
    row(Op::exp) = [](F a, F) { return exp(a); };
    row(Op::exp2) = [](F a, F) { return exp2(a); };
    row(Op::log) = [](F a, F) { return log(a); };
    row(Op::log2) = [](F a, F) { return log2(a); };
    row(Op::sin) = [](F a, F) { return sin(a); };
    row(Op::cos) = [](F a, F) { return cos(a); };
    row(Op::tan) = [](F a, F) { return tan(a); };
    row(Op::asin) = [](F a, F) { return asin(a); };
    row(Op::acos) = [](F a, F) { return acos(a); };
    row(Op::atan) = [](F a, F) { return atan(a); };
    row(Op::atan2) = [](F a, F b) { return atan2(a, b); };
    row(Op::sinh) = [](F a, F) { return sinh(a); };
    row(Op::cosh) = [](F a, F) { return cosh(a); };
    row(Op::tanh) = [](F a, F) { return tanh(a); };
    row(Op::asinh) = [](F a, F) { return asinh(a); };
    row(Op::acosh) = [](F a, F) { return acosh(a); };
    row(Op::atanh) = [](F a, F) { return atanh(a); };
    row(Op::pow) = [](F a, F b) { return pow(a, b); };
    row(Op::inverse_sqrt) = [](F a, F) { return inverse_sqrt(a); };
    return table;
}();

}  // namespace muster::math
