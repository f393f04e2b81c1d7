// run_part.hpp - runs one program without grid barriers, as planned: exchanges, the members' workgroups,
// reductions. Internal to cluster/.
//
//     ClusterRun run{*session, part, bound, grid};
//     const auto plan = TRY(run.plan());               // the same in every process
//     TRY(run.execute(*plan, *ticket));
//
// Reads of what is sent come before everything, the workgroups that need nothing run while messages are
// under way, the others after they have come. A fault of a member is remembered by the session, and its
// messages are sent all the same.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <muster/cluster/execution/cluster_state.hpp>

namespace muster {

/// A binding's argument: a buffer, or a value.
struct ClusterBound {
    ClusterBuffer::State* buffer = nullptr;
    std::span<const std::byte> value = {};
    bool reads_whole = false;
};

/// The arguments as a planner takes them.
std::vector<cluster::PlanBinding> plan_bindings(std::span<const ClusterBound> bound);

struct ClusterRun {
    ClusterSession::State& session;
    const ClusterPart& part;
    std::span<const ClusterBound> bound;  // in Program::bindings() order
    Extent3 grid;
    cluster::WeightsId weights = {};

    /// Errors: those of Planner::plan; unsupported, if it isn't cut and the session refuses that.
    Result<std::shared_ptr<const cluster::Plan>> plan() const;
    /// Adds the members' tickets to `ticket`. Errors: the transport's.
    Result<void> execute(const cluster::Plan& plan, ClusterTicket::State& ticket) const;
    /// The arguments of a member.
    std::vector<Argument> arguments(std::uint32_t member) const;
};

/// The error of a dispatch that isn't cut, of a session that refuses that.
std::unexpected<Error> refused(const cluster::Plan& plan);

}  // namespace muster
