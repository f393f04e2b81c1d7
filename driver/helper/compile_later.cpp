#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <muster/driver/helper/compile_budget.hpp>
#include <muster/driver/helper/compile_later.hpp>
#include <muster/driver/platform/fork.hpp>
#include <muster/driver/platform/process.hpp>
#include <muster/driver/support/deadline.hpp>

namespace muster::helper {
namespace {

using Work = std::function<void()>;

/// Work waits so long for callers, each piece by itself; then it runs beside them.
constexpr std::chrono::seconds most_wait{1};

class LaterQueue {
  public:
    void add(Work work) {
        const std::lock_guard lock(mutex_);
        if (exits_ || (!runs_ && !start())) return;
        waiting_.push_back(std::move(work));
    }
    bool ends_within(std::chrono::nanoseconds timeout) {
        std::unique_lock lock(mutex_);
        return idle_.wait_until(lock, deadline_after(timeout), [&] { return !runs_; });
    }
    void caller_waits(int more) {
        const std::lock_guard lock(mutex_);
        callers_ += more;
        if (callers_ == 0) free_.notify_all();
    }
    /// Takes no more work, and drops what waits. False: what runs takes longer.
    bool stop_within(std::chrono::nanoseconds timeout) {
        std::deque<Work> dropped;  // destroyed without the lock: work may own much
        std::unique_lock lock(mutex_);
        exits_ = true;
        free_.notify_all();
        dropped.swap(waiting_);
        if (!idle_.wait_until(lock, deadline_after(timeout), [&] { return !runs_; })) return false;
        if (thread_.joinable()) thread_.join();
        return true;
    }

  private:
    /// The thread ends when there is nothing to do, so that a process keeps none that it doesn't need.
    bool start() {
        if (thread_.joinable()) thread_.join();
        try {
            thread_ = std::thread([this] { run(); });
        } catch (const std::system_error&) {
            return false;
        }
        runs_ = true;
        return true;
    }
    void run() {
        platform::step_back();
        std::unique_lock lock(mutex_);
        while (!waiting_.empty()) {
            free_.wait_for(lock, most_wait, [&] { return callers_ == 0 || exits_; });
            if (waiting_.empty()) break;
            Work next = std::move(waiting_.front());
            waiting_.pop_front();
            lock.unlock();
            next();
            next = nullptr;  // it may own a device, whose end is waited for, too
            lock.lock();
        }
        runs_ = false;
        idle_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable idle_, free_;
    std::deque<Work> waiting_;
    int callers_ = 0;
    bool runs_ = false, exits_ = false;
    std::thread thread_;
};

LaterQueue& queue() {
    static auto* const of_process =
        new PerProcess<LaterQueue>;  // outlives every static that may still compile
    return of_process->get();
}

void end_queue(int status, void*) {
    if (!queue().stop_within(std::chrono::seconds(5))) end_at_once(status);
}

}  // namespace

void compile_later(Work work) {
    // The compiler's library is loaded by now, so that its destructors run once end_queue() has returned.
    static const int watched = (platform::call_at_exit(end_queue), 0);
    (void)watched;
    queue().add(std::move(work));
}

CallerWaits::CallerWaits() { queue().caller_waits(1); }
CallerWaits::~CallerWaits() { queue().caller_waits(-1); }

bool compiled_within(std::chrono::nanoseconds timeout) { return queue().ends_within(timeout); }

}  // namespace muster::helper
