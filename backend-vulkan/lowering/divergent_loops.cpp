#include <algorithm>
#include <optional>

#include <muster/backend-vulkan/lowering/divergent_loops.hpp>
#include <muster/foundation/analysis/assigned_variables.hpp>
#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::vulkan {
namespace {

// Limit on pairs of a variable and a loop that stores to it; beyond it, every loop counts
// as storing to something.
constexpr std::size_t budget = 1 << 20;
// Operations of a condition that are followed.
constexpr int most_followed = 64;

class Search {
  public:
    Search(const Program& program, const Loops& loops)
        : program_(program),
          loops_(loops),
          found_(program.node_count()),
          loads_(program.variables().size()) {}

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
    VariableId root(NodeId access) const { return program_.root_variable(program_.operand(access, 0)); }
    bool is_uniform(NodeId value) const { return uniformity_->of(value) <= UniformOver::workgroup; }

    bool jumps(NodeId node) const {
        return any_within(program_, node, [&](NodeId inner) {
            const Op op = program_.node(inner).op;
            return op == Op::break_ || op == Op::continue_ || op == Op::return_;
        });
    }
    // True if invocations may differ in the condition of a jump.
    bool parts(NodeId loop) const {
        return any_within(program_, loop, [&](NodeId inner) {
            const Op op = program_.node(inner).op;
            if (op == Op::break_if) return !is_shared(program_.operand(inner, 0), loop);
            return (op == Op::if_ || op == Op::switch_) && jumps(inner) &&
                   !is_shared(program_.operand(inner, 0), loop);
        });
    }

    // True if the invocations that are still in the loop have the same value. Uniformity doesn't follow
    // variables that are stored to after some invocations have returned, for example those whose id is too
    // large; the others still count alike.
    bool is_shared(NodeId value, NodeId loop) const {
        int left = most_followed;
        return is_shared(value, loop, left);
    }
    bool is_shared(NodeId value, NodeId loop, int& left) const {
        if (--left < 0) return false;
        if (is_uniform(value)) return true;
        const Node& node = program_.node(value);
        if (node.op == Op::load) {
            const NodeId place = program_.operand(value, 0);
            if (program_.node(place).op != Op::ref_variable) return false;
            return counts_alike(VariableId{program_.node(place).payload}, loop, left);
        }
        if (info(node.op).group != OpGroup::exact) return false;
        return std::ranges::all_of(program_.operands(value),
                                   [&](NodeId one) { return is_shared(one, loop, left); });
    }
    // True for a function variable that starts outside the loop, or in each iteration, and
    // changes once in each iteration.
    bool counts_alike(VariableId variable, NodeId loop, int& left) const {
        if (program_.variable(variable).space != AddressSpace::function) return false;
        return std::ranges::all_of(loops_.assignments(variable), [&](const Loops::Assignment& one) {
            const bool in_iteration = loops_.is_in_each_iteration(loop, one.node);
            if (program_.node(one.node).op != Op::declare)
                return in_iteration && changes_alike(one.node, loop, left);
            const auto initial = program_.operands(one.node);
            return (in_iteration || !loops_.is_inside(loop, one.node)) &&
                   (initial.empty() || is_shared(initial[0], loop, left));
        });
    }
    // True if the stored value is the same for all, or the variable's own value changed by a step that is.
    bool changes_alike(NodeId store, NodeId loop, int& left) const {
        const NodeId place = program_.operand(store, 0), value = program_.operand(store, 1);
        if (program_.node(place).op != Op::ref_variable) return false;
        if (info(program_.node(value).op).group != OpGroup::exact) return is_uniform(value);
        return std::ranges::all_of(program_.operands(value), [&](NodeId one) {
            const bool is_itself = program_.node(one).op == Op::load && program_.operand(one, 0) == place;
            return is_itself || is_shared(one, loop, left);
        });
    }

    bool reads(NodeId loop) const {
        return any_within(program_, loop, [&](NodeId inner) {
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
        for_each_within(program_, loop, [&](NodeId inner) {
            if (program_.node(inner).op == Op::load) ++inside[root(inner).index];
        });
        return std::ranges::any_of(stored->second,
                                   [&](VariableId one) { return inside[one.index] < loads_[one.index]; });
    }

    const Program& program_;
    const Loops& loops_;
    std::vector<bool> found_;
    std::vector<std::uint32_t> loads_;  // by variable
    std::optional<Uniformity> uniformity_;
    std::optional<AssignedVariables> assigned_;
};

}  // namespace

std::vector<bool> divergent_loops(const Program& program, const Loops& loops) {
    return Search(program, loops).run();
}

}  // namespace muster::vulkan
