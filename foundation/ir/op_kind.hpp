// op_kind.hpp - what operations compute, finer than their groups (op.hpp).
//
//     kind(Op::lt) == OpKind::comparison
//
// Threads: constant data.
#pragma once

#include <muster/foundation/ir/op.hpp>

namespace muster {

enum class OpKind : std::uint8_t {
    free,
    composite,
    arithmetic,
    comparison,
    logic,
    bits,
    conversion,
    packed,
    math,
    memory,
    atomic,
    control,
    sync,
    exchange,   // a subgroup's invocations get values of each other
    reduction,  // all of a subgroup get one value, combined of theirs
    prefix,     // each gets what those before it, or up to it, combine to
    extension
};

constexpr OpKind kind(Op op) {
    using enum Op;
    // clang-format off
    switch (op) {
        case constant: case builtin: case ref_variable: case ref_index: case ref_member: return OpKind::free;
        case compose: case extract: case extract_dynamic: case swizzle: case splat: case select: return OpKind::composite;
        case add: case sub: case mul: case div: case rem: case neg: case abs: case min: case max: case floor: case ceil:
        case trunc: case round: case sqrt: case fma:
            return OpKind::arithmetic;
        case eq: case ne: case lt: case le: case gt: case ge: return OpKind::comparison;
        case logical_not: case all: case any: return OpKind::logic;
        case bit_and: case bit_or: case bit_xor: case bit_not: case shift_left: case shift_right: case count_one_bits:
        case count_leading_zeros: case count_trailing_zeros: case reverse_bits:
            return OpKind::bits;
        case convert: case bitcast: return OpKind::conversion;
        case dot4_u8_packed: case dot4_i8_packed: return OpKind::packed;
        case exp: case exp2: case log: case log2: case sin: case cos: case tan: case asin: case acos: case atan: case atan2:
        case sinh: case cosh: case tanh: case asinh: case acosh: case atanh: case pow: case inverse_sqrt:
            return OpKind::math;
        case declare: case load: case store: case array_length: return OpKind::memory;
        case atomic_load: case atomic_store: case atomic_add: case atomic_sub: case atomic_max: case atomic_min:
        case atomic_and: case atomic_or: case atomic_xor: case atomic_exchange: case atomic_compare_exchange:
            return OpKind::atomic;
        case if_: case loop: case switch_: case scope: case break_: case continue_: case break_if: case return_:
            return OpKind::control;
        case workgroup_barrier: case storage_barrier: return OpKind::sync;
        case subgroup_ballot: case subgroup_shuffle: case subgroup_broadcast: case subgroup_broadcast_first:
        case subgroup_shuffle_up: case subgroup_shuffle_down: case subgroup_shuffle_xor:
            return OpKind::exchange;
        case subgroup_add: case subgroup_mul: case subgroup_min: case subgroup_max: case subgroup_and: case subgroup_or:
        case subgroup_xor:
            return OpKind::reduction;
        case subgroup_inclusive_add: case subgroup_inclusive_mul: case subgroup_exclusive_add: case subgroup_exclusive_mul:
            return OpKind::prefix;
        case Op::extension: break;
    }
    // clang-format on
    return OpKind::extension;
}

}  // namespace muster
