// launch.hpp - the device's queue: launches become command buffers, which the device runs in order.
//
//   - A launch on an idle device is submitted at once, by the command buffer that recorded the same launch before, where
//     there is one.
//   - While the device is busy launches gather in a batch, because each submission costs more than a small kernel. It is
//     submitted when it is full, when somebody waits for one of its launches, and when the device has nothing else left to
//     do: a thread sees to that, so that work goes on while nobody looks. The thread starts with the first such batch.
//   - Full batches are submitted while others run: several are in flight.
//   - How long a launch took the device says by timestamps. Where the device is the processor, a timestamp costs as much as
//     a small kernel, and the clock is the host's: there it is the time from the submission, or the end of what came before,
//     to the end as it was seen, shared by what was submitted together.
//   - Where a driver ended a loop of a kernel, that launch answers limit_exceeded, and so do all that ran after it, which may
//     have read what it wrote, and all that come: the session is over.
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
#include <muster/driver/support/recycling.hpp>

namespace muster::vulkan {

class Queue {
  public:
    /// timestamps: whether to ask the device how long launches take, where it has timestamps. staged: as Values has it.
    Queue(const LogicalDevice& device, Timeline& timeline, bool timestamps, bool staged);
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    /// Precondition: closed.
    ~Queue();

    /// Errors: out_of_memory, device_lost; limit_exceeded, since the driver ended a loop.
    Result<Submitted> submit(const Launch& launch);
    /// Takes nothing more; all that hasn't ended answers device_lost. The device goes on with it.
    void abandon();
    /// Submits what is left, waits for all of it, and ends the thread. Before anything of the device is destroyed.
    void close();

    // A job's:

    Timeline& timeline() { return timeline_; }
    /// Settles all that has ended.
    void look();
    /// Nothing is in flight.
    bool is_idle();
    /// Submits the batch that gathers.
    void flush();
    /// The same, unless somebody else is at the queue.
    void try_flush();

  private:
    struct Line {  // of batches, linked
        Batch* first = nullptr;
        Batch* last = nullptr;
        void push(Batch* batch);
        Batch* pop();
        /// The first of which it is true, taken out; null: of none.
        Batch* take(bool (Batch::*fits)(const Recipe&) const, const Recipe& recipe);
    };

    // Precondition of all: mutex_ is held.
    void retire();
    Result<Batch*> unused();
    Result<void> submit(Batch& batch);
    void flush_gathered();
    Result<void> run_now(BoundSets& sets, const Recipe& recipe, const std::shared_ptr<Job>& job);
    Result<void> gather(BoundSets& sets, const Recipe& recipe, const std::shared_ptr<Job>& job);
    Result<Batch*> begin_gathering(const Recipe& recipe);
    bool start_thread();
    void give_up(const Error& why);

    /// The thread: submits what has gathered once the device has ended all else.
    void tend();

    const LogicalDevice& device_;
    Timeline& timeline_;
    const bool timestamps_;
    std::mutex mutex_;
    std::condition_variable gathers_;
    bool closed_ = false;
    std::optional<Error> spoiled_;  // what a kernel wrote is wrong, and nobody knows what has read it
    Values values_;                 // before all that holds pieces of it
    UniqueCommandPool pool_;
    std::vector<std::unique_ptr<Batch>> batches_;
    Line in_flight_, unused_;
    Batch* gathered_ = nullptr;            // it has begun and not ended
    bool fills_batches_ = false;           // the last that gathered was full
    std::uint64_t begun_ = 0, ended_ = 0;  // batches
    std::chrono::steady_clock::time_point last_end_;
    RecyclingAllocator<Job> jobs_;
    std::thread thread_;
};

}  // namespace muster::vulkan
