// shape.hpp - which control flow of a program with grid barriers the host walks, and which stays in the parts.
// Internal to the splitter.
//
// The host walks a construct (if_, switch_, loop, scope) that has a grid barrier in it, that is around one, or that all
// invocations leave together past such a one: all that decides it is uniform over the grid. What the host walks is said
// to be on its level; a construct that isn't walked is one statement there, run by the devices.
#pragma once

#include <vector>

#include <muster/foundation/program.hpp>
#include <muster/foundation/uniformity.hpp>

namespace muster::split {

class Shape {
  public:
    explicit Shape(const Program& program);

    /// A construct that the host walks.
    bool is_walked(NodeId construct) const { return walked_[construct.index]; }
    /// A placed node that stands in a block that the host walks.
    bool is_on_level(NodeId placed) const { return on_level_[placed.index]; }
    /// The construct that a break_ or continue_ leaves or continues.
    NodeId target(NodeId jump) const { return target_[jump.index]; }
    /// Whether all invocations that are still there get to a placed node, or none.
    bool is_uniform(NodeId placed) const { return uniformity_.of_control(placed) == UniformOver::grid; }

    /// Walks also the constructs around a return_ that all take together, where each of their conditions is one that
    /// `decides` says the host can evaluate: so it doesn't go on where nobody is left. True: something has changed.
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

  private:
    bool find(BlockId block, NodeId around);
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

    const Program& program_;
    Uniformity uniformity_;
    std::vector<bool> walked_, on_level_;
    std::vector<NodeId> target_, parent_;  // parent: the construct around a placed node
    std::vector<NodeId> jumps_, returns_;
};

}  // namespace muster::split
