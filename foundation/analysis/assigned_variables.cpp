#include <algorithm>

#include <muster/foundation/analysis/assigned_variables.hpp>

namespace muster {
namespace {

class FindAssigned {
  public:
    FindAssigned(const Program& program, bool also_private, std::size_t budget)
        : program_(program),
          also_private_(also_private),
          budget_(budget),
          declared_in_(program.variables().size(), 0) {}

    std::optional<AssignedVariables> run() {
        std::vector<VariableId> all;
        block(program_.body(), 1, all);
        return spent_ > budget_ ? std::nullopt : std::optional(std::move(assigned_));
    }

  private:
    // `depth` is the number of control nodes around the block; declared_in_ records it for each declaration.
    void block(BlockId id, std::uint32_t depth, std::vector<VariableId>& stored) {
        for (const NodeId node : program_.block(id)) {
            if (spent_ > budget_) return;
            const Op op = program_.node(node).op;
            if (op == Op::declare) declared_in_[program_.node(node).payload] = depth;
            if (op == Op::store) stored.push_back(program_.root_variable(program_.operand(node, 0)));
            if (program_.blocks(node).empty()) continue;
            std::vector<VariableId> inside;
            for (const BlockId inner : program_.blocks(node)) block(inner, depth + 1, inside);
            std::ranges::sort(inside);
            inside.erase(std::unique(inside.begin(), inside.end()), inside.end());
            std::erase_if(inside, [&](VariableId variable) {
                return !is_followed(variable) || declared_in_[variable.index] > depth;
            });
            spent_ += inside.size();
            stored.insert(stored.end(), inside.begin(), inside.end());
            if (!inside.empty()) assigned_.emplace(node.index, std::move(inside));
        }
    }

    bool is_followed(VariableId variable) const {
        const AddressSpace space = program_.variable(variable).space;
        return space == AddressSpace::function || (also_private_ && space == AddressSpace::private_);
    }

    const Program& program_;
    bool also_private_;
    std::size_t budget_, spent_ = 0;
    std::vector<std::uint32_t> declared_in_;
    AssignedVariables assigned_;
};

}  // namespace

std::optional<AssignedVariables> assigned_variables(const Program& program, bool also_private,
                                                    std::size_t budget) {
    return FindAssigned(program, also_private, budget).run();
}

}  // namespace muster
