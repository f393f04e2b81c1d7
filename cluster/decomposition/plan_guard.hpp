// plan_guard.hpp - checks the accesses of a rank's workgroups against their plan, while they run on the
// interpreter. Internal to cluster/.
//
//     PlanGuard guard(planner, plan, held, rank, "member 1");
//     interpret(code, bindings, {origin, extent, grid, {}, &guard}, options);      // the interior workgroups
//     guard.receive();                                                             // then the others
//
// A rank may read the words that are current in its memory, and write those that no other rank has current
// afterwards. A reduction's words are only for atomics. So an access that the plan doesn't expect is a
// finding, if the plan would give wrong results by it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/cluster/decomposition/planner.hpp>
#include <muster/foundation/interpreter/interpret.hpp>

namespace muster::cluster {

class PlanGuard final : public WordGuard {
  public:
    /// `held`: by binding, before the dispatch; none: every rank has all of it.
    PlanGuard(const Planner& planner, const Plan& plan, std::span<const DistributionId> held,
              std::uint32_t rank, std::string owner);

    /// The transfers to the rank have come.
    void receive();

    bool allows(std::uint32_t binding, std::uint64_t word, AccessKind access) override;
    std::string owner() const override { return owner_; }

  private:
    struct BindingWords {
        WordSet read, incoming, written, reduced;
    };
    std::vector<std::optional<BindingWords>> bindings_;
    std::string owner_;
};

}  // namespace muster::cluster
