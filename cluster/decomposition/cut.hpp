// cut.hpp - makes the plan of one dispatch. Internal to cluster/decomposition.
//
// A cut gives each rank consecutive workgroups along an axis. It is sound if no rank's workgroups access
// words that another rank's write, other than by reductions. Of the axes with a sound cut, the one that
// leaves the fewest ranks idle is taken, then the one that moves the fewest bytes.
//
// Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <muster/cluster/decomposition/plan.hpp>
#include <muster/foundation/analysis/footprint/footprint.hpp>

namespace muster::cluster {

struct Dispatch {
    const Footprint& footprint;
    FootprintValues values;
    Extent3 grid;
    std::span<const PlanBinding> bindings;
    std::vector<const Distribution*>
        held;                         // by binding; null: every rank has all of it, and it isn't written
    std::span<const double> weights;  // by rank
};

struct PlannedDispatch {
    Plan plan;                        // without `after`
    std::vector<Distribution> after;  // by binding; of those that are held
};

PlannedDispatch plan_dispatch(Dispatch& dispatch);

}  // namespace muster::cluster
