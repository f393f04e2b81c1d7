// launch.hpp - the device's queue: launches go into one stream, which runs them in order.
//
//   - Each is handed to CUDA at once. What ends it for the driver is an event behind it, and an event costs a good part of
//     what a launch costs: launches that follow each other closely share one. They are a batch. It ends when it is full,
//     and when somebody asks for the end of one of them; then its event is recorded.
//   - Whether an event has come is asked of CUDA at most every few microseconds, but for those who wait (poll.hpp).
//   - How long a launch took the device says, by events at a batch's begin and end: an even share of the batch's time, and so
//     exact for a launch that is waited for before the next. Without `timestamps` it is the host's clock, and one event less.
//   - A launch that is recorded and replayed as a graph may cost less where the same ones come again and again. Without a
//     device that can't be measured, and what isn't measured isn't built: it would come in here, as a batch's other shape.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <muster/backend-cuda/batch.hpp>
#include <muster/backend-cuda/executable.hpp>
#include <muster/driver/recycling.hpp>

namespace muster::cuda {

class Queue {
  public:
    static constexpr std::uint32_t most_in_batch = 32;

    static Result<std::unique_ptr<Queue>> create(const Context& context, Transfer& transfer, bool timestamps);
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    /// Waits for what is in flight.
    ~Queue();

    /// Errors: out_of_memory, limit_exceeded, device_lost.
    Result<Submitted> submit(const Launch& launch);
    /// Takes nothing more; all that hasn't ended answers device_lost. The device goes on with it: CUDA can't stop a kernel.
    void abandon();

    // A batch's:

    Result<Timing> wait(Batch& batch, std::chrono::nanoseconds timeout);
    bool done(const Batch& batch);

  private:
    Queue(const Context& context, Transfer& transfer, bool timestamps, UniqueStream stream)
        : context_(context),
          transfer_(transfer),
          timestamps_(timestamps),
          values_(context, transfer),
          stream_(std::move(stream)) {}

    // Precondition of all: mutex_ is held; the context is entered, where it isn't lost.
    Result<std::shared_ptr<Batch>> open_batch();
    Result<BatchParts> take_parts();
    void give_parts(BatchParts parts);
    Result<void> begin(Batch& batch);
    Result<void> fill(const ModuleExecutable& executable, const Launch& launch, Batch& batch);
    Result<void> record(const UniqueEvent& event);
    void end_open_batch();
    /// Settles all that has ended. Where `batch` is open, it ends here.
    void look(const Batch* batch);
    bool look_at_first();
    Result<Timing> timing_of(const Batch& batch);
    void settle_first(Result<Timing> outcome);
    void give_up(const Error& why);

    const Context& context_;
    Transfer& transfer_;
    const bool timestamps_;
    std::mutex mutex_;
    bool closed_ = false;
    Values values_;  // before all that holds pieces of it
    UniqueStream stream_;
    std::vector<BatchParts> unused_parts_;
    std::size_t made_parts_ = 0;
    RecyclingAllocator<Batch> batches_;
    std::shared_ptr<Batch> first_;  // in flight, each with the next
    Batch* last_ = nullptr;
    std::shared_ptr<Batch> open_;  // the last, where it takes launches
    std::chrono::steady_clock::time_point looked_at_, last_end_;
};

}  // namespace muster::cuda
