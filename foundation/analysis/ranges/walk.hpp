// walk.hpp - walks the body once and records the proofs that accesses stay in bounds and branches are
// decided. Internal to the range analysis.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <muster/foundation/analysis/assigned_variables.hpp>
#include <muster/foundation/analysis/flow_walk.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/analysis/ranges/evaluator.hpp>
#include <muster/foundation/analysis/ranges/knowledge.hpp>

namespace muster::ranges {

/// A loop's counter: in each turn, a value of `start` plus a multiple of `by` that isn't negative,
/// unless one of `only_if` fails.
struct Counter {
    Interval start;
    Expression by;
    std::vector<RangeComparison> only_if;
};

/// By node: the claim that proves it; absent if the walk didn't reach the node.
using Claims = std::vector<std::optional<Claim>>;

/// The slots that a construct may store to, where control flow meets.
struct Meeting {
    std::vector<std::uint32_t> slots;
    std::vector<ValueId> before = {};
    std::vector<ValueId> values = {};      // invalid: they differ
    std::vector<Interval> intervals = {};  // of integer slots
    std::uint32_t ways = 0;
    // Of if_ and switch_: what decides; of if_: the values at its blocks' ends.
    ValueId condition = {};
    std::array<std::vector<ValueId>, 2> after = {};
    std::array<bool, 2> goes_on = {};
};

class Walk final : FlowWalk<Meeting> {
  public:
    explicit Walk(const Program& program);
    /// For boxes of so many invocations instead of workgroups.
    Walk(const Program& program, Extent3 box);
    void run();

    /// Called for each place of a load, a store, an atomic or an extension that the walk reaches,
    /// with what is known there.
    std::function<void(NodeId user, NodeId reference)> at_place;

    Claims in_bounds, is_true, is_false;
    /// The counter that a value is; null if it is none.
    const Counter* counter(ValueId value) const {
        const auto found = counters_.find(value.index);
        return found == counters_.end() ? nullptr : &found->second;
    }
    const Expressions& expressions() const { return e_; }
    const Evaluator& evaluator() const { return *evaluator_; }
    Expressions& expressions() { return e_; }
    Intervals& intervals() { return intervals_; }
    Evaluator& evaluator() { return *evaluator_; }
    Knowledge& knowledge() { return knowledge_; }
    Values& values() { return values_; }

  private:
    // The interval of a slot in a loop.
    struct Motion {
        Interval start;    // before the loop, joined with the values set in it
        Interval in_turn;  // in iterations that the guards let continue, joined with the values set
    };
    struct Step;

    std::vector<std::uint32_t> assigned(NodeId control) const;
    std::vector<ValueId> states(const std::vector<std::uint32_t>& slots);
    void restore(const std::vector<std::uint32_t>& slots, const std::vector<ValueId>& states);
    void operation(NodeId id) override;

    Meeting meeting(NodeId construct) override;
    Meeting meeting_of_continues(NodeId loop) override;
    void rewind(const Meeting& at) override { restore(at.slots, at.before); }
    void arrive(Meeting& at) override;
    void resume(Meeting& at) override;
    void resume_continuing(Meeting& at) override;

    void reach(NodeId id) override;
    void open(const Edge& edge, const Meeting& behind) override;
    void close(const Edge& edge, Meeting& behind, Ways ways) override;
    void pass(NodeId construct, const Meeting& behind, Ways ways) override;
    void break_if(NodeId id, Targets& loop) override;

    void check_place(NodeId user, NodeId reference);
    void note(Claims& claims, NodeId id, Claim claim);
    void note_branch(NodeId id);
    bool leaves_loop(BlockId block);
    bool is_usual(BlockId block, BlockId other) const;

    // Loops: walk_loops.cpp.
    void begin_loop(NodeId loop, Meeting& behind) override;
    std::vector<Interval> guarded(NodeId loop, const std::vector<std::uint32_t>& slots);
    std::vector<std::uint32_t> stored(NodeId node) const;
    bool is_guard(NodeId node, int& budget) const;
    std::span<const Loops::Assignment> assignments_in(NodeId loop, std::uint32_t slot) const {
        return loops_.inside(loop, assignments_[slot]);
    }
    Interval moved(NodeId loop, std::uint32_t slot, Interval initial, Interval guarded);
    void note_counter(ValueId value, const Step& step, const Motion& motion, Scalar type);
    Step step(NodeId loop, std::uint32_t slot, NodeId assignment);
    Interval shrunk(const Motion& motion, Scalar type);
    Interval counted(std::span<const Step> steps, const Motion& motion, Scalar type);
    Interval grown(const Step& step, const Motion& motion, Scalar type);
    Interval where(std::span<const RangeComparison> all_hold, Interval then, Scalar type);

    const Program& program_;
    Loops loops_;
    Expressions e_;
    Intervals intervals_;
    Values values_;
    Extent3 box_;
    Knowledge knowledge_;
    std::optional<Evaluator> evaluator_;
    AssignedVariables assigned_;
    std::vector<std::vector<Loops::Assignment>> assignments_;  // by slot, in program order
    std::unordered_map<std::uint32_t, Counter> counters_;      // by value
    bool is_rehearsal_ = false;                                // records nothing
};

/// The walk's expressions that are wanted, with what they refer to; each wanted id
/// becomes the one in the table.
RangeTable table_of(const Walk& walk, std::span<RangeExpressionId* const> wanted);

}  // namespace muster::ranges
