// batch.hpp - launches that end by one event in the stream, as the driver holds them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <muster/backend-cuda/device/values.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::cuda {

class Queue;

/// What a batch has, and gives back for the next when it has ended.
struct BatchParts {
    UniqueEvent begin, end;  // recorded before its first launch, where nothing was in flight; after its last
    std::vector<Values::Piece> values;  // of its launches
};

class Batch final : public Submission {
  public:
    Batch(Queue& queue, BatchParts given) : parts(std::move(given)), queue_(queue) {}
    Result<Timing> wait(std::chrono::nanoseconds timeout) override;
    bool done() const override;

    bool settled() const { return settled_.load(std::memory_order_acquire); }

    // The queue's, under its mutex:

    /// How it ended; once.
    void settle(Result<Timing> outcome) {
        outcome_.emplace(std::move(outcome));
        settled_.store(true, std::memory_order_release);
    }
    BatchParts parts;
    std::uint32_t launches = 0;
    bool follows = false;  // it begins where the one before ends
    std::chrono::steady_clock::time_point begun_at;
    std::shared_ptr<Batch> next;

  private:
    friend class Queue;
    Queue& queue_;
    std::atomic<bool> settled_{false};
    std::optional<Result<Timing>> outcome_;  // not changed once settled_
};

}  // namespace muster::cuda
