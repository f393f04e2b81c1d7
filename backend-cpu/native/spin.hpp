// spin.hpp - polls for a few microseconds before a thread sleeps, which would cost two context switches.
#pragma once

#include <chrono>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace muster::cpu {

/// Time for which a thread polls before it sleeps: about what waking it costs.
inline constexpr std::chrono::microseconds spin_time(30);

/// Polls until ready() returns true or `most` has passed. Takes a core meanwhile. ready() is called
/// often and must be cheap.
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
