// spin.hpp - looks again and again for a few microseconds, before a thread goes to sleep: what is about to end isn't worth
// the two ways through the system.
#pragma once

#include <chrono>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace muster::cpu {

/// Until ready() or the time is over; ready() is asked often and must be cheap. Takes a core meanwhile.
template <class Ready>
void spin(std::chrono::nanoseconds most, Ready&& ready) {
    const auto end = std::chrono::steady_clock::now() + most;
    do {
        for (int turn = 0; turn < 16; ++turn) {
            if (ready()) return;
#if defined(__x86_64__)
            _mm_pause();
#elif defined(__aarch64__)
            __asm__ volatile("yield");
#endif
        }
    } while (std::chrono::steady_clock::now() < end);
}

}  // namespace muster::cpu
