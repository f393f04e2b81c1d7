#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <muster/cluster/plan/explain.hpp>
#include <muster/cluster/session/cluster_state.hpp>
#include <muster/cluster/session/hints.hpp>
#include <muster/cluster/session/run_phases.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster {

using cluster::Call;
using cluster::Intent;
using cluster::Mixed;

namespace {

/// The facts that a process tells of one of its members.
struct MemberRecord {
    std::array<char, 48> device{};
    std::uint64_t kind = 0;  // a hash of the device's backend and name
    double weight = 1;
};

template <class Record>
Result<std::vector<Record>> gathered(cluster::Transport& transport, std::span<const Record> own) {
    std::vector<Record> all(own.size() * transport.size());
    TRY(transport.all_gather(std::as_bytes(own), std::as_writable_bytes(std::span(all))));
    return all;
}

std::uint64_t hash_of(std::string_view text) { return Mixed().add(std::as_bytes(std::span(text))).hash(); }

std::uint64_t hash_of_build() {
    static constexpr auto abi = abi_fingerprint();
    return hash_of(abi.view());
}

Result<void> check(const ClusterOptions& options) {
    const std::size_t members = std::max<std::size_t>(options.devices.size(), 1);
    if (!options.weights.empty() && options.weights.size() != members)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} weights are given for {} members.", options.weights.size(), members),
                    "give one for each device, or none");
    for (const double weight : options.weights)
        if (!std::isfinite(weight) || weight <= 0)
            return fail(ErrorCode::invalid_argument, fmt::format("A member's weight is {}.", weight),
                        "give a number above 0");
    return {};
}

Result<std::vector<Session>> open_sessions(const ClusterOptions& options) {
    TRY(check(options));
    std::vector<Session> sessions;
    if (options.devices.empty()) sessions.push_back(TRY(Session::open(options.session)));
    for (const std::string& device : options.devices) {
        SessionOptions own = options.session;
        own.policy.choice = Pinned{device};
        sessions.push_back(TRY(Session::open(std::move(own))));
    }
    return sessions;
}

/// Takes the records of all processes' members, those of a process one after the other; one without a device is filler.
void take(ClusterSession::State& state, std::span<const MemberRecord> records, std::size_t most) {
    state.members.clear();
    state.weights.clear();
    std::uint64_t first_kind = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const MemberRecord& each = records[i];
        if (each.device[0] == '\0') continue;
        if (state.members.empty()) first_kind = each.kind;
        state.devices_differ |= each.kind != first_kind;
        state.members.push_back({static_cast<std::uint32_t>(i / most), each.device.data()});
        state.weights.push_back(each.weight);
    }
    const auto own = std::ranges::find(state.members, state.transport->rank(), &ClusterMember::process);
    state.first = static_cast<std::uint32_t>(own - state.members.begin());
}

MemberRecord record_of(std::string_view device, std::uint64_t kind, double weight) {
    MemberRecord made{.kind = kind, .weight = weight};
    std::ranges::copy(device.substr(0, made.device.size() - 1), made.device.begin());
    return made;
}

/// Tells the other processes what this one's members are.
Result<void> exchange_members(ClusterSession::State& state, std::span<const MemberRecord> own) {
    const std::uint64_t count = own.size();
    const std::size_t most = std::ranges::max(TRY(gathered(*state.transport, std::span(&count, 1))));
    std::vector<MemberRecord> records(own.begin(), own.end());
    records.resize(most);
    take(state, TRY(gathered(*state.transport, std::span<const MemberRecord>(records))), most);
    return {};
}

}  // namespace

Result<ClusterSession> ClusterSession::open(ClusterOptions options) {
    auto state = std::make_shared<State>();
    state->transport = options.transport ? options.transport : cluster::one_process();
    state->balance = options.balance;
    state->refuse_uncut = options.refuse_uncut;
    auto sessions = open_sessions(options);
    Result<void> own;
    if (!sessions) own = std::unexpected(sessions.error());
    const std::uint64_t choices =
        Mixed()
            .add(options.refuse_uncut)
            .add(options.balance ? 1 + static_cast<std::uint64_t>(*options.balance) : 0)
            .hash();
    TRY(during("opening a cluster",
               state->agree({.call = Call::open, .build = hash_of_build(), .options = choices}, own)));
    state->sessions = *std::move(sessions);
    std::vector<MemberRecord> records;
    for (std::size_t i = 0; i < state->sessions.size(); ++i) {
        const std::string device = options.devices.empty() ? "best" : options.devices[i];
        records.push_back(
            record_of(device, hash_of(device), options.weights.empty() ? 1 : options.weights[i]));
    }
    TRY(exchange_members(*state, records));
    state->planner.emplace(state->weights);
    return ClusterSession(std::move(state));
}

