// phases.hpp - plans the phases of a program with grid barriers one after another, to be explained. A run
// plans each phase when the walk over the host's steps asks for it, with the words that only the walk
// knows; here they are unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <muster/cluster/decomposition/planner.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster::cluster {

struct PlannedPhase {
    std::uint32_t part = 0;  // of SplitProgram::parts
    std::shared_ptr<const Plan> plan;
    bool operator==(const PlannedPhase&) const = default;
};

/// A split program with a footprint of each part, and what its dispatch would get.
struct PhasesRequest {
    const SplitProgram& split;
    std::function<const Footprint&(std::uint32_t part)> footprint;
    Extent3 grid;
    std::vector<PlanBinding> bindings;  // in the split program's bindings() order
    PlanBinding scratch;                // the data between barriers, if a part uses them
    WeightsId weights = {};
};

/// Each phase begins with its buffers as the one before leaves them; if there are loops, these are the phases
/// of the second turn, which later ones are like. Parts that only check whether any invocation is left are
/// left out. Errors: those of Planner::plan.
Result<std::vector<PlannedPhase>> plan_phases(Planner& planner, PhasesRequest request);

}  // namespace muster::cluster
