#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/deadline.hpp>
#include <muster/driver/guard.hpp>
#include <muster/driver/ticket_state.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

constexpr std::chrono::nanoseconds slice = std::chrono::milliseconds(20);

}  // namespace

void Ticket::State::add(Submitted part) {
    if (const auto* ended = std::get_if<Timing>(&part))
        ended_at_once.device_ns += ended->device_ns;
    else
        submissions.push_back(std::get<std::shared_ptr<Submission>>(std::move(part)));
}

Result<Timing> Ticket::State::wait_once(std::chrono::nanoseconds timeout) {
    const auto wait = [](Submission& submission, std::chrono::nanoseconds most) {
        return guarded("Submission::wait", [&] { return submission.wait(most); });
    };
    Timing sum = ended_at_once;
    if (submissions.size() == 1) {  // nearly always: no need to ask the clock
        sum.device_ns += TRY(wait(*submissions.front(), timeout)).device_ns;
        return sum;
    }
    const auto deadline = deadline_after(timeout);
    for (const auto& submission : submissions)
        sum.device_ns += TRY(wait(*submission, left_until(deadline))).device_ns;
    return sum;
}

/// Remembers how it ended, and lets go of what it used.
Result<Timing> Ticket::State::settle(Result<Timing> result) {
    if (!result) result = std::unexpected(device->note(std::move(result).error()));
    std::vector<std::shared_ptr<const void>> released;
    const std::lock_guard lock(mutex);
    if (!outcome) outcome = std::move(result);
    released.swap(uses);
    return *outcome;
}

bool Ticket::State::ended() {
    {
        const std::lock_guard lock(mutex);
        if (outcome) return true;
    }
    if (device->quarantined()) return true;
    for (const auto& submission : submissions) {
        const auto done = guarded("Submission::done", [&] { return Result<bool>(submission->done()); });
        if (done && !*done) return false;
    }
    const auto end = wait(std::chrono::nanoseconds(0));
    return end || end.error().code != ErrorCode::timed_out;
}

Result<Timing> Ticket::State::wait(std::chrono::nanoseconds timeout) {
    std::optional<Moment> deadline;  // asked of the clock where the first slice isn't enough
    auto left = timeout;
    for (;;) {
        {
            const std::lock_guard lock(mutex);
            if (outcome) return *outcome;
        }
        if (device->quarantined()) return std::unexpected(*device->lost());
        if (!deadline && timeout > slice) deadline = deadline_after(timeout);
        auto result = wait_once(std::clamp(left, std::chrono::nanoseconds(0), slice));
        const bool running = !result && result.error().code == ErrorCode::timed_out;
        if (!running) return settle(std::move(result));
        if (left <= slice)
            return fail(ErrorCode::timed_out,
                        fmt::format("The dispatch on {} still runs after {} ms.", device->id(),
                                    std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count()),
                        "wait longer, or give up with Ticket::abandon(), which quarantines the device");
        left = left_until(*deadline);
    }
}

Result<Timing> Ticket::wait(std::chrono::nanoseconds timeout) const { return state_->wait(timeout); }

bool Ticket::done() const { return state_->ended(); }

void Ticket::abandon() const {
    if (!done()) state_->device->quarantine("a dispatch on it was abandoned before it ended");
}

}  // namespace muster
