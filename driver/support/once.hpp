// once.hpp - runs a function once, on the first thread that asks, while other threads wait. Internal to driver/.
//
//     Once asked;
//     asked.run([&] { answer = ask(); });
//
// A call that throws doesn't count and is tried again. std::call_once promises the same, but an exception that passes
// through it passes through the C library, which ends the process if no memory is left. Threads: any.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

namespace muster {

class Once {
  public:
    template <class What>
    void run(What&& what) {
        if (is_done_.load(std::memory_order_acquire)) return;
        const std::lock_guard lock(mutex_);
        if (is_done_.load(std::memory_order_relaxed)) return;
        std::forward<What>(what)();
        is_done_.store(true, std::memory_order_release);
    }

  private:
    std::mutex mutex_;
    std::atomic<bool> is_done_{false};
};

}  // namespace muster
