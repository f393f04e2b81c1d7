#include <algorithm>
#include <optional>

#include <muster/backend-vulkan/parting_loops.hpp>
#include <muster/foundation/assigned_variables.hpp>
#include <muster/foundation/uniformity.hpp>

namespace muster::vulkan {
namespace {

// Of variables and loops that store to them; beyond it every loop counts as storing to something.
constexpr std::size_t budget = 1 << 20;

class Search {
  public:
    explicit Search(const Program& program)
        : program_(program), found_(program.node_count()), loads_(program.variables().size()) {}

    std::vector<bool> run() && {
        bool any = false;
        for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
            any = any || program_.node({i}).op == Op::loop;
            if (program_.node({i}).op == Op::load) ++loads_[root({i}).index];
        }
        if (!any) return std::move(found_);
        uniformity_.emplace(analyse(program_));
        assigned_ = assigned_variables(program_, true, budget);
        for (std::uint32_t i = 0; i < program_.node_count(); ++i)
            if (program_.node({i}).op == Op::loop)
                found_[i] = parts({i}) && reads(NodeId{i}) && brings_out({i});
        return std::move(found_);
    }

  private:
    template <class Holds>
    bool any_within(NodeId node, Holds holds) const {
        for (const BlockId block : program_.blocks(node))
            for (const NodeId inner : program_.block(block))
                if (holds(inner) || any_within(inner, holds)) return true;
        return false;
    }
    VariableId root(NodeId access) const { return program_.root_variable(program_.operand(access, 0)); }
    bool is_uniform(NodeId value) const { return uniformity_->of(value) != UniformOver::nothing; }

    bool jumps(NodeId node) const {
        return any_within(node, [&](NodeId inner) {
            const Op op = program_.node(inner).op;
            return op == Op::break_ || op == Op::continue_ || op == Op::return_;
        });
    }
    // Where what decides on a jump differs.
    bool parts(NodeId loop) const {
        return any_within(loop, [&](NodeId inner) {
            const Op op = program_.node(inner).op;
            if (op == Op::break_if) return !is_uniform(program_.operand(inner, 0));
            return (op == Op::if_ || op == Op::switch_) && !is_uniform(program_.operand(inner, 0)) &&
                   jumps(inner);
        });
    }
    bool reads(NodeId loop) const {
        return any_within(loop, [&](NodeId inner) {
            const Op op = program_.node(inner).op;
            if (info(op).group == OpGroup::atomic) return true;
            if (op != Op::load) return false;
            const AddressSpace space = program_.variable(root(inner)).space;
            return space != AddressSpace::function && space != AddressSpace::private_;
        });
    }
    bool brings_out(NodeId loop) const {
        if (!assigned_) return true;
        const auto stored = assigned_->find(loop.index);
        if (stored == assigned_->end()) return false;
        std::vector<std::uint32_t> inside(loads_.size());
        any_within(loop, [&](NodeId inner) {
            if (program_.node(inner).op == Op::load) ++inside[root(inner).index];
            return false;
        });
        return std::ranges::any_of(stored->second,
                                   [&](VariableId one) { return inside[one.index] < loads_[one.index]; });
    }

    const Program& program_;
    std::vector<bool> found_;
    std::vector<std::uint32_t> loads_;  // by variable
    std::optional<Uniformity> uniformity_;
    std::optional<AssignedVariables> assigned_;
};

}  // namespace

std::vector<bool> parting_loops(const Program& program) { return Search(program).run(); }

}  // namespace muster::vulkan
