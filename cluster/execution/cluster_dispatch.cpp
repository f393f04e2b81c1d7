// ClusterSession::dispatch and what belongs to it: checks, the agreement, the members'
// weights, explanations, tickets.
#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include <muster/cluster/decomposition/explain.hpp>
#include <muster/cluster/decomposition/phases.hpp>
#include <muster/cluster/execution/cluster_state.hpp>
#include <muster/cluster/execution/hints.hpp>
#include <muster/cluster/execution/run_phases.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

using cluster::Call;
using cluster::gathered;
using cluster::Intent;
using cluster::Mixed;

namespace {

bool names(const ClusterArgument& argument, const Variable& variable) {
    if (const auto* name = std::get_if<std::string>(&argument.where)) return *name == variable.name;
    return std::get<GroupBinding>(argument.where) == GroupBinding{variable.group, variable.binding};
}

const ClusterBuffer* buffer_of(const ClusterArgument& argument) {
    if (const auto* whole = std::get_if<WholeBuffer>(&argument.what)) return &whole->buffer;
    return std::get_if<ClusterBuffer>(&argument.what);
}

/// The arguments as one of this process's members gets them.
std::vector<Argument> arguments_here(std::span<const ClusterArgument> arguments, std::size_t here) {
    std::vector<Argument> made;
    for (const ClusterArgument& each : arguments) {
        const ClusterBuffer* buffer = buffer_of(each);
        std::visit(
            [&](const auto& where) {
                if (buffer)
                    made.emplace_back(where, buffer->state()->here[here]);
                else
                    made.emplace_back(where, std::get<ArgumentValue>(each.what));
            },
            each.where);
    }
    return made;
}

/// A dispatch whose arguments have been checked.
struct CheckedDispatch {
    Extent3 grid;
    std::vector<ClusterBound> bound;
    Intent intent;
};

Result<void> check_own(const ClusterSession::State& session, const ClusterKernel::State& kernel,
                       std::span<const ClusterArgument> arguments) {
    const auto other = [](const char* what) {
        return fail(ErrorCode::invalid_argument, fmt::format("A {} of another cluster is given.", what),
                    "use those that this one has made");
    };
    if (kernel.session.get() != &session) return other("kernel");
    for (const ClusterArgument& each : arguments)
        if (const ClusterBuffer* buffer = buffer_of(each);
            buffer && buffer->state()->session.get() != &session)
            return other("buffer");
    return {};
}

Result<std::vector<ClusterBound>> bound_to(const Program& program,
                                           std::span<const ClusterArgument> arguments) {
    std::vector<ClusterBound> bound;
    for (const VariableId id : program.bindings()) {
        const auto given = std::ranges::find_if(
            arguments, [&](const ClusterArgument& each) { return names(each, program.variable(id)); });
        if (given == arguments.end())
            return fail(ErrorCode::internal,
                        fmt::format("The binding \"{}\" isn't given.", program.variable(id).name));
        if (const ClusterBuffer* buffer = buffer_of(*given))
            bound.push_back({.buffer = buffer->state().get(),
                             .reads_whole = std::holds_alternative<WholeBuffer>(given->what)});
        else
            bound.push_back({.value = std::get<ArgumentValue>(given->what).bytes});
    }
    return bound;
}

/// Zeros for the values that a part gets from the walk.
std::vector<std::uint32_t> no_host_values(const ClusterKernel::State& kernel, std::size_t part) {
    const SplitProgram& split = *kernel.split;
    std::uint64_t words = 0;
    for (const NodeId node : split.parts[part].host_values)
        words += split.program.types().scalar_words(split.program.type(node));
    return std::vector<std::uint32_t>(words);
}

/// A program without grid barriers is one phase.
Result<std::vector<cluster::PlannedPhase>> planned_phases(const ClusterKernel::State& kernel,
                                                          const CheckedDispatch& checked) {
    cluster::Planner& planner = *kernel.session->planner;
    const auto bindings = plan_bindings(checked.bound);
    if (!kernel.split) {
        auto plan =
            TRY(planner.plan(kernel.parts.front().footprint,
                             {.grid = checked.grid, .bindings = bindings, .weights = kernel.plan_weights}));
        return std::vector{cluster::PlannedPhase{0, std::move(plan)}};
    }
    cluster::PlanBinding scratch;
    if (kernel.scratch) scratch = {.bytes = kernel.scratch->bytes, .distribution = kernel.scratch->now};
    return cluster::plan_phases(planner, {.split = *kernel.split,
                                          .footprint = [&](std::uint32_t part) -> const Footprint& {
                                              return kernel.parts[part].footprint;
                                          },
                                          .grid = checked.grid,
                                          .bindings = bindings,
                                          .scratch = scratch,
                                          .weights = kernel.plan_weights});
}

/// Refuses phases that are sure not to be cut. One that depends on words which only the run knows is refused
/// when it comes, and a program without grid barriers when it is planned to run.
Result<void> check_phases(const ClusterKernel::State& kernel, const CheckedDispatch& checked) {
    if (!kernel.split || !kernel.session->refuses_uncut()) return {};
    for (const cluster::PlannedPhase& phase : TRY(planned_phases(kernel, checked)))
        if (phase.plan->one_rank && kernel.split->parts[phase.part].host_values.empty())
            return refused(*phase.plan);
    return {};
}

/// Checks what can fail, and takes the memory that the dispatch needs, before other processes rely on it.
Result<void> check(ClusterKernel::State& kernel, std::span<const ClusterArgument> arguments, const Grid& grid,
                   CheckedDispatch& checked) {
    ClusterSession::State& session = *kernel.session;
    if (std::holds_alternative<PartOfGrid>(grid))
        return fail(ErrorCode::unsupported, "A cluster cuts whole grids.",
                    "dispatch Workgroups or Invocations");
    checked.grid = TRY(workgroups(grid, kernel.program->workgroup_size()));
    for (std::size_t here = 0; here < session.sessions.size(); ++here) {
        const std::vector<Argument> own = arguments_here(arguments, here);
        if (kernel.split) {
            (void)TRY(session.sessions[here].work(kernel.program, own, grid));
            continue;
        }
        TRY(session.sessions[here].place(kernel.parts.front().kernels[here], own));
    }
    auto bound = bound_to(*kernel.program, arguments);
    if (!bound) return std::unexpected(std::move(bound).error());
    checked.bound = *std::move(bound);
    TRY(check_hints(kernel, checked.bound, checked.grid));
    if (!kernel.split || checked.grid.count() == 0) return {};
    TRY(make_scratch(kernel, checked.grid));
    for (std::size_t i = 0; i < kernel.parts.size(); ++i) {
        const std::vector<std::uint32_t> values = no_host_values(kernel, i);
        const std::vector<ClusterBound> own = bound_of_part(kernel, i, checked.bound, values);
        const ClusterRun run{session, kernel.parts[i], own, checked.grid};
        for (std::size_t here = 0; here < session.sessions.size(); ++here)
            TRY(session.sessions[here].place(
                kernel.parts[i].kernels[here],
                run.arguments(session.first + static_cast<std::uint32_t>(here))));
    }
    return {};
}

/// Likewise, for what is to run.
Result<void> check_to_run(ClusterKernel::State& kernel, std::span<const ClusterArgument> arguments,
                          const Grid& grid, CheckedDispatch& checked) {
    TRY(check(kernel, arguments, grid, checked));
    if (checked.grid.count() == 0) return {};
    return check_phases(kernel, checked);
}

Intent intent_of(Call call, const ClusterKernel::State& kernel, const CheckedDispatch& checked) {
    ClusterSession::State& session = *kernel.session;
    Mixed buffers, values;
    for (const ClusterBound& each : checked.bound) {
        values.add(each.value).add(each.reads_whole);
        if (each.buffer) buffers.add(each.buffer->number).add(session.hash_of(each.buffer->now));
    }
    return {.call = call,
            .options = kernel.intent,
            .buffers = buffers.hash(),
            .arguments = values.hash(),
            .grid = Mixed().add(checked.grid.x).add(checked.grid.y).add(checked.grid.z).hash(),
            .program = kernel.program->fingerprint()};
}

/// Agrees on a dispatch. Without an agreement the data between grid barriers are those of the processes that
/// made some: all make new ones.
Result<void> agree(Call call, ClusterKernel::State& kernel, const CheckedDispatch& checked,
                   Result<void> own) {
    auto agreed = kernel.session->agree(intent_of(call, kernel, checked), std::move(own));
    if (!agreed) kernel.scratch = nullptr;
    return agreed;
}

/// A workgroup's time on a member in its last dispatch; 0: unknown.
double workgroup_ns(const MemberRun& last) {
    if (last.workgroups == 0) return 0;
    std::uint64_t sum = 0;
    for (const Ticket& ticket : last.tickets) {
        if (!ticket.done()) return 0;
        const auto timing = ticket.wait(std::chrono::nanoseconds(0));
        if (!timing || !timing->device_ns) return 0;
        sum += *timing->device_ns;
    }
    return static_cast<double>(sum) / static_cast<double>(last.workgroups);
}

/// Weights by what the members' last dispatches took. The same in every process.
Result<void> measure(ClusterKernel::State& kernel) {
    ClusterSession::State& session = *kernel.session;
    std::vector<double> times(session.member_count());
    for (std::size_t i = 0; i < kernel.last.size(); ++i)
        times[session.first + i] = workgroup_ns(kernel.last[i]);
    const std::vector<double> all = TRY(gathered(*session.transport, std::span<const double>(times)));
    for (std::uint32_t member = 0; member < times.size(); ++member)
        times[member] = all[session.process_of(member) * times.size() + member];
    // A time that isn't one comes from outside.
    if (!std::ranges::all_of(times, [](double time) { return time >= 1e-50 && time <= 1e50; })) return {};
    // The members' parts take weight * time: as long as they do about the same, the cut
    // stays, and with it the data.
    std::vector<double> parts(times.size());
    std::ranges::transform(kernel.weights, times, parts.begin(), std::multiplies());
    if (std::ranges::max(parts) <= 1.2 * std::ranges::min(parts)) return {};
    std::ranges::transform(times, kernel.weights.begin(), [](double time) { return 1 / time; });
    kernel.plan_weights = session.planner->intern(kernel.weights);
    return {};
}

std::uint64_t workgroups_of(const cluster::Plan& plan, std::uint32_t member) {
    const cluster::RankPart& part = plan.parts[member];
    return part.begin == part.end ? 0 : plan.extent(part.begin, part.end).count();
}

constexpr const char* nothing_runs = "nothing runs: the grid is empty";

/// With their weights, if these differ: the greatest is 1.
std::vector<std::string> names_of_members(const ClusterSession::State& session, cluster::WeightsId id) {
    const std::span<const double> weights = session.planner->weights(id);
    const double most = std::ranges::max(weights);
    const bool are_equal = std::ranges::min(weights) == most;
    std::vector<std::string> names;
    for (const ClusterMember& member : session.members) {
        const std::size_t number = names.size();
        names.push_back(fmt::format(
            "member {} ({}{}{})", number,
            session.transport->size() == 1 ? "" : fmt::format("process {}, ", member.process), member.device,
            are_equal ? "" : fmt::format(", weight {:.2g}", weights[number] / most)));
    }
    return names;
}

}  // namespace

