// transport.hpp - what a cluster's processes send each other: messages, sums over all of them,
// small data that all get.
//
//     transport.receive(left, halo);                    // begun; the bytes belong to the transport until wait() returns
//     transport.send(right, edge);
//     session.dispatch(...);                            // meanwhile
//     TRY(transport.wait());
//
// A process has a rank, from 0. Messages from one process to another arrive in the order in which they were
// begun, and the receiver knows their sizes. all_reduce and all_gather are collective: every process calls
// them, in the same order. An error means that the processes no longer agree on what comes next: only the end
// of the job helps. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <muster/cluster/decomposition/reduction.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cluster {

class Transport {
  public:
    virtual ~Transport() = default;
    virtual std::uint32_t rank() const = 0;
    virtual std::uint32_t size() const = 0;

    /// Names the call of muster's that the processes are in, for what is said of a long wait. The
    /// text outlives the transport.
    void enter(std::string_view call) { call_ = call; }

    /// Begin a message; the bytes stay where they are until wait() returns.
    virtual Result<void> send(std::uint32_t to, std::span<const std::byte> bytes) = 0;
    virtual Result<void> receive(std::uint32_t from, std::span<std::byte> bytes) = 0;
    /// Waits for all messages that were begun.
    virtual Result<void> wait() = 0;
    /// Moves the messages on, without waiting. True if all have ended; wait() is called all the same.
    virtual Result<bool> test() = 0;

    /// Replaces the words by those of all processes combined. i32 and u32.
    virtual Result<void> all_reduce(std::span<std::uint32_t> words, ReductionOp op, Scalar type) = 0;
    /// Puts the bytes of every process, as many of each, into `all` by rank.
    virtual Result<void> all_gather(std::span<const std::byte> own, std::span<std::byte> all) = 0;

  protected:
    std::string_view call_ = "a call of the cluster";
};

/// A transport of one process, which sends nothing.
std::shared_ptr<Transport> one_process();

}  // namespace muster::cluster
