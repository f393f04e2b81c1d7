// control_flow.hpp - the nodes of a region, in order, and control flow among them. If all active lanes agree,
// a branch stays a branch; if they may not, both sides run under masks, each behind a branch that skips it
// when no lane takes it. Every block has a target for the case that its last lane has left, so code always
// runs with at least one active lane.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include <muster/backend-cpu/compiler/lowering/atomics.hpp>
#include <muster/backend-cpu/compiler/lowering/debug_info.hpp>
#include <muster/backend-cpu/compiler/lowering/kept_values.hpp>
#include <muster/backend-cpu/compiler/lowering/own_variables.hpp>

namespace muster::cpu {

/// The builders for the nodes of a region.
struct NodeBuilders {
    WorkgroupScratch& scratch_;
    const Assumptions& assumptions_;
    NodeValues& values_;
    OwnVariables& own_;
    KeptValues& kept_;
    JumpTargets& targets_;
    SharedAccess& access_;
    Atomics& atomics_;
};

class ControlFlow : KernelPart, NodeBuilders {
  public:
    ControlFlow(const KernelPart& kernel, const NodeBuilders& builders)
        : KernelPart(kernel), NodeBuilders(builders) {}
    /// From now on, instructions record their node. `given`: by node, that of the
    /// program that `debug` is for.
    void record_nodes(DebugInfo& debug, std::vector<NodeId> given);

    void run(NodeId node);
    /// Builds a region's nodes, from which control goes to `end` once every lane has left.
    void run_region(std::span<const NodeId> nodes, BasicBlock* end);

  private:
    void run_block(BlockId id, BasicBlock* when_empty);
    void run_nodes(std::span<const NodeId> nodes, BasicBlock* when_empty);
    void run_one(NodeId node);
    void show_value(NodeId node);
    void access_memory(NodeId node);
    void decide(NodeId node);

    void if_(NodeId node);
    void scope(NodeId node);
    bool is_cheap(BlockId id) const;
    bool is_built_twice(BlockId id) const;
    Value* all_take(NodeId branch);
    Value* holds_for_all(NodeId condition);
    void jump(NodeId node);
    void break_if(NodeId node);
    void leave_region(NodeId jump, const JumpTarget* target);
    void end_construct(const JumpTarget& target, Value* before);

    void switch_(NodeId node);
    void branch_to_case(Value* selector, std::span<const SwitchCase> cases, const JumpTarget& target);
    void mask_cases(Value* selected, std::span<const SwitchCase> cases, const JumpTarget& target);
    void run_case(BlockId id, Value* lanes, const JumpTarget& target, BasicBlock* next);
    void leave_switch(const JumpTarget& target, BasicBlock* next);

    // Loops (loops.cpp): as they are, or built in another way.
    struct LeavingTest {
        std::size_t at;  // its if_, among the nodes of the loop's body
        NodeId stays;    // lanes for which this is false leave
    };
    using Slots = std::set<Value*>;
    void loop(NodeId node);
    void one_loop(NodeId node);
    void pass_body_in_slots(NodeId loop);
    std::optional<LeavingTest> leaving_test(NodeId loop) const;
    void whole_turns(NodeId loop, const LeavingTest& test);
    std::vector<Slots> groups_of_sums(NodeId loop) const;
    std::vector<Slots> grouped_by_loads(NodeId loop, std::vector<Value*> slots, std::size_t count) const;
    void one_loop_per_group(NodeId loop, const std::vector<Slots>& groups);
    bool is_loop_of_updates(NodeId loop) const;
    bool is_uniform_access(NodeId node) const;
    void one_loop_per_lane(NodeId loop);

    DebugInfo* debug_ = nullptr;
    std::vector<NodeId> given_;  // by node
    BasicBlock* end_of_region_ = nullptr;
};

/// True for loops that turn seldom around little code. Unrolled, the steps of a tree reduction each have a
/// known number of subgroups, and what one writes to workgroup memory stays in registers for the next.
std::optional<std::uint64_t> turns_of_short_loop(const Program& program, NodeId loop);

}  // namespace muster::cpu
