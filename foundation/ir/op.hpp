// op.hpp - the operations of the IR, in one table, and sets of them.
//
// An operation acts on scalars and, componentwise, on vectors; which scalar is decided by its operands' types.
// What each one means is semantics.hpp. Groups:
//   free        no place in a block: constants, built-in values, references. Hash-consed, evaluated where used.
//   exact       the same bits on every backend, by DESIGN section 5a
//   math        exp, sin, pow, ...: expanded into exact operations (expand.hpp) unless fast mode uses a device's own
//   memory, atomic, control, sync: have effects or order
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

enum class OpGroup : std::uint8_t { free, exact, math, memory, atomic, control, sync, extension };

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
    // an operation known by its namespaced id
    extension,
};
// clang-format on
inline constexpr std::size_t op_count = static_cast<std::size_t>(Op::extension) + 1;

struct OpInfo {
    Op op;
    std::string_view name;
    OpGroup group;
    std::int8_t operands;  // how many; -1 where it varies
    bool pure;             // no effect, no order: unused ones are dropped (loads count as pure)
};

/// One row each, in the enumeration's order.
const OpInfo& info(Op op);
std::optional<Op> op_by_name(std::string_view name);

/// Which operations: the core ones as bits, extension operations by namespaced id ("muster.grid_barrier").
struct OpSet {
    std::bitset<op_count> core;
    std::vector<std::string> extensions;  // sorted, unique

    bool contains(Op op) const { return core.test(static_cast<std::size_t>(op)); }
    bool contains(const OpSet& other) const;
    OpSet& insert(Op op) {
        core.set(static_cast<std::size_t>(op));
        return *this;
    }
    OpSet& insert(std::string_view extension);
    OpSet& insert(OpGroup group);  // every operation of the group
    /// What `other` has and this set hasn't, in the enumeration's order, then extensions: for messages.
    std::vector<std::string> missing(const OpSet& other) const;
    bool operator==(const OpSet&) const = default;

    /// Everything but the math group and extensions: what a backend must have to run exact programs.
    static const OpSet& all_exact();
    /// Every core operation.
    static const OpSet& all_core();
};

/// Values every invocation is born with (WGSL section "Built-in Inputs and Outputs"). Others are made of these.
enum class Builtin : std::uint8_t {
    global_invocation_id,    // vec3<u32>
    local_invocation_id,     // vec3<u32>
    local_invocation_index,  // u32
    workgroup_id,            // vec3<u32>
    num_workgroups,          // vec3<u32>
};
inline constexpr std::size_t builtin_count = 5;
std::string_view name(Builtin builtin);

}  // namespace muster
