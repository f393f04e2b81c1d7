#include <string>

#include <muster/driver/platform/fork.hpp>

namespace muster {
namespace {

constinit std::atomic<std::uint32_t> forks{0};

/// Guards the list of ForkSafeMutex. No other lock is taken while a thread holds it, except by a fork.
constinit std::mutex list_mutex;
constinit ForkSafeMutex* first = nullptr;
constinit thread_local char this_thread = 0;

}  // namespace

void AroundFork::prepare() {
    list_mutex.lock();
    for (ForkSafeMutex* one = first; one != nullptr; one = one->next_) {
        if (one->holder_.load(std::memory_order_relaxed) == &this_thread) continue;
        one->mutex_.lock();
        one->is_taken_by_fork_ = true;
    }
}

void AroundFork::let_go() {
    for (ForkSafeMutex* one = first; one != nullptr; one = one->next_) {
        if (!one->is_taken_by_fork_) continue;
        one->is_taken_by_fork_ = false;
        one->mutex_.unlock();
    }
    list_mutex.unlock();
}

void AroundFork::go_on_in_child() {
    forks.fetch_add(1, std::memory_order_relaxed);
    let_go();
}

void AroundFork::add(ForkSafeMutex& mutex) {
    watch();
    const std::lock_guard lock(list_mutex);
    if (mutex.is_known_.load(std::memory_order_relaxed)) return;
    ForkSafeMutex** place = &first;
    while (*place != nullptr && (*place)->rank_ <= mutex.rank_) place = &(*place)->next_;
    mutex.next_ = *place;
    *place = &mutex;
    mutex.is_known_.store(true, std::memory_order_release);
}

std::uint32_t fork_count() noexcept {
    static const bool is_watched = (AroundFork::watch(), true);
    (void)is_watched;
    return forks.load(std::memory_order_relaxed);
}

Error made_before_fork(std::string_view what) {
    return {ErrorCode::refused,
            std::string(what) +
                " is of the process that this one was forked from: the threads that it needs stayed there.",
            "open a new session in this process, with new buffers (docs/failures.md, \"After a fork\")",
            {}};
}

Error in_use_before_fork(std::string_view which) {
    return {
        ErrorCode::unavailable,
        std::string(which) +
            " was in use before this process was forked from another, and can't be used in both.",
        "fork before muster's first use, or start the child as a program of its own (posix_spawn; Python: "
        "multiprocessing's \"spawn\")",
        {}};
}

void ForkSafeMutex::lock() {
    if (!is_known_.load(std::memory_order_acquire)) AroundFork::add(*this);
    mutex_.lock();
    holder_.store(&this_thread, std::memory_order_relaxed);
}

void ForkSafeMutex::unlock() {
    holder_.store(nullptr, std::memory_order_relaxed);
    mutex_.unlock();
}

}  // namespace muster
