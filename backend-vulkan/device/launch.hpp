// launch.hpp - the device's queue: launches and transfers become command buffers, which
// the device runs in order.
//
//   - A launch on an idle device is submitted at once, with a command buffer that has recorded the same
//     launch before, if there is one.
//   - While the device is busy, launches gather in a batch, because a submission costs more than a small
//     kernel. A batch is submitted when it is full, when a thread waits for one of its launches, and
//     when the device has nothing else left to do. For the last case the queue has a thread, which
//     starts with the first such batch.
//   - Full batches are submitted while others run: several are in flight.
//   - Timestamps measure how long a launch took. If the device is the processor, a timestamp costs as much as
//     a small kernel, and its clock is the host's: then the host measures, from the submission to the end,
//     where it can see both: of a launch that was submitted alone, with nothing else in flight, and whose end
//     a thread waited for. Others have no time.
//   - If a driver ended a loop of a kernel, that launch answers limit_exceeded, and so do all that ran after
//     it, which may have read what it wrote, and all later ones: the session is over.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <muster/backend-vulkan/device/batch.hpp>
#include <muster/backend-vulkan/device/values.hpp>
#include <muster/backend-vulkan/native/timeline.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/support/linked_queue.hpp>
#include <muster/driver/support/recycling.hpp>

namespace muster::vulkan {

class Queue {
  public:
    /// timestamps: let the device measure launches, if it can. staged: as for Values.
    Queue(const LogicalDevice& device, Timeline& timeline, bool timestamps, bool staged);
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    /// Precondition: close() has returned.
    ~Queue();

    /// Errors: out_of_memory, device_lost; limit_exceeded once the driver has ended a loop.
    Result<Submitted> submit(const Launch& launch);
    Result<Submitted> transfer(const MemoryTransfer& transfer);  // likewise
    /// Refuses new launches; those that haven't ended answer device_lost. The device keeps running them.
    void abandon();
    /// Submits what has gathered, waits for all work and ends the thread. Call before
    /// destroying anything of the device.
    void close();

    // For jobs:

    Timeline& timeline() { return timeline_; }
    /// Settles all work that has ended.
    void settle_ended();
    /// A thread is about to wait for this number on the timeline, or has stopped to, so that an
    /// end is seen as it happens.
    void begin_watch(std::uint64_t number);
    void end_watch(std::uint64_t number);
    /// True if nothing is in flight or gathered.
    bool is_idle();
    /// Submits the gathered batch.
    void flush();
    /// Submits the gathered batch unless another thread has locked the queue.
    void try_flush();

  private:
    // Precondition of each function: mutex_ is locked.
    void retire();
    bool saw_end(const Batch& batch, std::chrono::steady_clock::time_point now) const;
    Result<Batch*> unused();
    Result<void> submit(Batch& batch);
    void flush_gathered();
    Result<void> make_ready();
    Result<Submitted> submit(const Recipe& recipe, std::shared_ptr<Job> job);
    Result<void> run_now(const Recipe& recipe, const std::shared_ptr<Job>& job);
    Result<void> gather(const Recipe& recipe, const std::shared_ptr<Job>& job);
    Result<Batch*> begin_gathering(const Recipe& recipe);
    bool start_thread();
    void fail_all(const Error& why);

    /// Runs on the thread: submits the gathered batch once the device has ended all other work.
    void run_thread();

    const LogicalDevice& device_;
    Timeline& timeline_;
    const bool timestamps_;
    std::mutex mutex_;
    std::condition_variable gathers_;
    bool closed_ = false;
    std::optional<Error> loop_error_;  // a kernel's results are wrong, and unknown work has read them
    Values values_;                    // before everything that has buffers of it
    UniqueCommandPool pool_;
    std::vector<std::unique_ptr<Batch>> batches_;
    LinkedQueue<Batch*> in_flight_, unused_;
    Batch* gathered_ = nullptr;            // has begun and not ended
    bool fills_batches_ = false;           // the last gathered batch was full
    std::uint64_t begun_ = 0, ended_ = 0;  // batches
    // The work in flight whose end is watched, and when it was last seen running. Unused with timestamps.
    std::uint64_t watched_ = 0;
    std::uint32_t watchers_ = 0;
    std::chrono::steady_clock::time_point seen_running_at_;
    RecyclingAllocator<Job> jobs_;
    std::thread thread_;
};

}  // namespace muster::vulkan
