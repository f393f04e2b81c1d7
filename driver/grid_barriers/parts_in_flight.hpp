// parts_in_flight.hpp - the parts of one dispatch that a device runs one after the other, as one
// submission. Internal to driver/.
//
// The submitting thread adds each part and closes the submission after the last one; the holder of the
// ticket waits for the whole. The submission ends when it is closed and all parts have ended. Errors
// name the part. Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/support/deadline.hpp>

namespace muster::grid_barriers {

class PartsInFlight final : public Submission {
  public:
    /// `parts` is the number of parts of the program, for error messages; 0 means that the program isn't
    /// split, and errors then name no part.
    PartsInFlight(std::string entry, std::size_t parts) : entry_(std::move(entry)), parts_(parts) {}

    Result<Timing> wait(std::chrono::nanoseconds timeout) override;
    bool done() const override;

    void add(std::uint32_t part, Submitted submitted);
    /// Ends the adding of parts. `why` is the error that prevented the next part, if any.
    void close(std::optional<Error> why = {});
    /// Waits until at most `most` of the added parts are still running; returns false at the deadline.
    /// Errors: that of a part; device_lost once `abandoned` is set.
    Result<bool> make_room(std::size_t most, const std::atomic<bool>& abandoned, Moment deadline);
    bool has_added() const;
    /// Sets a function that wait() calls with its deadline, so that the waiting thread submits parts itself.
    /// Call it before any thread waits.
    void set_help(std::function<void(Moment)> help) { help_ = std::move(help); }
    /// Keeps `memory` alive until all parts have ended without an error; after an error, as
    /// long as this object lives.
    void keep(std::shared_ptr<Memory> memory) { kept_ = std::move(memory); }

    /// Adds the number of the part to an error's context.
    Error in_part(Error error, std::uint32_t part) const;

  private:
    struct Running {
        std::uint64_t number;
        std::uint32_t part;
        std::shared_ptr<Submission> submission;
    };
    enum class Which : std::uint8_t { first, last };
    void collect() const;
    Error late() const;
    Result<void> wait_for(Which which, std::unique_lock<std::mutex>& lock,
                          std::chrono::nanoseconds timeout) const;
    void record_first_end(Result<Timing> end) const;
    void end_if_complete() const;

    const std::string entry_;
    const std::size_t parts_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    mutable std::deque<Running> running_;
    mutable Timing sum_{0};
    mutable std::optional<Error> failure_;           // the first error
    mutable std::optional<Result<Timing>> outcome_;  // not changed once set
    mutable std::shared_ptr<Memory> kept_;
    std::function<void(Moment)> help_;
    std::uint64_t added_ = 0;
    bool closed_ = false;
};

}  // namespace muster::grid_barriers
