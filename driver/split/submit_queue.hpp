// submit_queue.hpp - what can't all be submitted to a device at once, in order. Internal to driver/.
//
// While there is something, all that comes later queues behind it. A thread of the queue's own submits, or one that would
// wait for it anyway, which saves the way from thread to thread. Threads: any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include <muster/driver/support/deadline.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::split {

class SubmitQueue {
  public:
    class Job {
      public:
        virtual ~Job() = default;
        /// Submits all of it; may wait, until the deadline: false, it is to be called again. Ends soon once `abandoned` is
        /// set, and then touches the device no more.
        virtual bool run(const std::atomic<bool>& abandoned, Moment deadline) = 0;
        virtual bool keeps_deadlines() const { return true; }
        /// Ends what was begun with an error: run() has thrown. Allocates nothing.
        virtual void give_up(Error why) = 0;
    };

    SubmitQueue() = default;
    ~SubmitQueue();  // runs what it has to the end
    SubmitQueue(const SubmitQueue&) = delete;
    SubmitQueue& operator=(const SubmitQueue&) = delete;

    /// Nothing is left to be submitted.
    bool is_empty() const { return jobs_left_.load(std::memory_order_acquire) == 0; }
    Result<void> push(std::unique_ptr<Job> job);
    /// Runs what is in it, where nobody does, until a moment.
    void help(Moment deadline);
    /// Returns at once.
    void abandon();
    const std::atomic<bool>& abandoned() const { return abandoned_; }

  private:
    void work();
    void run_first(std::unique_lock<std::mutex>& lock, Moment deadline);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<Job>> jobs_;
    std::atomic<std::size_t> jobs_left_{0};
    std::atomic<bool> abandoned_{false};
    bool is_running_ = false;  // the first one, which isn't among them then
    bool ending_ = false;
    std::thread thread_;  // once there was a job
};

}  // namespace muster::split
