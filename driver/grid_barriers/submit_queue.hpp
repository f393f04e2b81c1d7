// submit_queue.hpp - a queue of jobs that can't be submitted to a device all at once, run in
// order. Internal to driver/.
//
// While a job is left, all later launches queue behind it. Jobs run on the queue's own thread, or on a thread
// that would only wait for them (help), which saves a switch between threads. Threads: any.
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

namespace muster::grid_barriers {

class SubmitQueue {
  public:
    class Job {
      public:
        virtual ~Job() = default;
        /// Submits the whole job and returns true. May wait until the deadline; then returns false, and is
        /// called again. Returns soon after `abandoned` is set, and no longer calls the device then.
        virtual bool run(const std::atomic<bool>& abandoned, Moment deadline) = 0;
        /// Returns true if run() returns by its deadline. Only the queue's own thread runs other jobs.
        virtual bool keeps_deadlines() const { return true; }
        /// Ends the job with an error after run() has thrown. Allocates nothing.
        virtual void give_up(Error why) = 0;
    };

    SubmitQueue() = default;
    ~SubmitQueue();  // runs all queued jobs first
    SubmitQueue(const SubmitQueue&) = delete;
    SubmitQueue& operator=(const SubmitQueue&) = delete;

    /// Returns true if no job is left, queued or running.
    bool is_empty() const { return jobs_left_.load(std::memory_order_acquire) == 0; }
    Result<void> push(std::unique_ptr<Job> job);
    /// Runs queued jobs until the deadline, if no other thread is running one.
    void help(Moment deadline);
    /// Makes all jobs end soon. Returns at once.
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
    bool is_running_ = false;  // the first job is running, and isn't in `jobs_`
    bool ending_ = false;
    std::thread thread_;  // started by the first push
};

}  // namespace muster::grid_barriers
