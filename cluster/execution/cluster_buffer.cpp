#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <muster/cluster/execution/cluster_state.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

using cluster::Call;
using cluster::common;
using cluster::Distribution;
using cluster::Intent;
using cluster::WordRange;

std::vector<WordSource> sources_of(const Distribution& distribution, WordRange words) {
    cluster::WordSet left(words);
    std::vector<WordSource> sources;
    for (std::uint32_t member = 0; member < distribution.current.size() && !left.empty(); ++member) {
        const cluster::WordSet own = left.common(distribution.current[member]);
        for (const WordRange& range : own.ranges()) sources.push_back({member, range});
        left = left.without(own);
    }
    return sources;
}

namespace {

/// The cuts between the members' rows, by the caller's rule.
Result<std::vector<std::uint64_t>> cuts_of(const Sharded& sharded, std::uint64_t rows,
                                           std::span<const double> weights) {
    if (!sharded.blocks) return cluster::cut_by_weight(rows, weights);
    using Rows = std::vector<std::uint64_t>;
    const Rows counts =
        TRY(guarded("Sharded::blocks", [&] { return Result<Rows>(sharded.blocks(rows, weights)); },
                    {ErrorCode::invalid_argument, "let it return one number for each member"}));
    std::vector<std::uint64_t> cuts{0};
    std::inclusive_scan(counts.begin(), counts.end(), std::back_inserter(cuts));
    if (counts.size() == weights.size() && cuts.back() == rows && std::ranges::is_sorted(cuts)) return cuts;
    return fail(ErrorCode::invalid_argument,
                fmt::format("The rule of a sharded buffer gives {} members {} rows; there are {} and {}.",
                            counts.size(), cuts.back(), weights.size(), rows),
                "let Sharded::blocks return one number for each member, and as many rows as it is given");
}

/// Each member's block of words; empty if the buffer is replicated.
Result<std::vector<WordRange>> blocks_of(const Sharding& sharding, std::uint64_t bytes,
                                         std::optional<ElementType> element,
                                         std::span<const double> weights) {
    const auto* sharded = std::get_if<Sharded>(&sharding);
    if (!sharded) return std::vector<WordRange>();
    const std::uint64_t smallest = element ? std::max<std::uint64_t>(element->bytes, 4) : 4;
    const std::uint64_t row_bytes = sharded->row_bytes != 0 ? sharded->row_bytes : smallest;
    if (row_bytes % 4 != 0)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("A sharded buffer has rows of {} bytes, which isn't a multiple of 4.", row_bytes),
            "make a row of whole words (Sharded::row_bytes)");
    const std::uint64_t rows = bytes / row_bytes + (bytes % row_bytes != 0 ? 1 : 0);
    return cluster::blocks_of_rows(bytes / 4, row_bytes / 4, TRY(cuts_of(*sharded, rows, weights)));
}

/// Checks the process that gives or gets the whole contents.
Result<void> check_root(const ClusterBuffer::State& buffer, std::uint32_t root) {
    const std::uint32_t size = buffer.session->transport->size();
    if (root < size) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("There is no process {}: the cluster has {}.", root, size),
                fmt::format("name one from 0 to {}", size - 1));
}

std::unexpected<Error> wrong_size(const char* what, std::uint64_t given, std::uint64_t expected) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} has {} bytes; {} are given.", what, expected, given),
                "give as many bytes as it has");
}

/// The words that a process's members have once the host has written the buffer.
WordRange words_of_process(const ClusterBuffer::State& buffer, std::uint32_t rank) {
    if (buffer.blocks.empty()) return {0, buffer.words()};
    const auto& members = buffer.session->members;
    const auto [first, last] = std::ranges::equal_range(members, rank, {}, &ClusterMember::process);
    return {buffer.blocks[static_cast<std::size_t>(first - members.begin())].begin,
            buffer.blocks[static_cast<std::size_t>(last - members.begin()) - 1].end};
}

WordRange own_words(const ClusterBuffer::State& buffer) {
    return words_of_process(buffer, buffer.session->transport->rank());
}

/// The words that a member gets if the host writes the whole buffer.
WordRange written_part(const ClusterBuffer::State& buffer, std::uint32_t member) {
    return buffer.blocks.empty() ? WordRange{0, buffer.words()} : buffer.blocks[member];
}

