#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include <muster/cluster/decomposition/explain.hpp>
#include <muster/cluster/decomposition/plan_guard.hpp>
#include <muster/cluster/execution/run_part.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

using cluster::Plan;
using cluster::RankPart;
using cluster::Reduction;
using cluster::Transfer;

std::vector<Argument> ClusterRun::arguments(std::uint32_t member) const {
    std::vector<Argument> arguments;
    arguments.reserve(bound.size());
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const Variable& variable = part.program().variable(part.program().bindings()[i]);
        const GroupBinding at{variable.group, variable.binding};
        if (bound[i].buffer)
            arguments.emplace_back(at, bound[i].buffer->of(member));
        else
            arguments.emplace_back(at, ArgumentValue{InlineVector<std::byte, 64>(bound[i].value), {}});
    }
    return arguments;
}

std::vector<cluster::PlanBinding> plan_bindings(std::span<const ClusterBound> bound) {
    std::vector<cluster::PlanBinding> bindings;
    bindings.reserve(bound.size());
    for (const ClusterBound& each : bound)
        bindings.push_back({.bytes = each.buffer ? each.buffer->bytes : each.value.size(),
                            .value = each.value,
                            .distribution = each.buffer ? each.buffer->now : cluster::DistributionId(),
                            .reads_whole = each.reads_whole});
    return bindings;
}

Result<std::shared_ptr<const Plan>> ClusterRun::plan() const {
    const std::vector<cluster::PlanBinding> bindings = plan_bindings(bound);
    auto plan =
        session.planner->plan(part.footprint, {.grid = grid, .bindings = bindings, .weights = weights});
    if (!plan || !(*plan)->one_rank || !session.refuses_uncut()) return plan;
    return refused(**plan);
}

std::unexpected<Error> refused(const Plan& plan) {
    return fail(ErrorCode::unsupported, cluster::reason_of(plan), plan.one_rank->fix);
}

namespace {

/// One execution of a plan.
class PlanRun {
  public:
    PlanRun(const ClusterRun& run, const Plan& plan, ClusterTicket::State& ticket)
        : run_(run), session_(run.session), plan_(plan), ticket_(ticket) {
        for (std::uint32_t i = 0; i < session_.sessions.size(); ++i)
            arguments_.push_back(run.arguments(session_.first + i));
        if (session_.validation() != Validation::off) make_guards();
    }

    Result<void> operator()() {
        TRY(take_room());
        fill_identities();
        TRY(begin_transfers());
        for_each_here([&](std::uint32_t member, const RankPart& part) {
            dispatch(member, part.interior_begin, part.interior_end);
        });
        TRY(finish_messages());
        store_received();
        for (cluster::PlanGuard& each : guards_) each.receive();
        for_each_here([&](std::uint32_t member, const RankPart& part) {
            dispatch(member, part.begin, part.interior_begin);
            dispatch(member, part.interior_end, part.end);
        });
        for (const Reduction& reduction : plan_.reductions) TRY(reduce(reduction));
        return {};
    }

  private:
    struct Message {
        std::span<const Transfer> transfers;  // between the same two members
        std::span<std::uint32_t> words;       // theirs, one after the other
        std::uint32_t from() const { return transfers.front().from; }
        std::uint32_t to() const { return transfers.front().to; }
    };
    template <class Each>
    void for_each_here(Each&& each) {
        for (std::uint32_t i = 0; i < session_.sessions.size(); ++i) {
            const std::uint32_t member = session_.first + i;
            each(member, plan_.parts[member]);
        }
    }
    Session& session_of(std::uint32_t member) { return session_.sessions[member - session_.first]; }
    ClusterBuffer::State& buffer(std::uint32_t binding) { return *run_.bound[binding].buffer; }
    /// True if the member adds to the words of a reduction: it keeps them, or runs workgroups.
    bool contributes(std::uint32_t member, const Reduction& reduction) const {
        return member == reduction.keeper || plan_.parts[member].begin != plan_.parts[member].end;
    }

    void make_guards() {
        std::vector<cluster::DistributionId> held;
        for (const ClusterBound& each : run_.bound)
            held.push_back(each.buffer ? each.buffer->now : cluster::DistributionId());
        for_each_here([&](std::uint32_t member, const RankPart&) {
            guards_.emplace_back(*session_.planner, plan_, held, member, fmt::format("member {}", member));
        });
    }

    /// Messages and reductions use the room one after the other.
    Result<void> take_room() {
        std::uint64_t words = session_.most_here * plan_.most_words;
        for (const Reduction& each : plan_.reductions) words = std::max(words, 2 * each.words.size());
        if (words <= session_.room) return {};
        return session_.agree_with_room({.call = cluster::Call::dispatch}, words, {});
    }

    void fill_identities() {
        for (const Reduction& each : plan_.reductions)
            for_each_here([&](std::uint32_t member, const RankPart&) {
                if (member == each.keeper || !contributes(member, each) || session_.broken) return;
                session_.keeps(session_of(member).fill({buffer(each.binding).of(member),
                                                        first_byte(each.words), byte_count(each.words)},
                                                       cluster::identity(each.op, each.type)),
                               member);
            });
    }

