#include <array>
#include <cstring>

#include <fmt/format.h>

#include <muster/cluster/execution/run_phases.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/split/grid_walk.hpp>

namespace muster {
namespace {

std::uint64_t bytes_of(const ClusterBound& bound) {
    return bound.buffer ? bound.buffer->bytes : bound.value.size();
}

/// Runs the parts that the walk over the host's steps asks for. Every process walks the same way:
/// it reads the same words.
class PhaseHost final : public GridHost {
  public:
    PhaseHost(ClusterKernel::State& kernel, std::span<const ClusterBound> bound, Extent3 grid,
              ClusterTicket::State& ticket)
        : kernel_(kernel), session_(*kernel.session), bound_(bound), grid_(grid), ticket_(ticket) {}

    Result<void> run(std::uint32_t number, std::span<const std::uint32_t> host_values) override {
        const std::vector<ClusterBound> bound = bound_of_part(kernel_, number, bound_, host_values);
        const ClusterRun run{session_, kernel_.parts[number], bound, grid_, kernel_.plan_weights};
        const auto plan = TRY(during([&] { return fmt::format("planning part {}", number); }, run.plan()));
        TRY(run.execute(*plan, ticket_));
        ticket_.ran.push_back({number, plan});
        return {};
    }
    /// Reads wait for what writes the words.
    Result<bool> is_settled() override { return true; }
    Result<void> read(std::uint32_t binding, std::uint64_t offset, std::span<std::uint32_t> into) override {
        const ClusterBound& from = bound_[binding];
        if (from.buffer) return read_words(*from.buffer, offset / 4, into);
        std::memcpy(into.data(), from.value.data() + offset, into.size_bytes());
        return {};
    }
    Result<std::optional<std::uint32_t>> fetch() override {
        static_assert(static_cast<int>(ScratchWord::fetched) == 0 &&
                      static_cast<int>(ScratchWord::value) == 1);
        std::array<std::uint32_t, 2> words{};
        TRY(read_words(*kernel_.scratch, 0, words));
        if (words[0] == 0) return std::nullopt;
        constexpr std::uint32_t none = 0;
        TRY(write_word(*kernel_.scratch, none));
        return words[1];
    }

  private:
    /// Gives every process the words, from the member that has them.
    Result<void> read_words(const ClusterBuffer::State& buffer, std::uint64_t first,
                            std::span<std::uint32_t> into) {
        cluster::Transport& transport = *session_.transport;
        for (const WordSource& source :
             sources_of(session_.planner->distribution(buffer.now), {first, first + into.size()})) {
            const auto place =
                std::as_writable_bytes(into.subspan(source.words.begin - first, source.words.size()));
            const std::uint32_t holder = session_.process_of(source.member);
            if (holder != transport.rank()) {
                TRY(transport.receive(holder, place));
                continue;
            }
            if (!session_.broken)
                session_.keeps(buffer.of(source.member).read_bytes(place, first_byte(source.words)),
                               source.member);
            for (std::uint32_t rank = 0; rank < transport.size(); ++rank)
                if (rank != holder) TRY(transport.send(rank, place));
        }
        TRY(transport.wait());
        return session_.agree({.call = cluster::Call::dispatch},
                              {});  // no loop goes on by words of a member that failed
    }
    /// Writes the first word of a buffer on every member.
    Result<void> write_word(ClusterBuffer::State& buffer, std::uint32_t word) {
        for (std::uint32_t i = 0; i < session_.sessions.size() && !session_.broken; ++i)
            session_.keeps(buffer.here[i].write_bytes(std::as_bytes(std::span(&word, 1))),
                           session_.first + i);
        cluster::Distribution now = session_.planner->distribution(buffer.now);
        for (cluster::WordSet& current : now.current) current.insert({0, 1});
        buffer.now = session_.planner->intern(std::move(now));
        return {};
    }

    ClusterKernel::State& kernel_;
    ClusterSession::State& session_;
    std::span<const ClusterBound> bound_;
    Extent3 grid_;
    ClusterTicket::State& ticket_;
};

}  // namespace

std::vector<ClusterBound> bound_of_part(const ClusterKernel::State& kernel, std::size_t part,
                                        std::span<const ClusterBound> bound,
                                        std::span<const std::uint32_t> host_values) {
    std::vector<ClusterBound> made;
    for (const SplitBinding& each : kernel.split->parts[part].bindings) switch (each.source) {
            case SplitBinding::Source::program: made.push_back(bound[each.index]); break;
            case SplitBinding::Source::scratch: made.push_back({.buffer = kernel.scratch.get()}); break;
            case SplitBinding::Source::host_values:
                made.push_back({.value = std::as_bytes(host_values)});
                break;
        }
    return made;
}

Result<void> make_scratch(ClusterKernel::State& kernel, Extent3 grid) {
    if (!kernel.split->uses_scratch) return {};
    const std::uint64_t words = scratch_words(*kernel.split, grid);
    if (words > UINT64_MAX / 4)
        return fail(ErrorCode::limit_exceeded,
                    "The data between grid barriers have more bytes than 64 bits count.",
                    "dispatch less at once");
    if (kernel.scratch && kernel.scratch->bytes == 4 * words) return {};
    kernel.scratch = TRY(during("making the data between grid barriers",
                                make_cluster_buffer(kernel.session, 4 * words, Replicated{}, {})));
    return {};
}

Result<void> run_phases(ClusterKernel::State& kernel, std::span<const ClusterBound> bound, Extent3 grid,
                        ClusterTicket::State& ticket) {
    std::vector<std::uint64_t> bytes;
    for (const ClusterBound& each : bound) bytes.push_back(bytes_of(each));
    PhaseHost host(kernel, bound, grid, ticket);
    GridWalk walk(*kernel.split, grid, std::move(bytes));
    while (!TRY(walk.go_on(host))) {
    }
    return {};
}

}  // namespace muster
