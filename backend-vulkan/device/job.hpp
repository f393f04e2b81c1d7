// job.hpp - one launch in flight, as the driver sees it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include <muster/backend-vulkan/device/values.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::vulkan {

class Queue;

class Job final : public Submission {
  public:
    explicit Job(Queue& queue) : queue_(queue) {}
    Result<Timing> wait(std::chrono::nanoseconds timeout) override;
    bool done() const override;

    // For the queue, under its mutex:

    /// The memory of its dispatch's values, until it has ended.
    Values::ValueBuffers& values() { return values_; }
    /// Watches loops: the last of its values receives the kernel's report.
    void watch(std::shared_ptr<const WatchedLoops> loops) { watched_loops_ = std::move(loops); }
    /// Precondition: the job has ended. Errors: limit_exceeded if the driver ended one of its loops.
    Result<void> check_loops() const;
    /// Notes the job's number on the timeline.
    void submitted_as(std::uint64_t number) { number_.store(number, std::memory_order_release); }
    /// Sets the outcome; called once.
    void settle(Result<Timing> outcome) {
        values_.clear();
        watched_loops_.reset();
        outcome_.settle(std::move(outcome));
    }

  private:
    Queue& queue_;
    Values::ValueBuffers values_;
    std::shared_ptr<const WatchedLoops> watched_loops_;
    std::atomic<std::uint64_t> number_{0};  // 0: waits in a batch that isn't submitted yet
    SubmissionOutcome outcome_;
};

}  // namespace muster::vulkan
