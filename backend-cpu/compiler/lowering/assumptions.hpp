// assumptions.hpp - a second body without bounds checks, for workgroups that meet the conditions of
// foundation/analysis/ranges/ranges.hpp; these are tested once per workgroup. In a grid of several axes many
// workgroups may lie at an edge, so there each subgroup of one that doesn't meet them tests its own.
#pragma once

#include <array>
#include <optional>
#include <span>

#include <muster/backend-cpu/compiler/lowering/shared_variables.hpp>
#include <muster/foundation/analysis/ranges/ranges.hpp>

namespace muster::cpu {

class Assumptions : KernelPart {
  public:
    Assumptions(const KernelPart& kernel, const GridPosition& position, SharedVariables& shared)
        : KernelPart(kernel), position_(position), shared_(shared), ranges_(analyse_ranges(program_)) {}

    /// Calls `emit_body` for a body that relies on the conditions, where they hold, and for one with
    /// checks; or for one alone.
    void around_workgroup(llvm::function_ref<void()> emit_body);
    /// Within a workgroup's body, the same for a subgroup's.
    void around_subgroup(llvm::function_ref<void()> emit_body);

    /// True in the body that relies on the conditions.
    bool hold() const { return assumed_; }
    bool is_proven(NodeId access) const;
    /// The way that an if_ takes in this body, if it is always the same.
    std::optional<bool> decided(NodeId branch) const;
    /// Sets the if_ that all lanes take in the code being built; none: {}.
    void set_taken_by_all(NodeId branch) { taken_by_all_ = branch; }

  private:
    using Box = std::array<Value*, 3>;  // which one of the grid's
    void in_two_bodies(Value* all_hold, llvm::function_ref<void()> emit_body);
    std::optional<Ranges> ranges_of_subgroups() const;
    Box subgroup_in_grid();
    bool holds(RangeKnown known) const {
        return known == RangeKnown::always || (assumed_ && known == RangeKnown::under_condition);
    }
    Value* all_hold(const Box& box);
    Value* value_of(const RangeExpression& expression, std::span<Value* const> before, const Box& box);
    Value* limited(Value* value, const RangeExpression& expression);
    Value* value_of(const RangeEntry& entry);

    const GridPosition& position_;
    SharedVariables& shared_;
    Ranges ranges_;
    NodeId taken_by_all_;
    bool assumed_ = false;
    bool tests_subgroups_ = false;  // building a body in which each subgroup tests the conditions
};

}  // namespace muster::cpu
