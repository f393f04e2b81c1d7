// op_kind.hpp - what operations compute, finer than their groups (op.hpp), and how they are written.
//
//     kind(Op::lt) == OpKind::comparison
//     spelling_of(Op::lt) == "<"
//
// Threads: constant data.
#pragma once

#include <initializer_list>

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

inline constexpr OpKind op_kinds[] = {
#define MUSTER_OP(op, kind, ...) OpKind::kind,
#include <muster/foundation/ir/op.def>
};
constexpr OpKind kind(Op op) { return op_kinds[static_cast<std::size_t>(op)]; }

constexpr OpGroup group_of(OpKind kind) {
    using enum OpKind;
    // clang-format off
    switch (kind) {
        case free: return OpGroup::free;
        case composite: case arithmetic: case comparison: case logic: case bits: case conversion: return OpGroup::exact;
        case packed: return OpGroup::packed;
        case math: return OpGroup::math;
        case memory: return OpGroup::memory;
        case atomic: return OpGroup::atomic;
        case control: return OpGroup::control;
        case sync: return OpGroup::sync;
        case exchange: case reduction: case prefix: return OpGroup::subgroup;
        case OpKind::extension: break;
    }
    // clang-format on
    return OpGroup::extension;
}

inline constexpr std::string_view op_spellings[] = {
#define MUSTER_OP(op, kind, operands, effect, wgsl, ...) wgsl,
#include <muster/foundation/ir/op.def>
};
/// The operator or function of WGSL; empty for an operation that is written otherwise.
constexpr std::string_view spelling_of(Op op) { return op_spellings[static_cast<std::size_t>(op)]; }
constexpr bool is_function(Op op) {
    return !spelling_of(op).empty() && spelling_of(op)[0] >= 'a' && spelling_of(op)[0] <= 'z';
}
constexpr bool is_operator(Op op) { return !spelling_of(op).empty() && !is_function(op); }

/// True for a default entry of a table, and for an array of such: element by element, since Clang 19 can't
/// compare arrays of function pointers at compile time.
template <class Entry>
constexpr bool is_default(const Entry& entry) {
    if constexpr (requires { entry.begin(); }) {
        for (const auto& element : entry)
            if (!is_default(element)) return false;
        return true;
    } else {
        return entry == Entry{};
    }
}

/// True if a table by operation has an entry, other than the default one, for each operation of these kinds.
template <class Table>
constexpr bool covers(const Table& table, std::initializer_list<OpKind> kinds) {
    for (std::size_t i = 0; i < op_count; ++i)
        for (const OpKind kind : kinds)
            if (op_kinds[i] == kind && is_default(table[i])) return false;
    return true;
}

}  // namespace muster
