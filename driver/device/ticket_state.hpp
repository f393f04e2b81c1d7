// ticket_state.hpp - one dispatch in flight: its submissions and the memory that they
// use. Internal to driver/.
//
// For most dispatches the state is a single allocation, reused from an earlier dispatch; a dispatch that ends
// within submit() keeps no state. Testing if a dispatch has ended takes no lock.
#pragma once

#include <chrono>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <muster/driver/device/device_context.hpp>
#include <muster/driver/support/inline_vector.hpp>
#include <muster/driver/trace/recorder.hpp>

namespace muster {

struct Ticket::State {
    std::shared_ptr<DeviceContext> device;
    // Not changed after the dispatch:
    Timing ended_at_once{0};                                   // sum of the parts that ended within submit()
    InlineVector<std::shared_ptr<Submission>, 1> submissions;  // the others, in order
    std::shared_ptr<State> next;                               // the next ticket in InFlight

    std::vector<trace::Work> traced;  // of each submission; empty: not recorded

    // Released when the dispatch has ended:
    InlineVector<std::shared_ptr<const ResidentMemory>, 8> memory;

    /// Adds a part: the result of one submit().
    void add(Submitted&& part) {
        if (const auto* ended = std::get_if<Timing>(&part))
            ended_at_once += *ended;
        else
            submissions.push_back(std::get<std::shared_ptr<Submission>>(std::move(part)));
    }
    /// Adds a part that a trace shows under this name. Precondition: a trace is recorded.
    void add_traced(Submitted&& part, const trace::Work& work);
    /// Records the outcome and releases the memory, on the first call only. Returns `result`, with the
    /// device in its context. Throws where no memory is left for a copy of the error, but only once
    /// the outcome is recorded.
    Result<Timing> settle(Result<Timing>&& result);
    bool settled() const { return outcome_.settled(); }

    /// Waits in slices, so that a device quarantined meanwhile is noticed, and settles.
    Result<Timing> wait(std::chrono::nanoseconds timeout);
    /// Returns true if the dispatch has ended or its device is quarantined. Settles one that has
    /// ended. Never blocks or throws.
    bool ended();
    /// Returns true if a part of the dispatch still runs. Settles nothing. Never blocks.
    bool runs() const;
    /// Waits for the parts added so far. Settles nothing, and needs no `device`. Errors: theirs, timed_out.
    Result<Timing> wait_once(std::chrono::nanoseconds timeout);

  private:
    void record_ends();

    SubmissionOutcome outcome_;
};

}  // namespace muster
