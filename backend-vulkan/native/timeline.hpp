// timeline.hpp - numbers the submissions to the device's queue, from 1, and tells how far the device has got.
//
//     const std::uint64_t number = TRY(timeline.submit(commands));
//     TRY(timeline.wait(number, 1s));
//
// Uses a timeline semaphore, or fences on a Vulkan 1.1 device without them. Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include <muster/backend-vulkan/native/handle.hpp>

namespace muster::vulkan {

class Timeline {
  public:
    static Result<std::unique_ptr<Timeline>> create(const LogicalDevice& device, bool with_semaphore);
    virtual ~Timeline() = default;

    /// Returns the submission's number. On an error, nothing was submitted. Errors:
    /// out_of_memory, device_lost.
    Result<std::uint64_t> submit(VkCommandBuffer commands);
    /// The number of the last submission; 0: none.
    std::uint64_t last() const { return submitted_.load(std::memory_order_acquire); }
    /// Errors: timed_out (still running), device_lost.
    Result<void> wait(std::uint64_t number, std::chrono::nanoseconds timeout);
    /// Waits without a timeout. Errors: device_lost.
    Result<void> wait(std::uint64_t number);
    enum class State : std::uint8_t { running, ended, lost };
    /// lost: the device, and the work with it. Never blocks.
    State state(std::uint64_t number);

  protected:
    explicit Timeline(const LogicalDevice& device) : device_(device) {}
    const LogicalDevice& device() const { return device_; }

  private:
    /// Called by one thread at a time.
    virtual Result<void> enqueue(VkCommandBuffer commands, std::uint64_t number) = 0;
    virtual Result<void> await(std::uint64_t number, std::chrono::nanoseconds timeout) = 0;
    /// The number of the last submission that has ended.
    virtual Result<std::uint64_t> reached() = 0;
    void saw_end_of(std::uint64_t number);

    const LogicalDevice& device_;
    std::mutex submit_mutex_;
    std::atomic<std::uint64_t> submitted_{0};  // written under the mutex
    std::atomic<std::uint64_t> ended_{0};      // as far as known
    std::atomic<bool> lost_{false};
};

}  // namespace muster::vulkan
