#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <muster/cluster/session/agreement.hpp>
#include <muster/foundation/base/byte_archive.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cluster {
namespace {

constexpr std::array<std::string_view, 9> call_names{
    "ClusterSession::open",       "ClusterSession::prepare",   "ClusterSession::buffer",
    "a write of a ClusterBuffer", "a read of a ClusterBuffer", "ClusterSession::dispatch",
    "ClusterTicket::wait",        "ClusterSession::explain",   "exit"};

/// A field of an intent, and how it is called where it differs.
struct Field {
    std::uint64_t Intent::*number;
    std::string_view name;
    std::string_view fix;
};
constexpr std::string_view same_values = "give the same ones in every process";
constexpr std::array fields{
    Field{&Intent::build, "another build of muster",
          "start the same program, linked to the same library, in every process"},
    Field{&Intent::options, "other options", same_values},
    Field{&Intent::subgroups, "another size of subgroups",
          "ask for a size that every device has: CompileOptions::subgroup_size"},
    Field{&Intent::buffers, "another buffer", "make the same calls, in the same order, in every process"},
    Field{&Intent::arguments, "other arguments", same_values},
    Field{&Intent::grid, "another grid", same_values}};

struct Vote {
    Intent intent;
    std::uint32_t error_bytes = 0;  // of the error's text; 0: none
};

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
                         "make the same calls, in the same order, in every process",
                         {}};
        if (other.program != first.program) return differs(call, rank, "another program", same_values);
        for (const Field& field : fields)
            if (other.*field.number != first.*field.number) return differs(call, rank, field.name, field.fix);
    }
    return std::nullopt;
}

template <class Archive>
void exchange(Archive& archive, Error& error) {
    archive.choice("code", error.code, ErrorCode::internal);
    archive.text("message", error.message);
    archive.text("fix", error.fix);
    archive.list("context", error.context, [&](auto& step) { archive.text("step", step); });
}

std::vector<std::byte> as_bytes(Error error) {
    ByteWriter writer;
    exchange(writer, error);
    return std::move(writer).take();
}

Error from_bytes(std::span<const std::byte> bytes) {
    Error error;
    ByteReader reader(bytes);
    exchange(reader, error);
    return error;
}

/// The first error of a process, which all get; none has more than `most` bytes.
Result<Error> first_error(Transport& transport, std::span<const Vote> votes, std::vector<std::byte> own) {
    const std::uint32_t most = std::ranges::max(votes, {}, &Vote::error_bytes).error_bytes;
    own.resize(most);
    std::vector<std::byte> all(most * votes.size());
    TRY(transport.all_gather(own, all));
    const auto failed = static_cast<std::size_t>(
        std::ranges::find_if(votes, [](const Vote& vote) { return vote.error_bytes != 0; }) - votes.begin());
    Error error = from_bytes(std::span(all).subspan(failed * most, votes[failed].error_bytes));
    return std::move(error).during(fmt::format("working in process {} of {}", failed, votes.size()));
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
    if (std::ranges::any_of(votes, [](const Vote& each) { return each.error_bytes != 0; })) {
        auto first = first_error(transport, votes, std::move(error));
        return std::unexpected(first ? *std::move(first) : std::move(first).error());
    }
    if (auto why = difference(votes)) return std::unexpected(*std::move(why));
    return {};
}

}  // namespace muster::cluster
