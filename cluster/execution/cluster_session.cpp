#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <muster/cluster/execution/cluster_state.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

namespace muster {

using cluster::Call;
using cluster::gathered;
using cluster::Intent;
using cluster::Mixed;

namespace {

/// The facts that a process tells of one of its members.
struct MemberRecord {
    std::array<char, 48> device{};
    std::uint64_t kind = 0;  // a hash of the device's backend and name
    double weight = 1;

    std::string_view name() const {
        return {device.data(), static_cast<std::size_t>(std::ranges::find(device, '\0') - device.begin())};
    }
};

constexpr std::size_t most_members_of_process = 4096;

/// Bounds sums of weights, and what is divided by them.
bool is_weight(double weight) { return weight >= 1e-100 && weight <= 1e100; }

std::uint64_t hash_of(std::string_view text) { return Mixed().add(std::as_bytes(std::span(text))).hash(); }

std::uint64_t hash_of_build() {
    static constexpr auto abi = build_fingerprint();
    return hash_of(abi.view());
}

Result<void> check(const ClusterOptions& options) {
    const std::size_t members = std::max<std::size_t>(options.devices.size(), 1);
    if (!options.weights.empty() && options.weights.size() != members)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} weights are given for {} members.", options.weights.size(), members),
                    "give one for each device, or none");
    for (const double weight : options.weights)
        if (!is_weight(weight))
            return fail(ErrorCode::invalid_argument, fmt::format("A member's weight is {}.", weight),
                        "give a number from 1e-100 to 1e100");
    if (members > most_members_of_process)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("{} devices are given; a process has at most {} members.", members,
                                most_members_of_process),
                    "give fewer, or start more processes");
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

/// Takes the records of all processes' members, those of a process one after the other; one
/// without a device is filler.
void take(ClusterSession::State& state, std::span<const MemberRecord> records, std::size_t most) {
    state.most_here = static_cast<std::uint32_t>(most);
    state.members.clear();
    state.weights.clear();
    std::uint64_t first_kind = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const MemberRecord& each = records[i];
        if (each.device[0] == '\0') continue;
        if (state.members.empty()) first_kind = each.kind;
        state.devices_differ |= each.kind != first_kind;
        state.members.push_back({static_cast<std::uint32_t>(i / most), std::string(each.name())});
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

/// The members that state has of a process.
std::size_t members_of(const ClusterSession::State& state, std::size_t rank) {
    return static_cast<std::size_t>(std::ranges::count(state.members, rank, &ClusterMember::process));
}

/// Tells the other processes what this one's members are, each time as many. Errors: conflict (what no
/// process of this build says).
Result<void> exchange_members(ClusterSession::State& state, std::span<const MemberRecord> own) {
    const std::uint64_t count = own.size();
    const auto counts = TRY(gathered(*state.transport, std::span(&count, 1)));
    for (std::size_t rank = 0; rank < counts.size(); ++rank)
        if (counts[rank] == 0 || counts[rank] > most_members_of_process ||
            (rank == state.transport->rank() && counts[rank] != own.size()) ||
            (!state.members.empty() && counts[rank] != members_of(state, rank)))
            return std::unexpected(cluster::unreadable(rank));
    const std::size_t most = std::ranges::max(counts);
    std::vector<MemberRecord> records(own.begin(), own.end());
    records.resize(most);
    const auto all = TRY(gathered(*state.transport, std::span<const MemberRecord>(records)));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_member = i % most < counts[i / most];
        if (all[i].name().empty() == is_member || !is_weight(all[i].weight))
            return std::unexpected(cluster::unreadable(i / most));
    }
    take(state, all, most);
    return {};
}

}  // namespace

Result<void> ClusterSession::State::agree_with_room(const Intent& intent, std::uint64_t words,
                                                    Result<void> own) {
    if (own && staging.size() < words) try {
            staging.resize(words);
        } catch (const std::exception&) {
            own = fail(ErrorCode::out_of_memory,
                       fmt::format("The host has no {} bytes left for messages.", 4 * words),
                       "use smaller buffers, or free some");
        }
    TRY(agree(intent, std::move(own)));
    room = std::max(room, words);
    return {};
}

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
    TRY(during([&] { return fmt::format("preparing {} on a cluster", program->entry()); },
               state_->agree(intent, std::move(own))));
    made->intent = intent.options;
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

}  // namespace muster
