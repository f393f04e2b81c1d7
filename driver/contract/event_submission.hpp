// event_submission.hpp - a submission that ends with an event of the driver's, which can be asked for but not
// waited for with a timeout.
//
//     class Launch final : public EventSubmission {
//         void ask(Asker) const override {
//             if (has_ended(event_) && outcome.claim()) outcome.settle(timing_of(event_));
//         }
//     };
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/support/poll.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

class EventSubmission : public Submission {
  public:
    Result<Timing> wait(std::chrono::nanoseconds timeout) final {
        if (!poll(timeout, [&] { return has_ended(Asker::waits); }))
            return fail(ErrorCode::timed_out, "It still runs.");
        return outcome.get();
    }
    bool done() const final { return has_ended(Asker::looks); }

    mutable SubmissionOutcome outcome;

  protected:
    /// The caller of ask(): wait(), which wants to know now, or done(), which an answer that is
    /// a little old will do for.
    enum class Asker : std::uint8_t { waits, looks };

  private:
    /// Asks the driver whether the work has ended; settles the outcome if so. Isn't called
    /// once the outcome is settled.
    virtual void ask(Asker asker) const = 0;
    bool has_ended(Asker asker) const {
        if (!outcome.settled()) ask(asker);
        return outcome.settled();
    }
};

MUSTER_API_END
}  // namespace muster
