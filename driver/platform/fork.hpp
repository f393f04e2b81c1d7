// fork.hpp - what a child of fork() may use: it has one thread, while locks, threads and drivers are as
// they were in its parent.
//
//     const ForkMark made;   ...   if (made.is_from_parent()) return std::unexpected(made_before_fork("The session"));
//     static constinit PerProcess<Known> known;         // known.get(): a child begins with an object of its own
//     constinit ForkSafeMutex publishing{1};            // no other thread holds it when a process forks
//
// Asking costs no system call. Threads: any. Children of vfork() and posix_spawn(), which only
// call exec, aren't concerned.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

struct AroundFork;

MUSTER_API_BEGIN

/// The number of forks that lie between the first call of this function and this process.
std::uint32_t fork_count() noexcept;

/// Remembers the process in which it was made.
class ForkMark {
  public:
    bool is_from_parent() const noexcept { return made_in_ != fork_count(); }

  private:
    std::uint32_t made_in_ = fork_count();
};

/// The error of what a child of fork() can't use: refused. `what` begins a sentence: "The session".
Error made_before_fork(std::string_view what);

/// The error of a driver that was in use before a fork: unavailable. `which`: "NVIDIA's driver".
Error in_use_before_fork(std::string_view which);

/// An object that the first call of get() makes. A child of fork() gets another one: threads that stayed in
/// the parent may hold the locks of the first for ever, which is therefore left as it is. get() throws what
/// the constructor of T does.
template <class T>
class PerProcess {
  public:
    constexpr PerProcess() = default;
    PerProcess(const PerProcess&) = delete;
    PerProcess& operator=(const PerProcess&) = delete;
    ~PerProcess() {
        const Node* const node = node_.load(std::memory_order_relaxed);
        if (node != nullptr && !node->made.is_from_parent()) delete node;
    }

    T& get() {
        Node* node = node_.load(std::memory_order_acquire);
        if (node != nullptr && !node->made.is_from_parent()) return node->object;
        auto mine = std::make_unique<Node>();
        if (node_.compare_exchange_strong(node, mine.get(), std::memory_order_acq_rel)) node = mine.release();
        return node->object;
    }

  private:
    struct Node {
        ForkMark made;
        T object;
    };
    std::atomic<Node*> node_{nullptr};
};

/// A mutex of the process that fork() waits for, so that what it guards is whole in the child, and its lock
/// free. It is a static, and never destroyed. A thread that holds it may fork.
class ForkSafeMutex {
  public:
    /// `rank`: fork() takes those of lower rank first, as a thread does that takes several.
    explicit constexpr ForkSafeMutex(int rank) : rank_(rank) {}
    ForkSafeMutex(const ForkSafeMutex&) = delete;
    ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;

    void lock();
    void unlock();

  private:
    friend AroundFork;
    std::mutex mutex_;
    std::atomic<const void*> holder_{nullptr};  // an address that is the holding thread's own
    std::atomic<bool> is_known_{false};
    bool is_taken_by_fork_ = false;
    const int rank_;
    ForkSafeMutex* next_ = nullptr;  // of those that a fork takes
};

MUSTER_API_END

/// The handlers that run around a fork.
struct AroundFork {
    static void prepare();
    static void let_go();
    static void go_on_in_child();
    /// Installs them, once. Without memory for them, forks aren't noticed: children are as unsafe as without all this.
    static void watch();
    /// Adds a mutex to the list, which is sorted by rank.
    static void add(ForkSafeMutex& mutex);
};

/// Calls the function in each child of a fork, after those that were given earlier.
void call_in_child(void (*function)());

}  // namespace muster
