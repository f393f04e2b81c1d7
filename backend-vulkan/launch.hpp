// launch.hpp - the device's queue: launches become command buffers, which the device runs in order.
//
// A launch on an idle device is submitted at once, by the command buffer that recorded the same launch before, where there is
// one. Several submissions are in flight at once. How long a launch took the device says by timestamps; where the device is
// the processor, a timestamp costs as much as a small kernel, and the clock is the host's: there it is the time from the
// submission, or the end of what came before, to the end as it was seen, shared by what was submitted together.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <muster/backend-vulkan/batch.hpp>
#include <muster/backend-vulkan/timeline.hpp>
#include <muster/driver/backend.hpp>
#include <muster/driver/recycling.hpp>

namespace muster::vulkan {

class Queue {
  public:
    /// timestamps: whether to ask the device how long launches take, where it has timestamps.
    Queue(const LogicalDevice& device, Timeline& timeline, bool timestamps);
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    ~Queue();

    /// Errors: out_of_memory, device_lost.
    Result<Submitted> submit(const Launch& launch);
    /// Takes nothing more; all that hasn't ended answers device_lost. The device goes on with it.
    void abandon();

    // A job's:

    Timeline& timeline() { return timeline_; }
    /// Settles all that has ended.
    void look();

  private:
    struct Line {  // of batches, linked
        Batch* first = nullptr;
        Batch* last = nullptr;
        void push(Batch* batch);
        Batch* pop();
        /// The first that holds the launch, taken out; null: none does.
        Batch* take(const Recipe& recipe);
    };

    // Precondition of all: mutex_ is held.
    void retire();
    Result<Batch*> unused();
    Result<void> record(Batch& batch, const PipelineExecutable& executable, BoundSets& sets,
                        const Launch& launch, const Recipe& recipe, const std::shared_ptr<Job>& job);
    Result<void> flush(Batch& batch);

    const LogicalDevice& device_;
    Timeline& timeline_;
    const bool timestamps_;
    std::mutex mutex_;
    bool closed_ = false;
    UniqueCommandPool pool_;
    std::vector<std::unique_ptr<Batch>> batches_;
    Line in_flight_, unused_;
    std::uint64_t begun_ = 0, ended_ = 0;  // batches
    std::chrono::steady_clock::time_point last_end_;
    RecyclingAllocator<Job> jobs_;
};

}  // namespace muster::vulkan
