// ticket_state.hpp - one dispatch in flight: its submissions and all that they use. Internal to driver/.
//
// One piece of memory holds all of it for most dispatches, and comes from a dispatch before; one that ends within submit()
// keeps none. Who asks whether it has ended takes no lock.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include <muster/driver/session/device_context.hpp>
#include <muster/driver/support/inline_vector.hpp>

namespace muster {

struct Ticket::State {
    std::shared_ptr<DeviceContext> device;
    // Not changed after the dispatch:
    Timing ended_at_once;                                      // of the parts that ended within submit()
    InlineVector<std::shared_ptr<Submission>, 1> submissions;  // the others, in order
    std::shared_ptr<State> next;                               // InFlight's

    // Let go when it has ended:
    InlineVector<std::shared_ptr<const ResidentMemory>, 8> memory;

    /// One more part, as submit() answered.
    void add(Submitted part);
    /// Remembers how it ended, and lets go of what it used; the first time. `result`, with the device in its story.
    Result<Timing> settle(Result<Timing>&& result);
    bool settled() const { return settled_.load(std::memory_order_acquire); }

    /// Waits in slices, so that a device quarantined meanwhile is noticed, and settles.
    Result<Timing> wait(std::chrono::nanoseconds timeout);
    /// Whether it has ended, or can't any more; settles then. Never blocks.
    bool ended();
    /// Whether its device says that a part of it still runs. Settles nothing. Never blocks.
    bool runs() const;

  private:
    Result<Timing> wait_once(std::chrono::nanoseconds timeout);

    std::atomic<bool> claimed_{false};  // by the one who settles
    std::atomic<bool> settled_{false};
    std::optional<Result<Timing>> outcome_;  // not changed once settled
};

}  // namespace muster
