// submit_queue.hpp - a thread that submits for a device what can't all be submitted at once, in order. Internal to driver/.
//
// While it has something, all that comes later queues behind it; else it has no thread at work. Threads: any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include <muster/foundation/result.hpp>

namespace muster::split {

class SubmitQueue {
  public:
    class Job {
      public:
        virtual ~Job() = default;
        /// Submits all of it; may wait. Ends soon once `abandoned` is set, and then touches the device no more.
        virtual void run(const std::atomic<bool>& abandoned) = 0;
    };

    SubmitQueue() = default;
    ~SubmitQueue();  // runs what it has to the end
    SubmitQueue(const SubmitQueue&) = delete;
    SubmitQueue& operator=(const SubmitQueue&) = delete;

    /// Nothing is left to be submitted.
    bool is_empty() const { return jobs_left_.load(std::memory_order_acquire) == 0; }
    Result<void> push(std::unique_ptr<Job> job);
    /// Returns at once.
    void abandon();
    const std::atomic<bool>& abandoned() const { return abandoned_; }

  private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<Job>> jobs_;
    std::atomic<std::size_t> jobs_left_{0};
    std::atomic<bool> abandoned_{false};
    bool ending_ = false;
    std::thread thread_;  // once there was a job
};

}  // namespace muster::split
