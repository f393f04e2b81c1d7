// launch.hpp - the device's queue: submissions run one after the other on a thread of its own.
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
    /// Stops what still runs: the interpreter ends within milliseconds.
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// Returns at once. Starts the thread, the first time. Errors: unavailable, where there is no thread to
    /// be had; device_lost, once stopped.
    Result<Submitted> submit(const Launch& launch);

    /// Ends what runs and what waits, within milliseconds, without waiting for that; takes nothing more.
    void stop();

    class Job;

  private:
    void run(std::stop_token stop);

    std::mutex mutex_;
    std::condition_variable_any arrived_;
    std::deque<std::shared_ptr<Job>> jobs_;
    std::stop_source stop_;
    std::thread thread_;  // last: it uses the others
};

}  // namespace muster::reference
