// op.hpp - the operations of the IR, in one table, and sets of them.
//
// An operation acts on scalars and, componentwise, on vectors; the operands' types decide which scalar.
// semantics.hpp defines what each one computes. Groups:
//   free        in no block: constants, built-in values, references. Hash-consed, evaluated where used.
//   exact       the same bits on every backend (docs/design.md, Numeric contract)
//   packed      dot products of bytes in words: expanded into exact operations where a device has none
//   math        exp, sin, pow, ...: expanded into exact operations (expand.hpp) unless fast mode uses a device's own
//   memory, atomic, control, sync: have effects or order
//   subgroup  the invocations of a subgroup exchange values (docs/ir.md, Subgroups); only devices that say so have these
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

enum class OpGroup : std::uint8_t {
    free,
    exact,
    packed,
    math,
    memory,
    atomic,
    control,
    sync,
    subgroup,
    extension
};

// clang-format off
enum class Op : std::uint8_t {
    // free
    constant, builtin, ref_variable, ref_index, ref_member,
    // exact: composites
    compose, extract, extract_dynamic, swizzle, splat, select,
    // exact: arithmetic
    add, sub, mul, div, rem, neg, abs, min, max, floor, ceil, trunc, round, sqrt, fma,
    // exact: comparison and logic
    eq, ne, lt, le, gt, ge, logical_not, all, any,
    // exact: bits
    bit_and, bit_or, bit_xor, bit_not, shift_left, shift_right,
    count_one_bits, count_leading_zeros, count_trailing_zeros, reverse_bits,
    // exact: conversion
    convert, bitcast,
    // packed
    dot4_u8_packed, dot4_i8_packed,
    // math
    exp, exp2, log, log2, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh, acosh, atanh, pow,
    inverse_sqrt,
    // memory
    declare, load, store, array_length,
    // atomic
    atomic_load, atomic_store, atomic_add, atomic_sub, atomic_max, atomic_min, atomic_and, atomic_or, atomic_xor,
    atomic_exchange, atomic_compare_exchange,
    // control
    if_, loop, switch_, scope, break_, continue_, break_if, return_,
    // sync
    workgroup_barrier, storage_barrier,
    // subgroup; the first two are enough: expand() writes the others with them
    subgroup_ballot, subgroup_shuffle,
    subgroup_broadcast, subgroup_broadcast_first, subgroup_shuffle_up, subgroup_shuffle_down, subgroup_shuffle_xor,
    subgroup_add, subgroup_mul, subgroup_min, subgroup_max, subgroup_and, subgroup_or, subgroup_xor,
    subgroup_inclusive_add, subgroup_inclusive_mul, subgroup_exclusive_add, subgroup_exclusive_mul,
    // an operation identified by its namespaced id
    extension,
};
// clang-format on
inline constexpr std::size_t op_count = static_cast<std::size_t>(Op::extension) + 1;

struct OpInfo {
    Op op;
    std::string_view name;
    OpGroup group;
    std::int8_t operands;  // number of operands; -1 if it varies
    bool pure;             // no effect, no order: dropped if unused (loads count as pure)
};

/// The table has one row per operation, in the enumeration's order.
const OpInfo& info(Op op);
std::optional<Op> op_by_name(std::string_view name);

/// True for pure operations whose results have the same bits on every backend: constants are folded.
inline bool is_exact(Op op) { return info(op).group == OpGroup::exact || info(op).group == OpGroup::packed; }

/// True for the atomic operations that atomic<f32> has: none on bits, and no compare-exchange.
constexpr bool is_atomic_of_f32(Op op) {
    return op == Op::atomic_load || op == Op::atomic_store || op == Op::atomic_add || op == Op::atomic_sub ||
           op == Op::atomic_max || op == Op::atomic_min || op == Op::atomic_exchange;
}

/// A set of operations: core ones as bits, extension operations by namespaced id ("muster.grid_barrier").
struct OpSet {
    std::bitset<op_count> core;
    /// Operations that are computed for f16 too, correctly rounded; expand() writes the others with those of
    /// f32. They don't count when sets are compared.
    std::bitset<op_count> f16;
    /// Atomic operations that work on atomic<f32> too; expand() writes the others with those of u32.
    /// They don't count either.
    std::bitset<op_count> f32_atomics;
    /// Atomic operations work on atomic<i64> and atomic<u64> too: a device without has no such types.
    bool wide_atomics = false;
    std::vector<std::string> extensions;  // sorted, unique

    bool contains(Op op) const { return core.test(static_cast<std::size_t>(op)); }
    bool contains_f16(Op op) const { return f16.test(static_cast<std::size_t>(op)); }
    bool contains(const OpSet& other) const;
    OpSet& insert(Op op) {
        core.set(static_cast<std::size_t>(op));
        return *this;
    }
    OpSet& insert(std::string_view extension);
    OpSet& insert(OpGroup group);  // inserts every operation of the group
    /// Returns what `other` has and this set lacks, in the enumeration's order,
    /// extensions last. For messages.
    std::vector<std::string> missing(const OpSet& other) const;
    bool operator==(const OpSet&) const = default;

    /// Every core operation except the groups packed, math and subgroup: what a backend must
    /// support to run exact programs.
    static const OpSet& all_exact();
    /// Likewise with the group math.
    static const OpSet& all_core();
};

/// The built-in values that every invocation receives (WGSL section "Built-in Inputs and Outputs"). All
/// others are computed from these.
enum class Builtin : std::uint8_t {
    global_invocation_id,    // vec3<u32>
    local_invocation_id,     // vec3<u32>
    local_invocation_index,  // u32
    workgroup_id,            // vec3<u32>
    num_workgroups,          // vec3<u32>
    subgroup_invocation_id,  // u32, below subgroup_size
    subgroup_size,           // u32
    subgroup_id,             // u32, below num_subgroups
    num_subgroups,           // u32
};
inline constexpr std::size_t builtin_count = 9;
std::string_view name(Builtin builtin);
/// The number of components: 3, or 1 for a scalar.
constexpr std::uint32_t width(Builtin builtin) {
    switch (builtin) {
        case Builtin::global_invocation_id:
        case Builtin::local_invocation_id:
        case Builtin::workgroup_id:
        case Builtin::num_workgroups: return 3;
        case Builtin::local_invocation_index:
        case Builtin::subgroup_invocation_id:
        case Builtin::subgroup_size:
        case Builtin::subgroup_id:
        case Builtin::num_subgroups: break;
    }
    return 1;
}
constexpr bool is_of_subgroups(Builtin builtin) {
    switch (builtin) {
        case Builtin::subgroup_invocation_id:
        case Builtin::subgroup_size:
        case Builtin::subgroup_id:
        case Builtin::num_subgroups: return true;
        case Builtin::global_invocation_id:
        case Builtin::local_invocation_id:
        case Builtin::local_invocation_index:
        case Builtin::workgroup_id:
        case Builtin::num_workgroups: break;
    }
    return false;
}

MUSTER_API_END
}  // namespace muster
