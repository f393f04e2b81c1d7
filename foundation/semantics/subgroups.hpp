// subgroups.hpp - what the combining operations of subgroups have in common: sums, products,
// minima, bits, and prefixes.
//
// They are those of a binary tree over the numbers of the subgroup's invocations: a block of 2, 4, ...
// of them has the result of its lower half combined with that of its upper half, and an inactive
// invocation is left out. A prefix that reaches into the upper half is the lower half combined with the
// prefix in the upper half (docs/design.md, Numeric contract). The interpreter computes this, and
// expand() writes it with shuffles.
#pragma once

#include <muster/foundation/ir/op_kind.hpp>

namespace muster::semantics {

/// True for operations that combine the values of several invocations.
constexpr bool is_combining(Op op) { return kind(op) == OpKind::reduction || kind(op) == OpKind::prefix; }
/// True for sums and products of the invocations up to the current one, and of those before it.
constexpr bool is_inclusive(Op op) {
    return op == Op::subgroup_inclusive_add || op == Op::subgroup_inclusive_mul;
}
constexpr bool is_exclusive(Op op) {
    return op == Op::subgroup_exclusive_add || op == Op::subgroup_exclusive_mul;
}

/// The operation that combines two values. Precondition: is_combining(op).
constexpr Op combination(Op op) {
    if (op == Op::subgroup_min) return Op::min;
    if (op == Op::subgroup_max) return Op::max;
    if (op == Op::subgroup_and) return Op::bit_and;
    if (op == Op::subgroup_or) return Op::bit_or;
    if (op == Op::subgroup_xor) return Op::bit_xor;
    const bool multiplies =
        op == Op::subgroup_mul || op == Op::subgroup_inclusive_mul || op == Op::subgroup_exclusive_mul;
    return multiplies ? Op::mul : Op::add;
}

}  // namespace muster::semantics
