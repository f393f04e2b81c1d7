// once.hpp - something that is done once, by the thread that comes first, while others wait. Internal to driver/.
//
//     Once asked;
//     asked.run([&] { answer = ask(); });
//
// A call that throws isn't done, and is tried again. std::call_once promises the same, but an exception on its way through it, and
// so through the C library, ends the process where no memory is left. Threads: any.
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
