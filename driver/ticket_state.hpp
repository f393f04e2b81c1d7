// ticket_state.hpp - one dispatch in flight: its submissions and all that they use. Internal to driver/.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <muster/driver/open_device.hpp>

namespace muster {

struct Ticket::State {
    std::shared_ptr<OpenDevice> device;  // null where nothing was submitted
    // Not changed after the dispatch:
    Timing ended_at_once;                                  // of the parts that ended within submit()
    std::vector<std::shared_ptr<Submission>> submissions;  // the others, in order

    /// One more part, as submit() answered.
    void add(Submitted part);
    /// Waits in slices, so that a device quarantined meanwhile is noticed. Remembers how it ended.
    Result<Timing> wait(std::chrono::nanoseconds timeout);
    /// Whether it has ended, or can't any more; what it used is let go then. Never blocks.
    bool ended();

    std::mutex mutex;
    std::vector<std::shared_ptr<const void>> uses;  // memory and executable; let go when done
    std::optional<Result<Timing>> outcome;

  private:
    Result<Timing> wait_once(std::chrono::nanoseconds timeout);
    Result<Timing> settle(Result<Timing> result);
};

}  // namespace muster
