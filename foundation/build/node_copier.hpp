// node_copier.hpp - copies nodes from one program into another that is being built; every rewrite uses it.
//
//     NodeCopier copier(from, to);
//     copier.set(old_load, made);                    // `made` replaces it from now on
//     NodeId sum = copier.copy(old_sum);             // its operands are the copies of the old node's
//
// Placed nodes are copied on request; free ones (constants, built-in values, references) when they are first
// met. Variables have the same ids in both programs: call variables() before adding any. Threads: one.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

/// Changes a variable of the new program, with the old one's id, before it is added.
using VariableHook = std::function<void(IrBuilder& ir, VariableId id, Variable& variable)>;

class NodeCopier {
  public:
    NodeCopier(const Program& from, IrBuilder& to) : from_(from), to_(to), node_(from.node_count()) {}

    TypeId type(TypeId id) { return to_.types().import(from_.types(), id); }
    /// Adds all variables of the old program, in order, once `change` has been called with each.
    void variables(const VariableHook& change = {});

    /// Returns the copy of a node. Precondition: a placed node has been copied or set.
    NodeId get(NodeId old);
    std::vector<NodeId> operands(NodeId old);
    bool has(NodeId old) const { return static_cast<bool>(node_[old.index]); }
    void set(NodeId old, NodeId made);
    /// Copies a placed node that isn't control flow; `with` are its operands in the new program.
    NodeId copy(NodeId old) { return copy(old, operands(old)); }
    NodeId copy(NodeId old, std::span<const NodeId> with);
    /// From now on control flow at the copies of subgroup operations isn't proven again
    /// where it was at the old ones.
    void keep_uniformity() { keeps_uniformity_ = true; }

    /// Copies an if_, loop, switch_ or scope; calls `block(id)` to copy the contents of each block of the old
    /// one.
    template <class Block>
    void construct(NodeId old, const Block& block);
    /// Copies a break_, continue_, break_if or return_.
    void jump(NodeId old);

  private:
    NodeId free_node(NodeId old);
    NodeId made_of(NodeId old, std::span<const NodeId> with);
    NodeId memory(const Node& node, std::span<const NodeId> with);
    NodeId atomic(const Node& node, std::span<const NodeId> with);
    NodeId value(const Node& node, std::span<const NodeId> with);

    const Program& from_;
    IrBuilder& to_;
    std::vector<NodeId> node_;  // old to new
    bool keeps_uniformity_ = false;
};

template <class Block>
void NodeCopier::construct(NodeId old, const Block& block) {
    const Op op = from_.node(old).op;
    const std::vector<NodeId> made = operands(old);
    const auto blocks = from_.blocks(old);
    if (op == Op::if_) {
        to_.begin_if(made[0]);
        block(blocks[0]);
        to_.begin_else();
        block(blocks[1]);
        to_.end_if();
    } else if (op == Op::loop) {
        to_.begin_loop();
        block(blocks[0]);
        to_.begin_continuing();
        block(blocks[1]);
        to_.end_loop();
    } else if (op == Op::switch_) {
        to_.begin_switch(made[0]);
        for (const SwitchCase& part : from_.switch_cases(old)) {
            to_.begin_case(part.selectors, part.is_default);
            block(part.block);
        }
        to_.end_switch();
    } else {
        to_.begin_scope();
        block(blocks[0]);
        to_.end_scope();
    }
}

}  // namespace muster
