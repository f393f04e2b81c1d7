#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <muster/driver/device/end_calls.hpp>
#include <muster/driver/device/ticket_state.hpp>
#include <muster/driver/platform/probe_points.hpp>
#include <muster/driver/support/deadline.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

constexpr std::chrono::nanoseconds slice = std::chrono::milliseconds(20);

}  // namespace

Result<Timing> Ticket::State::wait_once(std::chrono::nanoseconds timeout) {
    const auto wait = [](Submission& submission, std::chrono::nanoseconds most) {
        return guarded("Submission::wait", [&] { return submission.wait(most); });
    };
    if (submissions.size() == 1) {  // the usual case: no need to read the clock
        auto end = wait(*submissions.front(), timeout);
        if (end) *end += ended_at_once;
        return end;
    }
    Timing sum = ended_at_once;
    const auto deadline = deadline_after(timeout);
    for (const auto& submission : submissions) sum += TRY(wait(*submission, left_until(deadline)));
    return sum;
}

void Ticket::State::add_traced(Submitted&& part, const trace::Work& work) {
    if (const auto* ended = std::get_if<Timing>(&part))
        trace::ran(work, ended->ended_at != 0 ? ended->ended_at : trace::now(), ended->device_ns);
    else if (traced.size() == submissions.size())
        traced.push_back(work);
    add(std::move(part));
}

/// Records each submission on its device's line. Precondition: all have ended.
void Ticket::State::record_ends() {
    const trace::Moment seen = trace::now();
    for (std::size_t i = 0; i < std::min(traced.size(), submissions.size()); ++i) {
        const auto end = submissions[i]->wait(std::chrono::nanoseconds(0));
        if (end) trace::ran(traced[i], end->ended_at != 0 ? end->ended_at : seen, end->device_ns);
    }
    traced.clear();
}

Result<Timing> Ticket::State::settle(Result<Timing>&& result) {
    if (!result)
        result = guarded("Ticket::wait", [&]() -> Result<Timing> {
            return std::unexpected(device->record_loss(std::move(result).error()));
        });
    if (!outcome_.claim()) return std::move(result);  // equal to the recorded one, see Submission
    if (!traced.empty())
        (void)guarded("Submission::wait", [&]() -> Result<void> {
            record_ends();
            return {};
        });
    for (const auto& one : submissions) probe_points::complete(device->id(), one.get(), result.has_value());
    memory.clear();
    outcome_.settle(std::move(result));
    return outcome_.get();
}

bool Ticket::State::runs() const {
    for (const auto& submission : submissions) {
        const auto done = guarded("Submission::done", [&] { return Result<bool>(submission->done()); });
        if (done && !*done) return true;
    }
    return false;
}

bool Ticket::State::ended() {
    if (settled() || device->quarantined()) return true;
    if (runs()) return false;
    (void)guarded("Ticket::wait", [&] { return wait(std::chrono::nanoseconds(0)); });
    return settled() || device->quarantined();
}

Result<Timing> Ticket::State::wait(std::chrono::nanoseconds timeout) {
    // done() asks without waiting, and often: that is no span.
    std::optional<trace::Span> span;
    if (trace::is_recording() && timeout > std::chrono::nanoseconds(0) && !settled())
        span.emplace(trace::Stage::wait, std::string_view(), device->id());
    std::optional<Moment> deadline;  // set if the first slice isn't enough
    auto left = timeout;
    for (;;) {
        if (settled()) return outcome_.get();
        if (device->quarantined()) return std::unexpected(*device->lost());
        auto result = wait_once(std::clamp(left, std::chrono::nanoseconds(0), slice));
        const bool running = !result && result.error().code == ErrorCode::timed_out;
        if (!running) return settle(std::move(result));
        if (left <= slice) {
            Error error{ErrorCode::timed_out,
                        fmt::format("The dispatch on {} still runs after {} ms.", device->id(),
                                    std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count()),
                        "wait longer, or give up with Ticket::abandon(), which quarantines the device",
                        std::move(result.error().context)};  // names the part that still runs
            return std::unexpected(std::move(error));
        }
        if (!deadline) deadline = deadline_after(timeout - slice);
        left = left_until(*deadline);
    }
}

Result<Timing> Ticket::wait(std::chrono::nanoseconds timeout) const try {
    if (!state_) return ended_at_once_;
    return state_->wait(timeout);
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<void> Ticket::on_end(EndCall call) const {
    if (state_ && !state_->ended()) return EndCalls::process().add(state_, std::move(call));
    call_at_end(call, wait(std::chrono::nanoseconds(0)));
    return {};
}

// While another thread settles a dispatch that has ended, ended() is still false, but nothing runs any more.
bool Ticket::done() const { return !state_ || state_->ended() || !state_->runs(); }

void Ticket::abandon() const {
    if (!done()) state_->device->quarantine("a dispatch on it was abandoned before it ended");
}

}  // namespace muster
