// once.hpp - runs a function once, or makes an object once, on the first thread that asks,
// while other threads wait.
//
//     Once asked;
//     asked.run([&] { answer = ask(); });
//
// A call that throws doesn't count and is tried again. std::call_once promises the same, but an
// exception that passes through it passes through the C library, which ends the process if no
// memory is left. Threads: any.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include <muster/driver/platform/fork.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

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

/// An object that is made by the first call of get() and shared by all. After an error, the next call tries
/// again. A child of fork() makes one of its own.
template <class T>
class SharedOnce {
  public:
    /// `make` returns what get() does.
    template <class Make>
    Result<std::shared_ptr<T>> get(Make&& make) {
        return get(std::forward<Make>(make), [](const T&) { return true; });
    }
    /// Likewise; an object that is no longer usable is let go, and another one made.
    template <class Make, class IsUsable>
    Result<std::shared_ptr<T>> get(Make&& make, IsUsable&& is_usable) {
        Shared& shared = shared_.get();
        const std::lock_guard lock(shared.mutex);
        if (shared.made && is_usable(*shared.made)) return shared.made;
        auto made = std::forward<Make>(make)();
        if (made) shared.made = *made;
        return made;
    }

  private:
    struct Shared {
        std::mutex mutex;
        std::shared_ptr<T> made;
    };
    PerProcess<Shared> shared_;
};

MUSTER_API_END
}  // namespace muster
