// job.hpp - one launch in flight, as the driver holds it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
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

    // The queue's, under its mutex:

    /// Of its dispatch, until it has ended.
    Values::Pieces& values() { return values_; }
    /// The last of its values is what the kernel reports.
    void watch(std::shared_ptr<const WatchedLoops> loops) { watched_loops_ = std::move(loops); }
    /// Once it has ended: whether the driver ended a loop of it. Errors: limit_exceeded.
    Result<void> look_back() const;
    /// It was submitted, as this number on the timeline.
    void submitted_as(std::uint64_t number) { number_.store(number, std::memory_order_release); }
    /// How it ended; once.
    void settle(Result<Timing> outcome) {
        values_.clear();
        watched_loops_.reset();
        outcome_.emplace(std::move(outcome));
        settled_.store(true, std::memory_order_release);
    }

  private:
    bool settled() const { return settled_.load(std::memory_order_acquire); }

    Queue& queue_;
    Values::Pieces values_;
    std::shared_ptr<const WatchedLoops> watched_loops_;
    std::atomic<std::uint64_t> number_{0};  // 0: it waits in a batch that isn't submitted yet
    std::atomic<bool> settled_{false};
    std::optional<Result<Timing>> outcome_;  // not changed once settled_
};

}  // namespace muster::vulkan
