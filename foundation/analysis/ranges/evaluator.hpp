// evaluator.hpp - maps nodes of the program to values, component by component.
// Internal to the range analysis.
//
// Follows function and private variables of scalar and vector type: each component is a slot that holds its
// value at the walk's current point. A load has the slot's value at the time when the walk visits it; all
// other values follow from operands.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include <muster/foundation/analysis/ranges/values.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::ranges {

class Evaluator {
  public:
    /// Symbols of workgroups stand for boxes of so many invocations. If `follow` is false
    /// no variable is followed.
    Evaluator(const Program& program, Extent3 box, Values& values, Expressions& expressions, bool follow);

    /// Evaluates a placed node that the walk has reached; replaces what an earlier visit found.
    void visit(NodeId node);
    /// A component of an i32, u32 or bool value; none for other types.
    ValueId component(NodeId node, std::uint32_t which = 0);
    /// The number of elements that an index into `place_or_value` can select from; empty if it isn't known.
    std::optional<Expression> length(NodeId place_or_value);

    // Slots.
    struct SlotRange {
        std::uint32_t slot = 0, count = 0;  // count 0: the place isn't followed
        bool is_exact = false;              // all of these slots; else one of them or none
    };
    SlotRange slots(NodeId reference) const;
    SlotRange slots(VariableId variable) const {
        return {first_[variable.index], width_[variable.index], true};
    }
    Scalar scalar(std::uint32_t slot) const { return scalar_[slot]; }
    ValueId& at(std::uint32_t slot) { return state_[slot]; }
    std::size_t slot_count() const { return state_.size(); }
    ValueId opaque(Scalar type) { return values_.opaque(type, intervals_.of(type)); }
    void declare(NodeId node);
    void store(NodeId node);

    /// Evaluates a node of a loop that the walk is about to enter: its value in every iteration, opaque if it
    /// depends on a slot that changes in the loop.
    ValueId look_ahead(NodeId node, const std::function<bool(std::uint32_t slot)>& changes);

    const std::vector<RangeArray>& arrays() const { return arrays_; }
    const std::vector<RangeEntry>& entries() const { return entries_; }

  private:
    struct Fixed {  // a place in a binding that the program doesn't write
        VariableId variable;
        std::uint64_t offset = 0, needed = 0;
    };
    ValueId make(NodeId node, std::uint32_t which);
    ValueId constant(NodeId node, std::uint32_t which);
    ValueId builtin(Builtin builtin, std::uint32_t which);
    ValueId extract(NodeId node);
    ValueId load(NodeId node, std::uint32_t which);
    ValueId convert(NodeId node, std::uint32_t which);
    ValueId all_of(NodeId node, Op joined_by);
    ValueId operation(NodeId node, std::uint32_t which);
    ValueId entry(const Fixed& at, Scalar type);
    bool is_whole_workgroup(std::uint32_t axis) const;
    ValueId id_in_box(std::uint32_t axis);
    std::optional<Fixed> fixed_place(NodeId reference) const;
    std::optional<Fixed> fixed_value(NodeId value) const;
    std::optional<Fixed> fixed_step(Fixed from, TypeId type, std::uint32_t which) const;
    std::uint32_t width(NodeId node) const;

    const Program& program_;
    const Extent3 box_;  // the invocations that the symbols call a workgroup
    Values& values_;
    Expressions& e_;
    Intervals intervals_;
    std::vector<std::array<ValueId, 4>> known_;  // by node
    std::vector<std::uint32_t> first_, width_;   // by variable: slots
    std::vector<Scalar> scalar_;                 // by slot
    std::vector<ValueId> state_;                 // by slot
    std::vector<RangeArray> arrays_;
    std::vector<RangeEntry> entries_;
    int depth_ = 0;
    const std::function<bool(std::uint32_t)>* changes_ = nullptr;  // while looking ahead
    std::vector<NodeId> looked_at_;
};

}  // namespace muster::ranges
