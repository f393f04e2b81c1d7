// launch.hpp - the device's queue: launches and transfers go into one stream, which runs them in order.
//
//   - Each launch is handed to CUDA at once. The driver sees it end by an event recorded after it.
//   - With `timestamps`, the device measures each launch: the time to its event from the previous launch's
//     event, or from another event recorded before it if nothing was in flight.
//   - Without `timestamps`, no launch has a time: the host notices an end only when somebody asks. Since an
//     event costs a good part of what a launch costs, launches that follow each other then share one, as a
//     batch. A batch closes when it is full or when somebody asks for the end of one of its launches. (With
//     timestamps, an event recorded that late would give the wrong time, so a batch is one launch.)
//   - CUDA is asked about an event at most every few microseconds, except by threads that wait.
//   - A kernel with grid barriers is launched cooperatively: CUDA makes all its workgroups
//     resident at the same time.
//   - CUDA graphs might make repeated identical launches cheaper. That hasn't been measured, so it isn't
//     built; it would be another kind of batch.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <muster/backend-cuda/device/batch.hpp>
#include <muster/backend-cuda/device/executable.hpp>
#include <muster/driver/support/linked_queue.hpp>
#include <muster/driver/support/recycling.hpp>

namespace muster::cuda {

class Queue {
  public:
    static constexpr std::uint32_t most_in_batch = 32;

    static Result<std::unique_ptr<Queue>> create(const Context& context, Transfer& transfer, bool timestamps);
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    /// Waits for the launches in flight.
    ~Queue();

    /// Errors: out_of_memory, limit_exceeded, device_lost.
    Result<Submitted> submit(const Launch& launch);
    Result<Submitted> submit(const MemoryTransfer& transfer);
    /// Accepts no more launches; all that haven't ended answer device_lost. The device goes on running them:
    /// CUDA can't stop a kernel.
    void abandon();

    // For Batch:

    /// Settles the batches that have ended.
    void ask(const Batch& batch);
    /// ask(), but only if the last answer is older than a few microseconds and no other thread asks.
    void look(const Batch& batch);

  private:
    Queue(const Context& context, Transfer& transfer, bool timestamps, UniqueStream stream)
        : context_(context),
          transfer_(transfer),
          timestamps_(timestamps),
          values_(context, transfer),
          stream_(std::move(stream)) {}

    template <class Enqueue>
    Result<Submitted> submit_with(Enqueue&& enqueue);

    // Precondition of all: mutex_ is locked, and the context is entered unless it is lost.
    Result<std::shared_ptr<Batch>> open_batch();
    Result<BatchParts> take_parts();
    void give_parts(BatchParts parts);
    Result<void> begin(Batch& batch, bool follows);
    bool is_busy();
    Result<void> fill(const ModuleExecutable& executable, const Launch& launch, Batch& batch);
    Result<void> launch_kernel(const ModuleExecutable& executable, const Extent3& grid);
    Result<void> enqueue(const MemoryTransfer& transfer);
    Result<void> record(const UniqueEvent& event);
    void end_open_batch();
    /// Settles all batches that have ended. If `batch` is still open, it is closed here.
    void poll_batches(const Batch* batch);
    bool poll_first();
    Result<Timing> timing_of(const Batch& batch);
    void settle_first(Result<Timing> outcome);
    void fail_all(const Error& why);

    const Context& context_;
    Transfer& transfer_;
    const bool timestamps_;
    std::mutex mutex_;
    bool closed_ = false;
    Values values_;  // declared before all members that own buffers of it
    UniqueStream stream_;
    std::vector<BatchParts> unused_parts_;
    BatchParts before_;  // of the last batch that ended: the next may start at its end event
    std::size_t made_parts_ = 0;
    RecyclingAllocator<Batch> batches_;
    LinkedQueue<std::shared_ptr<Batch>> in_flight_;
    std::shared_ptr<Batch> open_;  // the last batch, while it accepts launches
    std::chrono::steady_clock::time_point polled_at_;
};

}  // namespace muster::cuda
