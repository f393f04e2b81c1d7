// Waiting for a thread's work: what a busy machine stretches goes on, what computes for too long or hangs is given up.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include <doctest/doctest.h>

#include <muster/driver/support/work_limit.hpp>

using namespace muster;
using namespace std::chrono_literals;

namespace {

/// A thread that does `work`, which may look at `stops`, and whether it was waited for to the end.
bool waited_for(std::chrono::nanoseconds budget, Idle idle,
                const std::function<void(std::atomic<bool>&)>& work) {
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<bool> stops{false};
    bool has_ended = false;
    std::thread working([&] {
        work(stops);
        const std::lock_guard lock(mutex);
        has_ended = true;
        changed.notify_all();
    });
    std::unique_lock lock(mutex);
    const bool is_in_time = wait_for_work(lock, changed, working, budget, idle, [&] { return has_ended; });
    lock.unlock();
    stops = true;
    working.join();
    return is_in_time;
}

void compute(std::chrono::nanoseconds time, const std::atomic<bool>& stops) {
    for (const auto end = std::chrono::steady_clock::now() + time;
         !stops && std::chrono::steady_clock::now() < end;) {
    }
}

}  // namespace

TEST_CASE("work that gets the processor seldom is waited for, for longer than its budget") {
    // As on a machine five times as slow: 300 ms by the clock, 60 of them computing.
    const auto seldom = [](const std::atomic<bool>& stops) {
        for (int turn = 0; turn < 6 && !stops; ++turn) {
            compute(10ms, stops);
            std::this_thread::sleep_for(40ms);
        }
    };
    CHECK(waited_for(150ms, Idle::hanging, seldom));
    CHECK(waited_for(150ms, Idle::waiting, seldom));
}

TEST_CASE("work that computes for longer than its budget is given up") {
    const auto always = [](const std::atomic<bool>& stops) { compute(1h, stops); };
    CHECK_FALSE(waited_for(20ms, Idle::hanging, always));
    CHECK_FALSE(waited_for(20ms, Idle::waiting, always));
}

TEST_CASE("a thread that does nothing hangs, or waits until the clock's deadline") {
    const auto never = [](const std::atomic<bool>& stops) {
        while (!stops) std::this_thread::sleep_for(20ms);
    };
    CHECK_FALSE(waited_for(100ms, Idle::hanging, never));
    CHECK_FALSE(waited_for(5ms, Idle::waiting, never));
}