Result<ClusterTicket> ClusterSession::dispatch(const ClusterKernel& of,
                                               std::span<const ClusterArgument> arguments, const Grid& grid) {
    ClusterKernel::State& kernel = *of.state();
    CheckedDispatch checked;
    Result<void> own = check_own(*state_, kernel, arguments);
    if (own) own = check_to_run(kernel, arguments, grid, checked);
    const auto what = [&] { return fmt::format("dispatching {} on a cluster", kernel.program->entry()); };
    TRY(during(what, agree(Call::dispatch, kernel, checked, std::move(own))));
    auto ticket = std::make_shared<ClusterTicket::State>();
    ticket->session = state_;
    ticket->kernel = of.state();
    ticket->tickets.resize(state_->sessions.size());
    if (checked.grid.count() == 0) return ClusterTicket(std::move(ticket));
    if (state_->measures()) TRY(measure(kernel));
    ticket->weights = kernel.plan_weights;
    if (kernel.split) {
        TRY(during(what, run_phases(kernel, checked.bound, checked.grid, *ticket)));
        return ClusterTicket(std::move(ticket));
    }
    const ClusterRun run{*state_, kernel.parts.front(), checked.bound, checked.grid, kernel.plan_weights};
    const auto plan = TRY(during(what, run.plan()));
    TRY(during(what, run.execute(*plan, *ticket)));
    ticket->ran.push_back({0, plan});
    for (std::uint32_t i = 0; i < kernel.last.size(); ++i)
        kernel.last[i] = {ticket->tickets[i], workgroups_of(*plan, state_->first + i)};
    return ClusterTicket(std::move(ticket));
}

