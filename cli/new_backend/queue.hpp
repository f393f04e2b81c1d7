// queue.hpp - runs work in order on a thread of its own, as the queue of a native API does. NEXT 4: use the API's own.
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

#include <muster/backend_sdk.hpp>

namespace backend_mine {

/// The work of a submission. It ends soon after a stop is requested.
using Work = std::function<muster::Result<muster::Timing>(std::stop_token)>;

class Queue {
  public:
    Queue() = default;
    /// Stops all work and waits for the thread.
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// Returns at once. The first call starts the thread. Errors: device_lost after stop(), unavailable if the system has no
    /// thread.
    muster::Result<muster::Submitted> submit(Work work);

    /// Stops the work that runs and that which waits for it, and returns at once.
    void stop() { stop_.request_stop(); }

  private:
    class Job;
    void run();

    std::mutex mutex_;
    std::condition_variable_any arrived_;
    std::deque<std::shared_ptr<Job>> jobs_;
    std::stop_source stop_;
    std::thread thread_;
};

}  // namespace backend_mine
