// launch.hpp - the device's queue: launches go into one stream, which runs them in order.
//
//   - Each is handed to CUDA at once. What ends it for the driver is an event behind it.
//   - How long it took the device says: the time between that event and the one before, or one of its own before it, where
//     nothing was in flight.
//   - Without `timestamps` it is the host's clock, which sees an end when somebody asks. An event costs a good part of what a
//     launch costs: launches that follow each other share one then, as a batch. It ends when it is full, and when somebody
//     asks for the end of one of them. (With timestamps an event that is recorded so late would tell the wrong time: there
//     a batch is one launch.)
//   - Whether an event has come is asked of CUDA at most every few microseconds, but for those who wait (poll.hpp).
//   - A kernel with grid barriers is launched cooperatively: CUDA sees to it that all its workgroups are there at once.
//   - A launch that is recorded and replayed as a graph may cost less where the same ones come again and again. Without a
//     device that can't be measured, and what isn't measured isn't built: it would come in here, as a batch's other shape.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <muster/backend-cuda/device/batch.hpp>
#include <muster/backend-cuda/device/executable.hpp>
#include <muster/driver/support/recycling.hpp>

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
    Result<void> begin(Batch& batch, bool follows);
    bool is_busy();
    Result<void> fill(const ModuleExecutable& executable, const Launch& launch, Batch& batch);
    Result<void> hand_over(const ModuleExecutable& executable, const Extent3& grid);
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
    BatchParts before_;  // of the last that has ended: the next may have begun where it ended
    std::size_t made_parts_ = 0;
    RecyclingAllocator<Batch> batches_;
    std::shared_ptr<Batch> first_;  // in flight, each with the next
    Batch* last_ = nullptr;
    std::shared_ptr<Batch> open_;  // the last, where it takes launches
    std::chrono::steady_clock::time_point looked_at_, last_end_;
};

}  // namespace muster::cuda
