// workgroup_body.hpp - what one workgroup does: the plan's steps, a region's loop over subgroups, and control
// flow that the whole workgroup decides.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include <muster/backend-cpu/compiler/lowering/control_flow.hpp>

namespace muster::cpu {

/// The builders for a workgroup's body.
struct BodyBuilders {
    GridPosition& position_;
    WorkgroupScratch& scratch_;
    SharedVariables& shared_;
    Assumptions& assumptions_;
    NodeValues& values_;
    OwnVariables& own_;
    KeptValues& kept_;
    JumpTargets& targets_;
    Prefetches& prefetches_;
    ControlFlow& control_;
};

class WorkgroupBody : KernelPart, BodyBuilders {
  public:
    WorkgroupBody(const KernelPart& kernel, const BodyBuilders& builders)
        : KernelPart(kernel), BodyBuilders(builders) {}
    void lay_out();  // what it needs in scratch
    /// Builds it where the builder is; control then goes to `end`. May be called again.
    void run(BasicBlock* end);

  private:
    struct BoundedIf {
        NodeId node;
        Value* bound;
        bool is_equality;
    };
    void steps(const std::vector<PlanStep>& steps);
    void region(const PlanStep& step);
    std::optional<BoundedIf> bounded_if(const PlanStep& step);
    void bounded_region(const BoundedIf& under, const PlanStep& step);
    bool is_local_index(NodeId value) const;
    void over_subgroups(llvm::function_ref<void()> emit_body, Value* count = nullptr);
    void subgroup(const PlanStep& step, Value* stays);
    void find_local_ids();
    void find_mask(BasicBlock* when_empty);

    void decide(const PlanStep& step);
    void if_(const PlanStep& step);
    void loop(const PlanStep& step);
    void switch_(const PlanStep& step);
    void scope(const PlanStep& step);
    void jump(NodeId node);
    JumpTarget begin_construct(NodeId construct, BasicBlock* leave, BasicBlock* go_on);
    void end_construct(const JumpTarget& target);
    void leave_where_nobody_is(BasicBlock* way_out);
    BasicBlock* way_out() const;

    std::set<NodeId> left_by_regions_;  // constructs that the whole workgroup decides
    BasicBlock* end_ = nullptr;
};

}  // namespace muster::cpu
