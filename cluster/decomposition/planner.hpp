// planner.hpp - plans one dispatch over several ranks: which workgroups each rank runs, which
// words it receives before, which words it may read from its own memory afterwards, and which it
// combines with the others'.
//
//     Planner planner({1.0, 1.0, 2.0});                                 // weights: the third rank is twice as fast
//     const Footprint footprint = analyse_footprint(*program);          // foundation/analysis/footprint/footprint.hpp, once
//     DistributionId x = planner.intern(sharded(words, 1, planner.weights()));
//     const std::array bindings{PlanBinding{.bytes = 4 * words, .distribution = x}, PlanBinding{.bytes = 16, .value = uniform}};
//     const Plan& plan = *TRY(planner.plan(footprint, {.grid = grid, .bindings = bindings}));
//
// Every rank makes the same plan from the same input, so ranks exchange no plans. What a rank
// then does, in this order:
//   1. for each reduction, unless it is the keeper: fills the words with identity(op, type);
//   2. starts the transfers from and to it: no rank writes words meanwhile that it sends;
//   3. runs its interior workgroups, which touch no word that comes in; waits for the
//      transfers; runs the others;
//   4. for each reduction: combines the words with those of all ranks (an all-reduce);
//   5. takes Plan::after as the buffers' distributions.
// The result has the same bits as on one device.
//
// A program with grid barriers is split at them (foundation/split/grid_split.hpp); each part is
// planned by itself, when the walk asks for it, with the scratch as one more buffer. So each
// phase has its own transfers.
//
// Threads: one at a time. Cost: a plan that was made before takes microseconds.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <muster/cluster/decomposition/plan.hpp>
#include <muster/foundation/analysis/footprint/footprint.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cluster {

class Planner {
  public:
    /// One weight for each rank: its throughput, in any unit. Precondition: at least
    /// one; all finite and above 0.
    explicit Planner(std::vector<double> weights);
    ~Planner();
    Planner(Planner&&) noexcept;

    std::span<const double> weights(WeightsId id = {}) const;
    /// Other weights, for requests. Precondition: as many.
    WeightsId intern(std::vector<double> weights);

    DistributionId intern(Distribution distribution);
    DistributionId replicated(std::uint64_t words);
    /// The reference holds until the planner ends.
    const Distribution& distribution(DistributionId id) const;

    /// The plan holds as long as somebody keeps it. Errors: invalid_argument (the bindings' number, sizes or
    /// distributions don't fit the program or the ranks).
    Result<std::shared_ptr<const Plan>> plan(const Footprint& footprint, const PlanRequest& request);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace muster::cluster