std::uint32_t ClusterSession::rank() const { return state_->transport->rank(); }
std::uint32_t ClusterSession::size() const { return state_->transport->size(); }
std::span<const ClusterMember> ClusterSession::members() const { return state_->members; }

const ValidProgram& ClusterKernel::program() const { return state_->program; }

namespace {

Result<ClusterPart> prepared_part(std::vector<Session>& sessions, const ValidProgram& program,
                                  const CompileOptions& options) {
    ClusterPart part{analyse_footprint(*program), {}};
    for (Session& session : sessions) part.kernels.push_back(TRY(session.prepare(program, options)));
    return part;
}

Result<void> prepare_parts(ClusterKernel::State& kernel, const CompileOptions& options) {
    std::vector<Session>& sessions = kernel.session->sessions;
    if (!has_grid_barriers(*kernel.program)) {
        kernel.parts.push_back(TRY(prepared_part(sessions, kernel.program, options)));
        return {};
    }
    kernel.split = TRY(during("splitting it at its grid barriers",
                              split_at_grid_barriers(*kernel.program, options.precision == Precision::exact
                                                                          ? FloatResults::repeatable
                                                                          : FloatResults::varying)));
    for (std::size_t i = 0; i < kernel.split->parts.size(); ++i)
        kernel.parts.push_back(TRY(during(fmt::format("preparing part {}", i),
                                          prepared_part(sessions, kernel.split->parts[i].program, options))));
    return {};
}

std::uint32_t subgroup_size(const Program& program, const Kernel& kernel) {
    if (const std::uint32_t asked = program.needs().subgroup_size) return asked;
    const std::uint32_t chosen = kernel.artifact().options.subgroup_size;
    return chosen != 0 ? chosen : kernel.device().subgroup_size;
}

/// The size of subgroups that this process's members run the program with; 0 if it has none to do with them.
Result<std::uint64_t> subgroup_size(const ClusterKernel::State& kernel) {
    if (!kernel.program->needs().subgroups) return 0;
    std::uint64_t size = 0;
    for (const ClusterPart& part : kernel.parts)
        for (const Kernel& each : part.kernels) {
            const std::uint64_t own = subgroup_size(part.program(), each);
            if (size != 0 && own != size)
                return fail(
                    ErrorCode::conflict,
                    fmt::format("{} runs with subgroups of {} and of {} invocations on two of the devices.",
                                kernel.program->entry(), size, own),
                    "ask for a size that every device has: CompileOptions::subgroup_size");
            size = own;
        }
    return size;
}

std::uint64_t hash_of(const CompileOptions& options) {
    Mixed mixed;
    mixed.add(static_cast<std::uint64_t>(options.precision))
        .add(options.unchecked)
        .add(options.subgroup_size);
    for (const auto& [key, value] : options.specs) mixed.add(hash_of(key)).add(hash_of(value));
    return mixed.hash();
}

}  // namespace

Result<ClusterKernel> ClusterSession::prepare(const ValidProgram& program, const CompileOptions& options) {
    auto made =
        std::make_shared<ClusterKernel::State>(ClusterKernel::State{.session = state_, .program = program});
    Result<void> own = prepare_parts(*made, options);
    Intent intent{.call = Call::prepare, .options = hash_of(options), .program = program->fingerprint()};
    if (own) {
        const auto size = subgroup_size(*made);
        if (size)
            intent.subgroups = *size;
        else
            own = std::unexpected(size.error());
    }
    TRY(during([&] { return fmt::format("preparing {}", program->entry()); },
               state_->agree(intent, std::move(own))));
    made->intent = Mixed().add(intent.options).add(intent.program.high).add(intent.program.low).hash();
    std::vector<MemberRecord> records;
    for (std::size_t i = 0; i < state_->sessions.size(); ++i) {
        const Kernel& kernel = made->parts.front().kernels[i];
        records.push_back(record_of(device_id(kernel.backend(), kernel.device()),
                                    hash_of(fmt::format("{} {}", kernel.backend(), kernel.device().name)),
                                    state_->weights[state_->first + i]));
    }
    TRY(exchange_members(*state_, records));
    made->weights = state_->weights;
    made->last.resize(state_->sessions.size());
    return ClusterKernel(std::move(made));
}

