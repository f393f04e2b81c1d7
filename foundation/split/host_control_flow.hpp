// host_control_flow.hpp - decides which control flow of a program with grid barriers the host walks and which
// stays in the parts. Internal to the splitter.
//
// The host walks a construct (if_, switch_, loop, scope) that contains a grid barrier, and constructs that
// all invocations leave together by a jump out of a walked one: all conditions involved are uniform over the
// grid. Statements of blocks that the host walks are on the host's level; a construct that isn't walked is
// one statement there, run by the devices.
#pragma once

#include <vector>

#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::split {

class HostControlFlow {
  public:
    explicit HostControlFlow(const Program& program);

    /// True for a construct that the host walks.
    bool is_walked(NodeId construct) const { return walked_[construct.index]; }
    /// True for a placed node in a block that the host walks.
    bool is_on_level(NodeId placed) const { return on_level_[placed.index]; }
    /// The construct that a break_ or continue_ leaves or continues.
    NodeId target(NodeId jump) const { return target_[jump.index]; }
    /// True if either all remaining invocations reach a placed node, or none.
    bool is_uniform(NodeId placed) const { return uniformity_.of_control(placed) == UniformOver::grid; }

    /// Also walks the constructs around a return_ that all invocations take together, if `decides` is true
    /// for each of their conditions (the host can evaluate it): so the host stops when no invocation is left.
    /// Returns true if anything has changed.
    template <class Decides>
    bool walk_to_returns(const Decides& decides) {
        bool changed = false;
        for (const NodeId jump : returns_) {
            if (!is_uniform(jump) || !all_decided(jump, decides)) continue;
            changed |= walk_around(jump, NodeId{});
        }
        if (changed) close();
        return changed;
    }

    /// Also walks a branch that is all that happens between two barriers, if `decides` is true for its
    /// condition: so each side becomes a smaller part of its own. `is_free` is true for nodes that need no
    /// part. Returns true if anything has changed.
    template <class Decides, class IsFree>
    bool walk_lone_branches(const Decides& decides, const IsFree& is_free) {
        std::vector<NodeId> lone;
        find_lone_branches(program_.body(), is_free, lone);
        std::erase_if(lone, [&](NodeId branch) { return !decides(program_.operand(branch, 0)); });
        for (const NodeId branch : lone) walked_[branch.index] = true;
        if (!lone.empty()) close();
        return !lone.empty();
    }

  private:
    bool find(BlockId block, NodeId around);
    bool may_be_walked(NodeId branch) const;
    void close();
    bool walk_around(NodeId jump, NodeId target);
    void mark_level(BlockId block);

    template <class Decides>
    bool all_decided(NodeId jump, const Decides& decides) const {
        for (NodeId at = parent_[jump.index]; at && !walked_[at.index]; at = parent_[at.index]) {
            const Op op = program_.node(at).op;
            if (op == Op::loop) return false;
            if (op != Op::scope && !decides(program_.operand(at, 0))) return false;
        }
        return true;
    }

    template <class IsFree>
    void find_lone_branches(BlockId block, const IsFree& is_free, std::vector<NodeId>& lone) const {
        std::vector<NodeId> busy;  // since the last barrier
        const auto end_interval = [&] {
            if (busy.size() == 1 && may_be_walked(busy[0])) lone.push_back(busy[0]);
            busy.clear();
        };
        for (const NodeId node : program_.block(block)) {
            if (walked_[node.index]) {
                for (const BlockId inner : program_.blocks(node)) find_lone_branches(inner, is_free, lone);
                end_interval();
            } else if (is_grid_barrier(program_, node)) {
                end_interval();
            } else if (!is_free(node)) {
                busy.push_back(node);
            }
        }
        end_interval();
    }

    const Program& program_;
    Uniformity uniformity_;
    std::vector<bool> walked_, on_level_;
    std::vector<NodeId> target_, parent_;  // parent: the construct around a placed node
    std::vector<NodeId> jumps_, returns_;
};

}  // namespace muster::split
