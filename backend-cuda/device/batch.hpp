// batch.hpp - a batch: launches that share one end event in the stream. The driver's Submission.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <muster/backend-cuda/device/values.hpp>
#include <muster/driver/contract/event_submission.hpp>

namespace muster::cuda {

class Queue;

/// A batch's events and values; reused by a later batch once this one has ended.
struct BatchParts {
    // `begin` is recorded before the first launch if nothing was in flight, `end` after the last launch.
    UniqueEvent begin, end;
    std::vector<Values::ValueBuffer> values;  // of the batch's launches
};

class Batch final : public EventSubmission {
  public:
    Batch(Queue& queue, BatchParts given) : parts(std::move(given)), queue_(queue) {}

    // For the queue, which also settles the outcome, under its mutex:

    BatchParts parts;
    std::uint32_t launches = 0;
    bool follows = false;  // starts when the batch before it ends
    std::shared_ptr<Batch> next;

  private:
    void ask(Asker asker) const override;

    Queue& queue_;
};

}  // namespace muster::cuda