    Result<void> begin_transfers() {
        find_messages();
        for (const Message& each : messages_)
            if (!session_.is_here(each.from()))
                TRY(session_.transport->receive(session_.process_of(each.from()),
                                                std::as_writable_bytes(each.words)));
        for (const Message& each : messages_) {
            if (!session_.is_here(each.from())) continue;
            for_each_transfer(each, each.from(), [](Buffer& from, auto bytes, std::uint64_t first) {
                return from.read_bytes(bytes, first);
            });
            if (!session_.is_here(each.to()))
                TRY(session_.transport->send(session_.process_of(each.to()), std::as_bytes(each.words)));
        }
        return {};
    }

    /// Makes a message of the transfers from one member to another, in the order of the plan.
    void find_messages() {
        std::span<const Transfer> left(plan_.transfers);
        std::span<std::uint32_t> room(session_.staging);
        while (!left.empty()) {
            std::size_t count = 0, words = 0;
            for (; count < left.size() && left[count].from == left[0].from && left[count].to == left[0].to;
                 ++count)
                words += left[count].words.size();
            if (session_.is_here(left[0].from) || session_.is_here(left[0].to)) {
                messages_.push_back({left.first(count), room.first(words)});
                room = room.subspan(words);
            }
            left = left.subspan(count);
        }
    }

    /// Moves a message's words from or to the buffers of a member.
    template <class Move>
    void for_each_transfer(const Message& message, std::uint32_t member, Move&& move) {
        std::span<std::uint32_t> left = message.words;
        for (const Transfer& each : message.transfers) {
            const auto bytes = std::as_writable_bytes(left.first(each.words.size()));
            left = left.subspan(each.words.size());
            if (session_.broken) continue;
            session_.keeps(move(buffer(each.binding).of(member), bytes, first_byte(each.words)), member);
        }
    }

    /// Waits for the messages. While workgroups run, the processor is theirs, and messages
    /// are moved on now and then.
    Result<void> finish_messages() {
        constexpr auto pause = std::chrono::microseconds(200);
        for (const std::vector<Ticket>& tickets : ticket_.tickets)
            while (!tickets.empty() && !tickets.back().done() && !TRY(session_.transport->test()))
                (void)tickets.back().wait(pause);  // its end is told to who waits for the cluster's ticket
        return session_.transport->wait();
    }

    void store_received() {
        for (const Message& each : messages_)
            if (session_.is_here(each.to()))
                for_each_transfer(each, each.to(), [](Buffer& to, auto bytes, std::uint64_t first) {
                    return to.write_bytes(bytes, first);
                });
    }

    void dispatch(std::uint32_t member, std::uint32_t begin, std::uint32_t end) {
        if (begin == end || session_.broken) return;
        const std::size_t here = member - session_.first;
        const Extent3& grid = run_.grid;
        auto ticket = session_of(member).dispatch(run_.part.kernels[here], arguments_[here],
                                                  PartOfGrid{{plan_.origin(begin), plan_.extent(begin, end)},
                                                             {grid.x, grid.y, grid.z},
                                                             guards_.empty() ? nullptr : &guards_[here]});
        if (session_.keeps(ticket, member)) ticket_.tickets[here].push_back(*ticket);
    }

    Result<void> reduce(const Reduction& reduction) {
        const std::size_t count = reduction.words.size();
        const auto sum = std::span(session_.staging).first(count),
                   own = std::span(session_.staging).subspan(count, count);
        std::ranges::fill(sum, cluster::identity(reduction.op, reduction.type));
        ClusterBuffer::State& words = buffer(reduction.binding);
        for_each_here([&](std::uint32_t member, const RankPart&) {
            if (!contributes(member, reduction) || session_.broken) return;
            if (!session_.keeps(
                    words.of(member).read_bytes(std::as_writable_bytes(own), first_byte(reduction.words)),
                    member))
                return;
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] = cluster::combine(reduction.op, reduction.type, sum[i], own[i]);
        });
        TRY(session_.transport->all_reduce(sum, reduction.op, reduction.type));
        for_each_here([&](std::uint32_t member, const RankPart&) {
            if (session_.broken) return;
            session_.keeps(words.of(member).write_bytes(std::as_bytes(sum), first_byte(reduction.words)),
                           member);
        });
        return {};
    }

    const ClusterRun& run_;
    ClusterSession::State& session_;
    const Plan& plan_;
    ClusterTicket::State& ticket_;
    std::vector<std::vector<Argument>> arguments_;  // by member of this process
    std::vector<cluster::PlanGuard> guards_;        // likewise; empty: nothing is validated
    std::vector<Message> messages_;
};

}  // namespace

Result<void> ClusterRun::execute(const Plan& plan, ClusterTicket::State& ticket) const {
    TRY(PlanRun(*this, plan, ticket)());
    for (std::size_t i = 0; i < bound.size(); ++i)
        if (bound[i].buffer && plan.after[i]) bound[i].buffer->now = plan.after[i];
    ticket.work.bytes_sent += plan.bytes_transferred;
    ticket.work.bytes_reduced += plan.bytes_reduced;
    ticket.work.is_cut &= !plan.one_rank;
    return {};
}

}  // namespace muster
