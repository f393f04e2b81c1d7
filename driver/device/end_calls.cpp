#include <utility>

#include <fmt/format.h>

#include <muster/driver/device/end_calls.hpp>
#include <muster/driver/platform/fork.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/driver/support/guard.hpp>

namespace muster {
namespace {

/// The time after which other tickets than the one waited for are looked at: they may end in any order.
constexpr std::chrono::milliseconds turn{2};

}  // namespace

void call_at_end(const Ticket::EndCall& call, const Result<Timing>& outcome) {
    auto called = guarded("The function given to Ticket::on_end", [&]() -> Result<void> {
        call(outcome);
        return {};
    });
    if (called) return;
    called.error().fix = "catch its exceptions in it";  // the function isn't a backend's
    log(LogLevel::error, called.error().to_string());
}

EndCalls& EndCalls::process() {
    static constinit PerProcess<EndCalls> calls;
    return calls.get();
}

EndCalls::~EndCalls() = default;

Result<void> EndCalls::add(std::shared_ptr<Ticket::State> ticket, Ticket::EndCall call) {
    return guarded("Ticket::on_end", [&]() -> Result<void> {
        const std::lock_guard lock(mutex_);
        if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
        waiting_.push_back({std::move(ticket), std::move(call)});
        changed_.notify_one();
        return {};
    });
}

/// Precondition: mutex_ is locked.
std::list<EndCalls::Waiting> EndCalls::take_ended() {
    std::list<Waiting> ended;
    for (auto one = waiting_.begin(); one != waiting_.end();) {
        const auto next = std::next(one);
        if (one->ticket->ended()) ended.splice(ended.end(), waiting_, one);
        one = next;
    }
    return ended;
}

void EndCalls::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
        const std::shared_ptr<Ticket::State> first = waiting_.front().ticket;
        lock.unlock();
        (void)guarded("Ticket::wait", [&] { return first->wait(turn); });
        lock.lock();
        std::list<Waiting> ended = take_ended();
        lock.unlock();
        for (Waiting& one : ended) {
            call_at_end(one.call, one.ticket->wait(std::chrono::nanoseconds(0)));
            one = {};  // releases what the call holds, which may be the last handle of a session
        }
        lock.lock();
        if (stop.stop_requested()) return;
    }
}

}  // namespace muster
