// parts_in_flight.hpp - the parts of one dispatch that a device runs one after the other, as one submission. Internal to
// driver/.
//
// Who submits them adds each, and closes when there are no more; who holds the ticket waits for all of it. It ends when it is
// closed and all have ended. Errors say in which part. Threads: any.
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

namespace muster::split {

class PartsInFlight final : public Submission {
  public:
    /// `parts`: how many different ones there are, for errors; 0: it is one piece, of which there is nothing to say.
    PartsInFlight(std::string entry, std::size_t parts) : entry_(std::move(entry)), parts_(parts) {}

    Result<Timing> wait(std::chrono::nanoseconds timeout) override;
    bool done() const override;

    void add(std::uint32_t part, Submitted submitted);
    /// No more are added; `why`: what kept the next one from it.
    void close(std::optional<Error> why = {});
    /// Waits until at most `most` of what has been added run, or the deadline: false. Errors: that of a part; device_lost
    /// once `abandoned` is set.
    Result<bool> make_room(std::size_t most, const std::atomic<bool>& abandoned, Moment deadline);
    bool has_added() const;
    /// Called by who waits, until a moment: so that parts are submitted by a thread that would only wait for them.
    void set_help(std::function<void(Moment)> help) { help_ = std::move(help); }
    /// Kept until all of it has ended well; after an error, as long as this.
    void keep(std::shared_ptr<Memory> memory) { kept_ = std::move(memory); }

    /// Adds to the story of an error which part it is of.
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
    void first_has_ended(Result<Timing> end) const;
    void end_if_all_has() const;

    const std::string entry_;
    const std::size_t parts_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    mutable std::deque<Running> running_;
    mutable Timing sum_;
    mutable std::optional<Error> failure_;           // the first
    mutable std::optional<Result<Timing>> outcome_;  // not changed once there is one
    mutable std::shared_ptr<Memory> kept_;
    std::function<void(Moment)> help_;
    std::uint64_t added_ = 0;
    bool closed_ = false;
};

}  // namespace muster::split
