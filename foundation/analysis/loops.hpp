// loops.hpp - finds the counters of loops, the tests that end loops, and bounds on how often loops run.
//
// Whether a loop ends and how often it runs are one question: a loop with a maximal trip count ends. The
// range analysis asks another, in which interval a variable stays while bounds are known only at dispatch; it
// shares how changes of variables are found, and concludes for itself.
//
//     const Loops loops(program);
//     loops.max_trip_count(loop);   // for (var i = 0u; i < 10; i += 3) {}: 5; for (var i = 0u; i < n; i++) {}: 2^32
//
// Threads: values; a Loops refers to its program. Cost: linear in the program to make. A query is linear in
// the loop's own statements and, for each of its tests, at most in the counter's assignments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A value of the form `v op by`, where v is a variable's own value.
struct OwnUpdate {
    Op op;
    NodeId by;
};
/// Returns nothing if `value` has another form. `is_own` says whether an operand is v; exactly one must be,
/// and in operations other than add, mul, min and bit_and it must be the first.
template <class IsOwn>
std::optional<OwnUpdate> own_update(const Program& program, NodeId value, IsOwn&& is_own) {
    const auto operands = program.operands(value);
    if (operands.size() != 2) return {};
    const bool left = is_own(operands[0]), right = is_own(operands[1]);
    const Op op = program.node(value).op;
    const bool commutes = op == Op::add || op == Op::mul || op == Op::min || op == Op::bit_and;
    if (left == right || (right && !commutes)) return {};
    return OwnUpdate{op, operands[left ? 1 : 0]};
}

/// A comparison of an i32 or u32 function variable, the counter, with anything. Every iteration makes it,
/// unless it has left the loop before.
struct LoopTest {
    NodeId node;                // the if_ or break_if
    NodeId comparison;          // an operation from eq to ge
    std::uint32_t counter = 0;  // index of the operand that loads the counter, in the same iteration
    bool leaves = false;        // the comparison's result that leaves the loop
};

class Loops {
  public:
    struct Assignment {
        NodeId node;  // a store to a variable or a part of it, or its declaration
        NodeId loop;  // the innermost loop around it, if there is one
    };

    /// Precondition: the program's structure is valid.
    explicit Loops(const Program& program);

    /// All assignments of a variable, in program order.
    std::span<const Assignment> assignments(VariableId variable) const {
        return assignments_[variable.index];
    }
    /// The assignments that are in the loop, at any depth. Precondition: `all` is in program order.
    std::span<const Assignment> inside(NodeId loop, std::span<const Assignment> all) const;

    // Placed nodes.
    bool precedes(NodeId a, NodeId b) const { return position_[a.index] < position_[b.index]; }
    bool is_inside(NodeId loop, NodeId node) const;  // at any depth
    /// True if every iteration reaches the node once, unless it has left the loop before.
    bool is_in_each_iteration(NodeId loop, NodeId node) const;

    /// In program order; two for a comparison of two counters.
    std::vector<LoopTest> tests(NodeId loop) const;

    /// Upper bound of the iterations begun each time the loop is entered, at most 2^32; nothing if the loop
    /// isn't shown to end. It presumes that loops inside end. Arithmetic wraps. A bound that isn't constant
    /// may be any value, and another in each iteration. Found are loops with a test whose counter changes
    /// once in each iteration: by a constant step that can't wrap past the bound, or by division or
    /// multiplication by a constant.
    std::optional<std::uint64_t> max_trip_count(NodeId loop) const;

  private:
    struct Extent {
        std::uint32_t begin = 0, end = 0;           // positions
        NodeId around;                              // the innermost loop around this one
        std::vector<std::uint32_t> continues = {};  // positions of the jumps to its continuing block
    };
    void walk(BlockId block, NodeId loop);
    bool may_continue(const Extent& loop, std::uint32_t begin, std::uint32_t end) const;
    bool leaves(const Extent& loop, BlockId block) const;
    bool is_load_of_counter(NodeId loop, NodeId value) const;
    bool keeps_value(NodeId loop, VariableId counter) const;
    std::optional<std::uint64_t> passes(NodeId loop, const LoopTest& test) const;

    const Program& program_;
    std::uint32_t positions_ = 0;
    std::vector<std::uint32_t> position_;                // by placed node
    std::vector<BlockId> block_;                         // by placed node
    std::vector<std::vector<Assignment>> assignments_;   // by variable
    std::unordered_map<std::uint32_t, Extent> extents_;  // by loop
};

MUSTER_API_END
}  // namespace muster
