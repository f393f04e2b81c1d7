#include <algorithm>
#include <vector>

#include <muster/backend-cpu/compiler/overwritten.hpp>
#include <muster/backend-cpu/compiler/place.hpp>
#include <muster/foundation/local_value.hpp>
#include <muster/foundation/within.hpp>

namespace muster::cpu {
namespace {

class Scan {
  public:
    Scan(const Program& program, const Plan& plan, VariableId variable)
        : program_(program), plan_(plan), variable_(variable) {}

    /// False where something may be read, or written in part, while not all is written.
    bool passes(const std::vector<PlanStep>& steps, bool written) {
        for (const PlanStep& step : steps) {
            if (step.kind == PlanStep::Kind::region && !passes_region(step, written)) return false;
            for (const auto& block : step.blocks)
                if (!passes(block, written)) return false;
        }
        return true;
    }

  private:
    // What one invocation writes, others may read only after a barrier: in a later region.
    bool passes_region(const PlanStep& step, bool& written) {
        const PlanRegion& region = plan_.region(step.region);
        if (region.returns || !region.left.empty()) everyone_is_here_ = false;
        bool writes_all = false;
        for (const NodeId node : step.nodes) {
            if (written || !touches(node)) continue;
            if (everyone_is_here_ && writes_every_element(node)) {
                writes_all = true;
            } else if (!writes_all || reads(node)) {
                return false;
            }
        }
        written = written || writes_all;
        return true;
    }

    bool touches(NodeId node) const {
        return any_within(program_, node, [&](NodeId inner) {
            const Op op = program_.node(inner).op;
            const bool accesses = op == Op::load || op == Op::store || info(op).group == OpGroup::atomic;
            return accesses && program_.root_variable(program_.operand(inner, 0)) == variable_;
        });
    }
    bool reads(NodeId node) const {
        return any_within(program_, node, [&](NodeId inner) {
            const Op op = program_.node(inner).op;
            return (op == Op::load || info(op).group == OpGroup::atomic) &&
                   program_.root_variable(program_.operand(inner, 0)) == variable_;
        });
    }

    // A store of a whole element, of which the invocations' indices are all there are.
    bool writes_every_element(NodeId node) {
        if (program_.node(node).op != Op::store) return false;
        const Place place = resolve(program_, program_.operand(node, 0));
        const Type& array = program_.types()[program_.variable(variable_).type];
        if (array.kind != TypeKind::array || place.steps.size() != 1 || place.type != array.element)
            return false;
        std::vector<bool> seen(array.count, false);
        const auto invocations = static_cast<std::uint32_t>(program_.workgroup_size().count());
        for (std::uint32_t i = 0; i < invocations; ++i) {
            const auto index = local_value(program_, place.steps[0].index, i);
            if (!index) return false;
            if (*index < seen.size()) seen[*index] = true;
        }
        return std::ranges::all_of(seen, [](bool one) { return one; });
    }

    const Program& program_;
    const Plan& plan_;
    VariableId variable_;
    bool everyone_is_here_ = true;
};

}  // namespace

bool is_overwritten_first(const Program& program, const Plan& plan, VariableId variable) {
    return plan.has_barriers() && Scan(program, plan, variable).passes(plan.body(), false);
}

}  // namespace muster::cpu