Result<std::string> ClusterSession::explain(const ClusterKernel& of,
                                            std::span<const ClusterArgument> arguments, const Grid& grid) {
    ClusterKernel::State& kernel = *of.state();
    CheckedDispatch checked;
    Result<void> own = check_own(*state_, kernel, arguments);
    if (own) own = check(kernel, arguments, grid, checked);
    TRY(agree(Call::explain, kernel, checked, std::move(own)));
    if (checked.grid.count() == 0) return nothing_runs;
    const std::vector<std::string> names = names_of_members(*state_, kernel.plan_weights);
    const auto phases = TRY(planned_phases(kernel, checked));
    std::string text;
    for (const cluster::PlannedPhase& phase : phases)
        text += (text.empty() ? "" : "\n") +
                cluster::explain(*phase.plan, kernel.parts[phase.part].program(), names);
    return text;
}

Result<Timing> ClusterTicket::wait() const {
    ClusterSession::State& session = *state_->session;
    constexpr std::uint64_t unknown = UINT64_MAX;  // the longest: one unknown time makes the whole unknown
    std::uint64_t longest = 0;
    for (std::uint32_t i = 0; i < state_->tickets.size(); ++i) {
        std::uint64_t sum = 0;
        for (const Ticket& ticket : state_->tickets[i]) {
            const auto ended = ticket.wait();
            if (!session.keeps(ended, session.first + i)) continue;
            sum = sum == unknown || !ended->device_ns ? unknown : sum + *ended->device_ns;
        }
        longest = std::max(longest, sum);
    }
    TRY(session.agree({.call = Call::wait}, {}));
    const std::vector<std::uint64_t> all =
        TRY(gathered(*session.transport, std::span<const std::uint64_t>(&longest, 1)));
    const std::uint64_t longest_of_all = std::ranges::max(all);
    return longest_of_all == unknown ? Timing{} : Timing{longest_of_all};
}

const ClusterWork& ClusterTicket::work() const { return state_->work; }

std::string ClusterTicket::explain() const {
    if (state_->ran.empty()) return nothing_runs;
    std::vector<std::pair<cluster::PlannedPhase, std::size_t>> distinct;  // with how often each ran
    for (const cluster::PlannedPhase& phase : state_->ran) {
        const auto known = std::ranges::find(distinct, phase, [](const auto& each) { return each.first; });
        if (known == distinct.end())
            distinct.emplace_back(phase, 1);
        else
            ++known->second;
    }
    const std::vector<std::string> names = names_of_members(*state_->session, state_->weights);
    std::string text;
    for (const auto& [phase, times] : distinct) {
        text += (text.empty() ? "" : "\n") +
                cluster::explain(*phase.plan, state_->kernel->parts[phase.part].program(), names);
        if (times > 1) text += fmt::format("\n  {} times", times);
    }
    return text;
}

}  // namespace muster
