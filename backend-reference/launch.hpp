// launch.hpp - the device's queue: runs submissions one after the other on a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include <muster/driver/contract/backend.hpp>

namespace muster::reference {

class Queue {
  public:
    Queue() = default;
    /// Stops the running submission (the interpreter ends within milliseconds) and joins the thread.
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// Returns at once; the first call starts the thread. Errors: unavailable if the system can't start a
    /// thread; device_lost after stop().
    Result<Submitted> submit(const Launch& launch);

    /// Stops the running submission and all waiting ones within milliseconds, without waiting for that.
    /// Later calls of submit() fail.
    void stop();

    class Job;

  private:
    void run(std::stop_token stop);

    std::mutex mutex_;
    std::condition_variable_any arrived_;
    std::deque<std::shared_ptr<Job>> jobs_;
    std::stop_source stop_;
    std::thread thread_;  // declared last: the thread uses the members above
};

}  // namespace muster::reference
