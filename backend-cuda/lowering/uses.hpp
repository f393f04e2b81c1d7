// uses.hpp - how often each value is used and where: which may be written in the place where they are used, and which
// variables and values a loop's continuing block has from its body. Threads: pure.
#pragma once

#include <cstdint>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster::cuda {

class Uses {
  public:
    explicit Uses(const Program& program);

    std::uint32_t count(NodeId value) const { return uses_[value.index].count; }
    /// The block where a placed node stands; of a variable: where it is declared, none where in several.
    BlockId block(NodeId placed) const { return uses_[placed.index].home; }
    BlockId block(VariableId variable) const { return declared_[variable.index]; }
    /// It is used once, in its own block, by a node that stands in the same line of the source.
    bool once_here(NodeId value) const;

    /// Operands, and what references among them are made of, as often as they stand there.
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
    /// What a loop's continuing block uses that its body makes.
    Shared kept_for_continuing(NodeId loop) const;

  private:
    struct Use {
        std::uint32_t count = 0;
        NodeId user;  // the last: a placed node
        BlockId home;
    };
    void walk(BlockId block);
    BlockId home_of_user(const Use& use) const { return uses_[use.user.index].home; }

    const Program& program_;
    std::vector<Use> uses_;          // by node
    std::vector<BlockId> declared_;  // by variable
};

}  // namespace muster::cuda
