#include <utility>

#include <muster/cluster/decomposition/phases.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cluster {
namespace {

/// True if the part only tells the host whether any invocation is left, now and then in a long loop.
bool is_liveness_check(const SplitProgram& split, std::uint32_t part) {
    for (std::size_t i = 1; i < split.steps.size(); ++i) {
        const HostStep &run = split.steps[i - 1], &fetch = split.steps[i];
        if (run.kind == HostStep::Kind::run && run.index == part && fetch.kind == HostStep::Kind::fetch &&
            !fetch.node)
            return true;
    }
    return false;
}

/// Plans one part, and leaves the buffers in the request as it does.
Result<std::shared_ptr<const Plan>> plan_phase(Planner& planner, PhasesRequest& request,
                                               std::uint32_t number) {
    const SplitPart& part = request.split.parts[number];
    PlanBinding host_values;
    const auto binding = [&](std::size_t i) -> PlanBinding& {
        const SplitBinding& from = part.bindings[i];
        switch (from.source) {
            case SplitBinding::Source::program: return request.bindings[from.index];
            case SplitBinding::Source::scratch: return request.scratch;
            case SplitBinding::Source::host_values: {
                const Variable& variable = part.program->variable(part.program->bindings()[i]);
                host_values = {.bytes = part.program->types()[variable.type].size};
                break;
            }
        }
        return host_values;
    };
    std::vector<PlanBinding> bindings;
    for (std::size_t i = 0; i < part.bindings.size(); ++i) bindings.push_back(binding(i));
    auto plan = TRY(planner.plan(request.footprint(number),
                                 {.grid = request.grid, .bindings = bindings, .weights = request.weights}));
    for (std::size_t i = 0; i < part.bindings.size(); ++i) binding(i).distribution = plan->after[i];
    return plan;
}

}  // namespace

Result<std::vector<PlannedPhase>> plan_phases(Planner& planner, PhasesRequest request) {
    std::vector<PlannedPhase> planned;
    for (int turn = 0; turn < (request.split.loops == 0 ? 1 : 2); ++turn) {
        planned.clear();
        for (std::uint32_t part = 0; part < request.split.parts.size(); ++part)
            if (!is_liveness_check(request.split, part))
                planned.push_back({part, TRY(plan_phase(planner, request, part))});
    }
    return planned;
}

}  // namespace muster::cluster
