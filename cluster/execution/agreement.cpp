#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <muster/cluster/execution/agreement.hpp>
#include <muster/foundation/base/byte_archive.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cluster {
namespace {

constexpr std::array<std::string_view, 9> call_names{
    "ClusterSession::open",       "ClusterSession::prepare",   "ClusterSession::buffer",
    "a write of a ClusterBuffer", "a read of a ClusterBuffer", "ClusterSession::dispatch",
    "ClusterTicket::wait",        "ClusterSession::explain",   "exit"};

constexpr std::string_view same_values = "give the same ones in every process";
constexpr std::string_view same_calls = "make the same calls, in the same order, in every process";
/// A field in which the intents of two processes may differ: its name in messages, and the fix.
struct Difference {
    std::string_view what, fix;
};
/// In the order in which differences are told. Every member of an intent is named, so that adding one doesn't
/// compile until it is compared.
std::optional<Difference> difference(const Intent& first, const Intent& other) {
    const auto& [call, build, options, subgroups, buffers, arguments, grid, program] = first;
    (void)call;  // told with both names
    if (other.program != program) return Difference{"another program", same_values};
    if (other.build != build)
        return Difference{"another build of muster",
                          "start the same program, linked to the same library, in every process"};
    if (other.options != options) return Difference{"other options", same_values};
    if (other.subgroups != subgroups)
        return Difference{"another size of subgroups",
                          "ask for a size that every device has: CompileOptions::subgroup_size"};
    if (other.buffers != buffers) return Difference{"another buffer", same_calls};
    if (other.arguments != arguments) return Difference{"other arguments", same_values};
    if (other.grid != grid) return Difference{"another grid", same_values};
    return std::nullopt;
}

}  // namespace

Error unreadable(std::size_t rank) {
    return {ErrorCode::conflict,
            fmt::format("A message of process {} can't be read.", rank),
            "start the same program, linked to the same library, in every process",
            {}};
}

namespace {

struct Vote {
    Intent intent;
    std::uint32_t error_bytes = 0;  // of the error's text; 0: none
};

/// The most that a process says of an error.
constexpr std::size_t most_error_bytes = 1 << 16;

/// Refuses votes that no process of this build casts: they come from outside.
Result<void> check(std::span<const Vote> votes) {
    for (std::size_t rank = 0; rank < votes.size(); ++rank)
        if (static_cast<std::size_t>(votes[rank].intent.call) >= call_names.size() ||
            votes[rank].error_bytes > most_error_bytes)
            return std::unexpected(unreadable(rank));
    return {};
}

Error differs(std::string_view call, std::size_t rank, std::string_view what, std::string_view fix) {
    return {ErrorCode::conflict,
            fmt::format("Process {} gives {} {} than process 0.", rank, call, what),
            std::string(fix),
            {}};
}

std::optional<Error> difference(std::span<const Vote> votes) {
    const Intent& first = votes.front().intent;
    for (std::size_t rank = 1; rank < votes.size(); ++rank) {
        const Intent& other = votes[rank].intent;
        const std::string_view call = call_names[static_cast<std::size_t>(other.call)];
        if (other.call != first.call)
            return Error{ErrorCode::conflict,
                         fmt::format("Process {} calls {}, while process 0 calls {}.", rank, call,
                                     call_names[static_cast<std::size_t>(first.call)]),
                         std::string(same_calls),
                         {}};
        if (const auto found = difference(first, other)) return differs(call, rank, found->what, found->fix);
    }
    return std::nullopt;
}

template <class Archive>
void exchange(Archive& archive, Error& error) {
    auto& [code, message, fix, context] = error;
    archive.choice("code", code, ErrorCode::internal);
    archive.text("message", message);
    archive.text("fix", fix);
    archive.list("context", context, [&](auto& step) { archive.text("step", step); });
}

std::vector<std::byte> as_bytes(Error error) {
    ByteWriter writer;
    exchange(writer, error);
    std::vector<std::byte> bytes = std::move(writer).take();
    if (bytes.size() <= most_error_bytes) return bytes;
    error.message.resize(std::min<std::size_t>(error.message.size(), most_error_bytes / 2));
    return as_bytes({error.code, std::move(error.message), "see what this process reports itself", {}});
}

std::optional<Error> from_bytes(std::span<const std::byte> bytes) {
    Error error;
    ByteReader reader(bytes);
    exchange(reader, error);
    return reader.done() ? std::optional(std::move(error)) : std::nullopt;
}

/// The first error of a process, which all get; none has more than `most` bytes.
Result<Error> first_error(Transport& transport, std::span<const Vote> votes, std::vector<std::byte> own) {
    const std::uint32_t most = std::ranges::max(votes, {}, &Vote::error_bytes).error_bytes;
    own.resize(most);
    std::vector<std::byte> all(most * votes.size());
    TRY(transport.all_gather(own, all));
    const auto failed = static_cast<std::size_t>(
        std::ranges::find_if(votes, [](const Vote& vote) { return vote.error_bytes != 0; }) - votes.begin());
    std::optional<Error> error = from_bytes(std::span(all).subspan(failed * most, votes[failed].error_bytes));
    if (!error) return std::unexpected(unreadable(failed));
    return std::move(*error).during(fmt::format("working in process {} of {}", failed, votes.size()));
}

}  // namespace

Result<void> agree(Transport& transport, const Intent& intent, const Result<void>& own) {
    if (transport.size() == 1) return own;
    transport.enter(call_names[static_cast<std::size_t>(intent.call)]);
    std::vector<std::byte> error;
    if (!own) error = as_bytes(own.error());
    const Vote vote{intent, static_cast<std::uint32_t>(error.size())};
    std::vector<Vote> votes(transport.size());
    TRY(transport.all_gather(std::as_bytes(std::span(&vote, 1)), std::as_writable_bytes(std::span(votes))));
    TRY(check(votes));
    if (std::ranges::any_of(votes, [](const Vote& each) { return each.error_bytes != 0; })) {
        auto first = first_error(transport, votes, std::move(error));
        return std::unexpected(first ? *std::move(first) : std::move(first).error());
    }
    if (auto why = difference(votes)) return std::unexpected(*std::move(why));
    return {};
}

}  // namespace muster::cluster
