// poll.hpp - waits for a device by polling, where its driver has no wait with a timeout.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Calls `ended()` until it returns true or the timeout has passed; returns whether it ended. Polls without a
/// pause for about as long as a small kernel takes, then with pauses that grow with the time passed: a wait
/// exceeds the work by a sixteenth at most, and a long wait uses hardly any CPU time.
template <class Ended>
bool poll(std::chrono::nanoseconds timeout, Ended&& ended) {
    using std::chrono::nanoseconds;
    constexpr nanoseconds busy = std::chrono::microseconds(100);
    constexpr nanoseconds longest_pause = std::chrono::milliseconds(1);
    if (ended()) return true;
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
        const nanoseconds passed = std::chrono::steady_clock::now() - start;
        if (passed >= timeout) return false;
        if (passed < busy)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::min({passed / 16, longest_pause, timeout - passed}));
        if (ended()) return true;
    }
}

MUSTER_API_END
}  // namespace muster