Intent intent_of(Call call, const ClusterBuffer::State& buffer, std::uint64_t how) {
    return {.call = call,
            .buffers = cluster::Mixed().add(buffer.number).add(buffer.session->hash_of(buffer.now)).hash(),
            .arguments = how};
}

/// Writes to this process's members what is theirs, once all processes agree; `from`
/// begins at the word `first`.
Result<void> write_agreed(ClusterBuffer::State& buffer, std::span<const std::byte> from, std::uint64_t first,
                          std::uint64_t how, Result<void> own) {
    ClusterSession::State& session = *buffer.session;
    TRY(session.agree(intent_of(Call::write, buffer, how), std::move(own)));
    for (std::uint32_t i = 0; i < session.sessions.size(); ++i) {
        const WordRange part = written_part(buffer, session.first + i);
        if (part.size() == 0) continue;
        session.keeps(buffer.here[i].write_bytes(from.subspan(4 * (part.begin - first), byte_count(part)),
                                                 first_byte(part)),
                      session.first + i);
    }
    buffer.now = buffer.written;
    return session.agree({.call = Call::write}, {});
}

/// Whole buffers go in pieces, so that messages take little memory.
constexpr std::uint64_t most_piece_words = std::uint64_t{4} << 20;

std::uint64_t piece_words(const ClusterBuffer::State& buffer) {
    return std::min(buffer.words(), most_piece_words);
}

template <class Each>
Result<void> for_each_piece(WordRange words, Each&& each) {
    for (std::uint64_t first = words.begin; first < words.end; first += most_piece_words)
        TRY(each(WordRange{first, std::min(first + most_piece_words, words.end)}));
    return {};
}

/// Gives each process those words of a piece that it wants; `into` begins with the first of all that this
/// one wants. What fails on a member is remembered by the session: the messages are sent all the same, so
/// that no process waits for ever.
template <class Wanted>
Result<void> collect(const ClusterBuffer::State& buffer, WordRange piece, std::span<std::byte> into,
                     Wanted&& wanted) {
    ClusterSession::State& session = *buffer.session;
    cluster::Transport& transport = *session.transport;
    std::span<std::uint32_t> left(session.staging);
    for (const WordSource& source : sources_of(session.planner->distribution(buffer.now), piece)) {
        const std::uint32_t holder = session.process_of(source.member);
        const bool is_own = holder == transport.rank();
        const auto read = [&](WordRange words, std::span<std::byte> to) {
            session.keeps(buffer.of(source.member).read_bytes(to, first_byte(words)), source.member);
        };
        WordRange last;  // in `sent`
        std::span<std::byte> sent;
        for (std::uint32_t rank = 0; rank < transport.size(); ++rank) {
            const WordRange words = common(source.words, wanted(rank));
            if (words.size() == 0) continue;
            if (rank == transport.rank()) {
                const auto place = into.subspan(4 * (words.begin - wanted(rank).begin), byte_count(words));
                if (is_own)
                    read(words, place);
                else
                    TRY(transport.receive(holder, place));
            } else if (is_own) {
                if (std::exchange(last, words) != words) {
                    sent = std::as_writable_bytes(left.first(words.size()));
                    left = left.subspan(words.size());
                    read(words, sent);
                }
                TRY(transport.send(rank, sent));
            }
        }
    }
    return transport.wait();
}

/// Collects what processes want of a buffer, once all agree.
template <class Wanted>
Result<void> read_wanted(const ClusterBuffer::State& buffer, std::span<std::byte> into, const char* what,
                         std::uint64_t how, Wanted&& wanted, Result<void> own = {}) {
    ClusterSession::State& session = *buffer.session;
    const std::uint64_t expected = byte_count(wanted(session.transport->rank()));
    if (own && into.size() != expected) own = wrong_size(what, into.size(), expected);
    TRY(session.agree_with_room(intent_of(Call::read, buffer, how), piece_words(buffer), std::move(own)));
    TRY(for_each_piece({0, buffer.words()},
                       [&](WordRange piece) { return collect(buffer, piece, into, wanted); }));
    return session.agree({.call = Call::read}, {});
}

}  // namespace