Result<ClusterBuffer> ClusterSession::buffer(std::uint64_t bytes, Sharding sharding,
                                             std::optional<ElementType> element) {
    const std::uint64_t number = ++state_->buffers_made;  // also if it isn't made
    auto made = make_cluster_buffer(state_, bytes, sharding, element);
    Mixed blocks;
    Result<void> own;
    if (!made) {
        own = std::unexpected(made.error());
    } else {
        (*made)->number = number;
        for (const cluster::WordRange& each : (*made)->blocks) blocks.add(each.end);
    }
    TRY(state_->agree({.call = Call::make_buffer, .options = blocks.hash(), .buffers = bytes},
                      std::move(own)));
    return ClusterBuffer(*std::move(made));
}

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

/// Agrees on a dispatch. Without an agreement the data between grid barriers are those of the processes that made some: all make new ones.
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
        if (!timing) return 0;
        sum += timing->device_ns;
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
    if (std::ranges::any_of(times, [](double time) { return time <= 0; })) return {};
    // The members' parts take weight * time: as long as they do about the same, the cut stays, and with it the data.
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

}  // namespace

Result<ClusterTicket> ClusterSession::dispatch(const ClusterKernel& of,
                                               std::span<const ClusterArgument> arguments, const Grid& grid) {
    ClusterKernel::State& kernel = *of.state();
    CheckedDispatch checked;
    Result<void> own = check_own(*state_, kernel, arguments);
    if (own) own = check(kernel, arguments, grid, checked);
    const auto what = [&] { return fmt::format("dispatching {} on a cluster", kernel.program->entry()); };
    TRY(during(what, agree(Call::dispatch, kernel, checked, std::move(own))));
    auto ticket = std::make_shared<ClusterTicket::State>();
    ticket->session = state_;
    ticket->tickets.resize(state_->sessions.size());
    if (checked.grid.count() == 0) return ClusterTicket(std::move(ticket));
    if (state_->measures()) TRY(measure(kernel));
    if (kernel.split) {
        TRY(during(what, run_phases(kernel, checked.bound, checked.grid, *ticket)));
        return ClusterTicket(std::move(ticket));
    }
    const ClusterRun run{*state_, kernel.parts.front(), checked.bound, checked.grid, kernel.plan_weights};
    const auto plan = TRY(during(what, run.plan()));
    TRY(during(what, run.execute(*plan, *ticket)));
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
    if (checked.grid.count() == 0) return "nothing runs: the grid is empty";
    std::vector<std::string> names;
    for (const ClusterMember& member : state_->members) {
        const std::string process = size() == 1 ? "" : fmt::format("process {}, ", member.process);
        names.push_back(fmt::format("member {} ({}{})", names.size(), process, member.device));
    }
    std::string text;
    for (std::size_t i = 0; i < kernel.parts.size(); ++i) {
        const std::vector<std::uint32_t> values =
            kernel.split ? no_host_values(kernel, i) : std::vector<std::uint32_t>();
        const std::vector<ClusterBound> bound =
            kernel.split ? bound_of_part(kernel, i, checked.bound, values) : checked.bound;
        const auto plan =
            TRY(ClusterRun{*state_, kernel.parts[i], bound, checked.grid, kernel.plan_weights}.plan());
        text += (i == 0 ? "" : "\n") + cluster::explain(*plan, kernel.parts[i].program(), names);
    }
    return text;
}

Result<Timing> ClusterTicket::wait() const {
    ClusterSession::State& session = *state_->session;
    std::uint64_t longest = 0;
    for (std::uint32_t i = 0; i < state_->tickets.size(); ++i) {
        std::uint64_t sum = 0;
        for (const Ticket& ticket : state_->tickets[i]) {
            const auto ended = ticket.wait();
            if (session.keeps(ended, session.first + i)) sum += ended->device_ns;
        }
        longest = std::max(longest, sum);
    }
    TRY(session.agree({.call = Call::wait}, {}));
    const std::vector<std::uint64_t> all =
        TRY(gathered(*session.transport, std::span<const std::uint64_t>(&longest, 1)));
    return Timing{std::ranges::max(all)};
}

const ClusterWork& ClusterTicket::work() const { return state_->work; }

}  // namespace muster
