// op.hpp - the operations of the IR, which op.def lists, and sets of them.
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

enum class Op : std::uint8_t {
#define MUSTER_OP(op, ...) op,
#include <muster/foundation/ir/op.def>
};
inline constexpr Op every_op[] = {
#define MUSTER_OP(op, ...) Op::op,
#include <muster/foundation/ir/op.def>
};
inline constexpr std::size_t op_count = std::size(every_op);

struct OpInfo {
    Op op;
    std::string_view name;
    OpGroup group;
    std::int8_t operands;  // number of operands; -1 if it varies
    bool pure;             // no effect, no order: dropped if unused (loads count as pure)
};

/// An operation's row of op.def.
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

/// The built-in values, which builtin.def lists.
enum class Builtin : std::uint8_t {
#define MUSTER_BUILTIN(name, ...) name,
#include <muster/foundation/ir/builtin.def>
};
struct BuiltinInfo {
    std::string_view name;
    std::uint32_t width;  // the number of components: 3, or 1 for a scalar
    bool is_of_subgroups;
};
inline constexpr std::array builtin_table{
#define MUSTER_BUILTIN(name, width, of_subgroups, ...) BuiltinInfo{#name, width, of_subgroups},
#include <muster/foundation/ir/builtin.def>
};
inline constexpr std::size_t builtin_count = builtin_table.size();
std::string_view name(Builtin builtin);
constexpr std::uint32_t width(Builtin builtin) {
    return builtin_table[static_cast<std::size_t>(builtin)].width;
}
constexpr bool is_of_subgroups(Builtin builtin) {
    return builtin_table[static_cast<std::size_t>(builtin)].is_of_subgroups;
}

MUSTER_API_END
}  // namespace muster