Result<std::shared_ptr<ClusterBuffer::State>> make_cluster_buffer(
    const std::shared_ptr<ClusterSession::State>& session, std::uint64_t bytes, const Sharding& sharding,
    std::optional<ElementType> element) {
    if (bytes % 4 != 0)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("A buffer of a cluster has {} bytes, which isn't a multiple of 4.", bytes),
                    "make it of whole words");
    auto made = std::make_shared<ClusterBuffer::State>();
    made->session = session;
    made->bytes = bytes;
    made->element_type = element;
    auto blocks = blocks_of(sharding, bytes, element, session->weights);
    if (!blocks) return std::unexpected(std::move(blocks).error());
    made->blocks = *std::move(blocks);
    for (Session& each : session->sessions) made->here.push_back(TRY(each.buffer(bytes, element)));
    made->now = session->planner->replicated(made->words());  // zeros everywhere
    made->written =
        made->blocks.empty() ? made->now : session->planner->intern(cluster::sharded(made->blocks));
    return made;
}

std::uint64_t ClusterBuffer::bytes() const { return state_->bytes; }
std::optional<ElementType> ClusterBuffer::element_type() const { return state_->element_type; }
bool ClusterBuffer::is_rank(std::uint32_t rank) const { return state_->session->transport->rank() == rank; }

ClusterBuffer::Block ClusterBuffer::block() const {
    const WordRange words = own_words(*state_);
    return {first_byte(words), byte_count(words)};
}

Result<void> ClusterBuffer::write_bytes(std::span<const std::byte> whole) {
    Result<void> own;
    if (whole.size() != bytes()) own = wrong_size("The buffer", whole.size(), bytes());
    return write_agreed(*state_, whole, 0, 0, std::move(own));
}

Result<void> ClusterBuffer::write_block_bytes(std::span<const std::byte> given) {
    Result<void> own;
    if (state_->blocks.empty())
        own = fail(ErrorCode::invalid_argument, "A replicated buffer has no blocks for processes to write.",
                   "write the whole buffer, or make it Sharded");
    else if (given.size() != block().bytes)
        own = wrong_size("This process's block of the buffer", given.size(), block().bytes);
    return write_agreed(*state_, given, own_words(*state_).begin, 1, std::move(own));
}

Result<void> ClusterBuffer::write_bytes_from(std::uint32_t root, std::span<const std::byte> whole) {
    ClusterSession::State& session = *state_->session;
    cluster::Transport& transport = *session.transport;
    Result<void> own = check_root(*state_, root);
    if (own && is_rank(root) && whole.size() != bytes())
        own = wrong_size("The buffer", whole.size(), bytes());
    TRY(session.agree_with_room(intent_of(Call::write, *state_, 2 + std::uint64_t{root}),
                                piece_words(*state_), std::move(own)));
    for (std::uint32_t member = 0; member < session.member_count(); ++member) {
        const std::uint32_t there = session.process_of(member);
        TRY(for_each_piece(written_part(*state_, member), [&](WordRange piece) -> Result<void> {
            const auto write = [&](std::span<const std::byte> bytes) {
                if (session.broken) return;
                session.keeps(state_->of(member).write_bytes(bytes, first_byte(piece)), member);
            };
            if (is_rank(root)) {
                const auto bytes = whole.subspan(first_byte(piece), byte_count(piece));
                if (there != root) return transport.send(there, bytes);
                write(bytes);
            } else if (session.is_here(member)) {
                const auto bytes = std::as_writable_bytes(std::span(session.staging).first(piece.size()));
                TRY(transport.receive(root, bytes));
                TRY(transport.wait());
                write(bytes);
            }
            return {};
        }));
    }
    TRY(transport.wait());
    state_->now = state_->written;
    return session.agree({.call = Call::write}, {});
}

Result<void> ClusterBuffer::read_bytes(std::span<std::byte> whole) const {
    const WordRange all{0, state_->words()};
    return read_wanted(*state_, whole, "The buffer", 0, [&](std::uint32_t) { return all; });
}

Result<void> ClusterBuffer::read_bytes_on(std::uint32_t root, std::span<std::byte> whole) const {
    const WordRange all{0, state_->words()};
    return read_wanted(
        *state_, whole, "The buffer", 2 + std::uint64_t{root},
        [&](std::uint32_t rank) { return rank == root ? all : WordRange{}; }, check_root(*state_, root));
}

Result<void> ClusterBuffer::read_block_bytes(std::span<std::byte> block) const {
    return read_wanted(*state_, block, "This process's block of the buffer", 1,
                       [&](std::uint32_t rank) { return words_of_process(*state_, rank); });
}

}  // namespace muster
