// agreement.hpp - makes processes sure that all of them are about to do the same, and that each
// can. Internal to cluster/.
//
//     Intent intent{.call = Call::dispatch, .program = fingerprint};
//     TRY(agree(transport, intent, checked_here));      // every process returns the same error, or none
//
// Collective. Cost: one exchange of some hundred bytes, and a second one if a process has an error.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <muster/cluster/decomposition/mixed.hpp>
#include <muster/cluster/transport/transport.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cluster {

enum class Call : std::uint8_t { open, prepare, make_buffer, write, read, dispatch, wait, explain, exit };

/// The call that a process is about to make. The numbers are hashes; those of all processes must be equal.
struct Intent {
    Call call = Call::open;
    std::uint64_t build = 0, options = 0, subgroups = 0, buffers = 0, arguments = 0, grid = 0;
    Fingerprint program = {};
};

/// The records of all processes, by rank; each gives as many.
template <class Record>
Result<std::vector<Record>> gathered(Transport& transport, std::span<const Record> own) {
    std::vector<Record> all(own.size() * transport.size());
    TRY(transport.all_gather(std::as_bytes(own), std::as_writable_bytes(std::span(all))));
    return all;
}

/// The error for a message that no process of this build sends.
Error unreadable(std::size_t rank);

/// Errors: that of the first process that has one, with its rank; conflict, if the intents differ.
Result<void> agree(Transport& transport, const Intent& intent, const Result<void>& own);

}  // namespace muster::cluster
