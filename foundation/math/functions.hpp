// functions.hpp - the math group's operations in one table, over any Number.
#pragma once

#include <array>

#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/math/exp_log.hpp>
#include <muster/foundation/math/hyperbolic.hpp>
#include <muster/foundation/math/inverse_trigonometry.hpp>
#include <muster/foundation/math/pow.hpp>
#include <muster/foundation/math/trigonometry.hpp>

namespace muster::math {

/// Functions by operation, each called as the operation is; null for operations outside the math group. A
/// function of one operand ignores the second.
template <Number F>
inline constexpr auto functions = [] {
    std::array<F (*)(F, F), op_count> table{};
#define MUSTER_OP(op, kind, operands, ...)                                             \
    if constexpr (OpKind::kind == OpKind::math)                                        \
        table[static_cast<std::size_t>(Op::op)] = [](F a, [[maybe_unused]] F b) -> F { \
            if constexpr (operands == 2)                                               \
                return op(a, b);                                                       \
            else                                                                       \
                return op(a);                                                          \
        };
#include <muster/foundation/ir/op.def>
    return table;
}();

}  // namespace muster::math
