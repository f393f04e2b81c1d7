#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/grid_barriers/parts_in_flight.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::grid_barriers {
namespace {

/// The interval at which waits check `abandoned`.
constexpr std::chrono::nanoseconds slice = std::chrono::milliseconds(20);

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
        sum_ += *ended;
    else
        running_.push_back({added_, part, std::get<std::shared_ptr<Submission>>(std::move(submitted))});
}

void PartsInFlight::close(std::optional<Error> why) {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (!failure_) failure_ = std::move(why);
    end_if_complete();
    changed_.notify_all();
}

bool PartsInFlight::has_added() const {
    const std::lock_guard lock(mutex_);
    return added_ > 0;
}

void PartsInFlight::end_if_complete() const {
    if (!closed_ || !running_.empty() || outcome_) return;
    if (failure_) {
        outcome_.emplace(std::unexpected(*failure_));
    } else {
        outcome_.emplace(sum_);
        kept_.reset();
    }
    changed_.notify_all();
}

void PartsInFlight::record_first_end(Result<Timing> end) const {
    if (end)
        sum_ += *end;
    else if (!failure_)
        failure_ = in_part(std::move(end).error(), running_.front().part);
    running_.pop_front();
    end_if_complete();
}

/// Removes the parts at the front that have ended, and records their results.
void PartsInFlight::collect() const {
    while (!running_.empty() && running_.front().submission->done())
        record_first_end(running_.front().submission->wait(std::chrono::nanoseconds(0)));
}

/// Waits for the first or the last running part, and releases `lock` while it waits. A device runs its
/// submissions in order, so if none are added meanwhile, one wait for the last part covers all. Errors:
/// timed_out only; a part's error goes to `failure_`. Precondition: a part is running.
Result<void> PartsInFlight::wait_for(Which which, std::unique_lock<std::mutex>& lock,
                                     std::chrono::nanoseconds timeout) const {
    const bool for_last = which == Which::last && !running_.back().submission->done();
    const Running one = for_last ? running_.back() : running_.front();
    lock.unlock();
    auto end = one.submission->wait(timeout);
    lock.lock();
    if (!end && end.error().code == ErrorCode::timed_out) {
        collect();
        if (running_.empty()) return {};
        return std::unexpected(in_part(std::move(end).error(), running_.front().part));
    }
    if (!running_.empty() && running_.front().number == one.number) record_first_end(std::move(end));
    collect();
    return {};
}

Error PartsInFlight::late() const {
    collect();
    if (running_.empty())
        return {ErrorCode::timed_out, "The dispatch isn't submitted as a whole yet.", {}, {}};
    return in_part({ErrorCode::timed_out, "The kernel still runs.", {}, {}}, running_.front().part);
}

/// Waits on the device only once the submission is closed. Before that, only the submitting thread does
/// (make_room), because two threads that wait on one device hinder each other.
Result<Timing> PartsInFlight::wait(std::chrono::nanoseconds timeout) {
    const Moment deadline = deadline_after(timeout);
    if (help_) help_(deadline);
    std::unique_lock lock(mutex_);
    while (!outcome_) {
        if (closed_) {
            TRY(wait_for(Which::last, lock, left_until(deadline)));
            continue;
        }
        const auto left = left_until(deadline);
        if (left == std::chrono::nanoseconds(0)) return std::unexpected(late());
        changed_.wait_for(lock, std::min(left, slice));
    }
    return *outcome_;
}

bool PartsInFlight::done() const {
    const std::lock_guard lock(mutex_);
    collect();
    return outcome_.has_value();
}

Result<bool> PartsInFlight::make_room(std::size_t most, const std::atomic<bool>& abandoned, Moment deadline) {
    const Which which = most == 0 ? Which::last : Which::first;
    std::unique_lock lock(mutex_);
    for (;;) {
        if (abandoned.load(std::memory_order_acquire))
            return fail(ErrorCode::device_lost, "The device was given up while it ran.");
        if (running_.size() <= most) break;
        const auto left = std::min(left_until(deadline), slice);
        const auto waited = wait_for(which, lock, left);
        if (!waited && left < slice) return false;
    }
    if (failure_) return std::unexpected(*failure_);
    return true;
}

}  // namespace muster::grid_barriers
