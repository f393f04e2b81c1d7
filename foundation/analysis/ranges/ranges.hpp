// ranges.hpp - which accesses stay in bounds, and which branches are decided, before the body runs.
//
// For every access and every branch the answer is: always, under a condition, or unknown. A condition is a
// conjunction of comparisons between expressions that one look at a dispatch or at a workgroup can evaluate:
// they are made of workgroup_id, num_workgroups, lengths of arrays, and entry values (words at fixed places of
// bindings that the program doesn't write). A backend evaluates the conditions that it chose and, where all
// hold, runs a body without the checks that they prove; else the guarded body.
//
//     const Ranges ranges = analyse_ranges(program);
//     const RangeProof proof = ranges.in_bounds(store);              // of if (i < n) { y[i] = ...; }
//     if (proof.known == RangeKnown::under_condition) {
//         const RangeCondition& condition = ranges.conditions()[proof.condition];   // min(64 g + 63, n - 1) < |y|
//         unguarded = holds(condition, evaluate(ranges, facts));
//     }
//
// Claims are independent of each other: each needs only its own condition. Branches have claims under a
// condition only where these are likely to hold with the others: for guards on the invocation's place, the way
// that most take; not for what leaves a loop or depends on its turn.
//
// How it looks: integers are followed as intervals between two expressions, through function and private
// variables of scalar and vector type, counting and halving loops, and the branches that lead to a place.
// Values that might wrap modulo 2^32 are bounded only where the expressions show that they don't.
//
// Threads: values; nothing shared. Cost: near linear in nodes, within a budget: what lies beyond it is
// unknown.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster {

/// On integers of 64 bits. What add, sub and mul yield stops at +-range_limit.
enum class RangeOp : std::uint8_t {
    constant,        // value
    workgroup_low,   // the least workgroup_id asked about, in axis `index` (0, 1, 2)
    workgroup_high,  // the greatest; of a single workgroup both are its own
    num_workgroups,  // in axis `index`
    array_length,    // Ranges::arrays()[index]
    entry_value,     // Ranges::entries()[index]
    add,
    sub,
    mul,
    div,          // toward zero; a divisor below 1 counts as 1
    shift_right,  // of the floor kind; by operand 1, a constant from 0 to 31
    min,
    max,
    select_le,  // operand 0 <= operand 1 ? operand 2 : operand 3
};
inline constexpr std::int64_t range_limit = std::int64_t{1} << 61;  // two of them add up in 64 bits

struct RangeExpressionId {
    std::uint32_t index = UINT32_MAX;
    constexpr auto operator<=>(const RangeExpressionId&) const = default;
};

struct RangeExpression {
    RangeOp op = RangeOp::constant;
    std::uint32_t index = 0;
    std::array<RangeExpressionId, 4> operands = {};  // those that the operation has; they come before it
    std::int64_t value = 0;
    std::int64_t low = 0, high = 0;  // it never lies outside, whatever the facts
};

/// A run-time array: (bytes bound - offset) / stride elements.
struct RangeArray {
    VariableId variable;
    std::uint64_t offset = 0, stride = 1;  // bytes
    bool operator==(const RangeArray&) const = default;
};

/// The i32 or u32 at a byte offset of a binding that the program doesn't write; 0 where fewer bytes are bound.
struct RangeEntry {
    VariableId variable;
    Scalar scalar = Scalar::u32;
    std::uint64_t offset = 0, bytes_needed = 0;
    bool operator==(const RangeEntry&) const = default;
};

/// Holds where low <= high.
struct RangeComparison {
    RangeExpressionId low, high;
    constexpr auto operator<=>(const RangeComparison&) const = default;
};

struct RangeCondition {
    std::vector<RangeComparison> all_of;
    struct Branch {
        NodeId node;
        bool value = false;
    };
    // What it proves: every node whose claim it is.
    std::vector<NodeId> accesses;
    std::vector<Branch> branches;
};

enum class RangeKnown : std::uint8_t { no, under_condition, always };

struct RangeProof {
    RangeKnown known = RangeKnown::no;
    std::uint32_t condition = UINT32_MAX;  // under_condition: index into conditions()
};

class Ranges {
  public:
    /// Of a load, store or atomic: every step of its place. Of a ref_index: this step, wherever the reference is
    /// used. Of an extract_dynamic: its index. (A place without ref_index steps is in bounds always.)
    RangeProof in_bounds(NodeId access) const { return at(in_bounds_, access); }
    /// Of an if_ or break_if: its condition is `value` in every invocation, each time.
    RangeProof decided(NodeId branch, bool value) const { return at(value ? true_ : false_, branch); }

    /// Operands come before users, so that one pass evaluates them all. Only what conditions need is here.
    std::span<const RangeExpression> expressions() const { return expressions_; }
    std::span<const RangeArray> arrays() const { return arrays_; }
    std::span<const RangeEntry> entries() const { return entries_; }
    std::span<const RangeCondition> conditions() const { return conditions_; }

  private:
    friend class RangesMaker;
    static RangeProof at(const std::vector<RangeProof>& all, NodeId id) {
        return id.index < all.size() ? all[id.index] : RangeProof{};
    }
    std::vector<RangeProof> in_bounds_, true_, false_;  // by node
    std::vector<RangeExpression> expressions_;
    std::vector<RangeArray> arrays_;
    std::vector<RangeEntry> entries_;
    std::vector<RangeCondition> conditions_;
};

/// Precondition: the program is valid.
Ranges analyse_ranges(const Program& program);

/// What expressions are made of, as a launch or one of its workgroups finds it.
struct RangeFacts {
    Extent3 workgroup_low{0, 0, 0}, workgroup_high{0, 0, 0};  // inclusive
    Extent3 num_workgroups;
    std::span<const std::span<const std::byte>> bindings;  // in Program::bindings() order
};

/// The values of expressions(), by index: what each operation means. Precondition: every binding of the
/// program is given, none smaller than its type.
std::vector<std::int64_t> evaluate(const Program& program, const Ranges& ranges, const RangeFacts& facts);
bool holds(const RangeCondition& condition, std::span<const std::int64_t> values);

}  // namespace muster
