#include <algorithm>

#include <fmt/format.h>

#include <muster/driver/guard.hpp>
#include <muster/driver/ticket_state.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::nanoseconds slice = std::chrono::milliseconds(20);

/// The moment `timeout` from now; far ones don't overflow.
Clock::time_point deadline_after(std::chrono::nanoseconds timeout) {
    const auto now = Clock::now();
    return timeout > Clock::time_point::max() - now ? Clock::time_point::max() : now + timeout;
}

}  // namespace

Result<Timing> Ticket::State::wait_once(std::chrono::nanoseconds timeout) {
    const auto deadline = deadline_after(timeout);
    Timing sum;
    for (const auto& submission : submissions) {
        const auto left =
            std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(deadline - Clock::now()));
        const Timing one = TRY(guarded("Submission::wait", [&] { return submission->wait(left); }));
        sum.device_ns += one.device_ns;
    }
    return sum;
}

Result<Timing> Ticket::State::wait(std::chrono::nanoseconds timeout) {
    const auto deadline = deadline_after(timeout);
    for (;;) {
        {
            const std::lock_guard lock(mutex);
            if (outcome) return *outcome;
        }
        if (device && device->quarantined()) return std::unexpected(*device->lost());
        const auto left = std::chrono::nanoseconds(deadline - Clock::now());
        auto result = wait_once(std::clamp(left, std::chrono::nanoseconds(0), slice));
        const bool running = !result && result.error().code == ErrorCode::timed_out;
        if (!running) {
            if (!result) result = std::unexpected(device->note(std::move(result).error()));
            std::vector<std::shared_ptr<const void>> released;
            const std::lock_guard lock(mutex);
            if (!outcome) outcome = std::move(result);
            released.swap(uses);
            return *outcome;
        }
        if (left <= slice)
            return fail(ErrorCode::timed_out,
                        fmt::format("The dispatch on {} still runs after {} ms.", device->id(),
                                    std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count()),
                        "wait longer, or give up with Ticket::abandon(), which quarantines the device");
    }
}

Result<Timing> Ticket::wait(std::chrono::nanoseconds timeout) const { return state_->wait(timeout); }

bool Ticket::done() const {
    const auto result = state_->wait(std::chrono::nanoseconds(0));
    return result || result.error().code != ErrorCode::timed_out;
}

void Ticket::abandon() const {
    if (!done()) state_->device->quarantine("a dispatch on it was abandoned before it ended");
}

}  // namespace muster
