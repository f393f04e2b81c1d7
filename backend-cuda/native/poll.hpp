// poll.hpp - waiting for the device, which can't be waited for with a timeout: it is asked again and again.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace muster::cuda {

/// Asks `ended()` until it is true or the time is up, whether it came true. At first without a pause, as long as a small
/// kernel takes; then after pauses that grow with the time that has passed, so that a wait is longer than the work by a
/// sixteenth at most, and a long one costs no processor.
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

}  // namespace muster::cuda
