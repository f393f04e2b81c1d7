// ticket.hpp - a handle on one dispatch in flight. Threads: any.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/device/buffer.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// One dispatch in flight. Destroying the handle neither waits for the work nor stops it.
class Ticket {
  public:
    /// Waits until the dispatch is done. device_ns is summed over the parts of a folded grid, and there if
    /// all parts have theirs. Errors: timed_out (it still runs; wait again, or abandon), device_lost.
    Result<Timing> wait(std::chrono::nanoseconds timeout = default_timeout) const;
    bool done() const;
    /// Gives up on the dispatch: if it still runs, its device is quarantined for this session.
    void abandon() const;

    /// Calls `call` with what wait() would return, once the dispatch has ended: on a thread of muster's, or
    /// at once, in this call, if it has ended already. Calls for tickets of all sessions follow one another,
    /// so keep them short; they may use muster, and may submit. A process that ends doesn't wait for them.
    /// Errors: out_of_memory, internal (no thread).
    using EndCall = std::function<void(const Result<Timing>&)>;
    Result<void> on_end(EndCall call) const;

    struct State;
    explicit Ticket(std::shared_ptr<State> state) : state_(std::move(state)) {}
    explicit Ticket(Timing ended_at_once) : ended_at_once_(ended_at_once) {}

  private:
    std::shared_ptr<State> state_;  // null if the work ended within dispatch()
    Timing ended_at_once_;
};

MUSTER_API_END
}  // namespace muster
