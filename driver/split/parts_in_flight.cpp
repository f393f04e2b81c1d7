#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/deadline.hpp>
#include <muster/driver/split/parts_in_flight.hpp>
#include <muster/foundation/try.hpp>

namespace muster::split {
namespace {

/// Whether it is abandoned is asked this often.
constexpr std::chrono::nanoseconds slice = std::chrono::milliseconds(20);

bool still_runs(const Result<void>& waited) { return !waited && waited.error().code == ErrorCode::timed_out; }

}  // namespace

Error PartsInFlight::in_part(Error error, std::uint32_t part) const {
    if (parts_ == 0) return error;
    return std::move(error).during(fmt::format(
        "running part {} of the {} that {} is split into at its grid barriers", part + 1, parts_, entry_));
}

void PartsInFlight::add(std::uint32_t part, Submitted submitted) {
    const std::lock_guard lock(mutex_);
    ++added_;
    if (const auto* ended = std::get_if<Timing>(&submitted))
        sum_.device_ns += ended->device_ns;
    else
        running_.push_back({added_, part, std::get<std::shared_ptr<Submission>>(std::move(submitted))});
    changed_.notify_all();
}

void PartsInFlight::close(std::optional<Error> why) {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (!failure_) failure_ = std::move(why);
    end_if_all_has();
}

bool PartsInFlight::has_added() const {
    const std::lock_guard lock(mutex_);
    return added_ > 0;
}

void PartsInFlight::end_if_all_has() const {
    if (!closed_ || !running_.empty() || outcome_) return;
    if (failure_) {
        outcome_.emplace(std::unexpected(*failure_));
    } else {
        outcome_.emplace(sum_);
        kept_.reset();
    }
    changed_.notify_all();
}

void PartsInFlight::first_has_ended(Result<Timing> end) const {
    if (end)
        sum_.device_ns += end->device_ns;
    else if (!failure_)
        failure_ = in_part(std::move(end).error(), running_.front().part);
    running_.pop_front();
    end_if_all_has();
}

/// Errors: timed_out alone. Lets go of `lock` meanwhile. Precondition: one runs.
Result<void> PartsInFlight::wait_for_first(std::unique_lock<std::mutex>& lock,
                                           std::chrono::nanoseconds timeout) const {
    const Running first = running_.front();
    lock.unlock();
    auto end = first.submission->wait(timeout);
    lock.lock();
    const bool timed_out = !end && end.error().code == ErrorCode::timed_out;
    if (timed_out) return std::unexpected(in_part(std::move(end).error(), first.part));
    if (!running_.empty() && running_.front().number == first.number) first_has_ended(std::move(end));
    return {};
}

Result<Timing> PartsInFlight::wait(std::chrono::nanoseconds timeout) {
    const Moment deadline = deadline_after(timeout);
    std::unique_lock lock(mutex_);
    for (;;) {
        if (outcome_) return *outcome_;
        if (!running_.empty()) {
            TRY(wait_for_first(lock, left_until(deadline)));
            continue;
        }
        const auto left = std::min(left_until(deadline), slice);
        if (left == std::chrono::nanoseconds(0))
            return fail(ErrorCode::timed_out, "The dispatch waits for another to be submitted.");
        changed_.wait_for(lock, left);
    }
}

bool PartsInFlight::done() const {
    const std::lock_guard lock(mutex_);
    while (!running_.empty() && running_.front().submission->done())
        first_has_ended(running_.front().submission->wait(std::chrono::nanoseconds(0)));
    return outcome_.has_value();
}

Result<void> PartsInFlight::make_room(std::size_t most, const std::atomic<bool>& abandoned) {
    std::unique_lock lock(mutex_);
    while (running_.size() > most) {
        if (abandoned.load(std::memory_order_acquire))
            return fail(ErrorCode::device_lost, "The device was given up while it ran.");
        const auto waited = wait_for_first(lock, slice);
        if (!waited && !still_runs(waited)) return waited;
    }
    if (failure_) return std::unexpected(*failure_);
    return {};
}

Result<void> PartsInFlight::settle(const std::atomic<bool>& abandoned) { return make_room(0, abandoned); }

}  // namespace muster::split
