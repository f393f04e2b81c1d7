// work_queue.hpp - runs work in order on a thread of its own, as the queue of a native API does: for devices that have none.
//
//     WorkQueue queue_;
//     Result<Submitted> submit(const Launch& launch) override {
//         return queue_.submit([arguments = copy_of(launch)](std::stop_token stop) -> Result<Timing> {
//             const auto start = std::chrono::steady_clock::now();
//             TRY(run(*arguments, stop));
//             return Timing::since(start);
//         });
//     }
//     void abandon() override { queue_.stop(); }
//
// Threads: submit() and stop() from any.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

class WorkQueue {
  public:
    /// A submission's work. It may end early once a stop is requested; then its error becomes device_lost. What it
    /// throws becomes one, too: out_of_memory, or internal.
    using Work = std::function<Result<Timing>(std::stop_token stop)>;

    WorkQueue() = default;
    /// Stops, and waits for the work that runs.
    ~WorkQueue();
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;

    /// Returns at once; the first call starts the thread. Errors: unavailable if the system has no thread,
    /// device_lost after stop().
    Result<Submitted> submit(Work work);
    /// Ends waiting work, and asks the work that runs to end, without waiting for that.
    void stop() { stop_.request_stop(); }

  private:
    class Job;
    void run(const std::stop_token& stop);

    std::mutex mutex_;
    std::condition_variable_any arrived_;
    std::deque<std::shared_ptr<Job>> jobs_;
    std::stop_source stop_;
    std::thread thread_;  // declared last: the thread uses the members above
};

MUSTER_API_END
}  // namespace muster
