// uses.hpp - counts the uses of each value, to decide which values can be written inline.
//
// Also finds the values and variables of a loop's body that its continuing block uses. Threads: pure.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster::c_text {

class Uses {
  public:
    explicit Uses(const Program& program);

    std::uint32_t count(NodeId value) const { return uses_[value.index].count; }
    /// The block that contains a placed node, or that declares a variable.
    BlockId block(NodeId placed) const { return uses_[placed.index].home; }
    BlockId block(VariableId variable) const { return declared_[variable.index]; }
    /// True if the value is used once, in its own block, by a node of the same source line.
    bool once_here(NodeId value) const;

    /// Visits the operands, and those of free nodes among them, once per occurrence.
    template <class Visit>
    void for_each_used(NodeId node, Visit&& visit) const {
        for (const NodeId operand : program_.operands(node)) {
            visit(operand);
            if (info(program_.node(operand).op).group == OpGroup::free) for_each_used(operand, visit);
        }
    }

    struct Shared {
        std::vector<NodeId> values;
        std::vector<VariableId> variables;
        bool empty() const { return values.empty() && variables.empty(); }
    };
    /// Values and variables that a loop's continuing block uses and its body makes.
    Shared kept_for_continuing(NodeId loop) const;

  private:
    struct Use {
        std::uint32_t count = 0;
        NodeId user;  // a placed node; the last one if there are several
        BlockId home;
    };
    void walk(BlockId block);
    BlockId home_of_user(const Use& use) const { return uses_[use.user.index].home; }

    const Program& program_;
    std::vector<Use> uses_;          // by node
    std::vector<BlockId> declared_;  // by variable
};

}  // namespace muster::c_text
