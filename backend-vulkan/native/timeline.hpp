// timeline.hpp - what was submitted to the device's queue, numbered from 1 in its order, and how far the device has got.
//
//     const std::uint64_t number = TRY(timeline.submit(commands));
//     TRY(timeline.wait(number, 1s));
//
// By a timeline semaphore, or by fences where a Vulkan 1.1 device has none. Threads: any.
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

    /// The number that it gets. An error: nothing was submitted. Errors: out_of_memory, device_lost.
    Result<std::uint64_t> submit(VkCommandBuffer commands);
    /// What was submitted last; 0: nothing.
    std::uint64_t last() const { return submitted_.load(std::memory_order_acquire); }
    /// Errors: timed_out (still running), device_lost.
    Result<void> wait(std::uint64_t number, std::chrono::nanoseconds timeout);
    /// As long as it takes. Errors: device_lost.
    Result<void> wait(std::uint64_t number);
    enum class State : std::uint8_t { running, ended, lost };
    /// Lost: the device is, and the work with it. Never blocks.
    State state(std::uint64_t number);

  protected:
    explicit Timeline(const LogicalDevice& device) : device_(device) {}
    const LogicalDevice& device() const { return device_; }

  private:
    /// One thread at a time.
    virtual Result<void> enqueue(VkCommandBuffer commands, std::uint64_t number) = 0;
    virtual Result<void> await(std::uint64_t number, std::chrono::nanoseconds timeout) = 0;
    /// The last that has ended.
    virtual Result<std::uint64_t> reached() = 0;
    void saw_end_of(std::uint64_t number);

    const LogicalDevice& device_;
    std::mutex submit_mutex_;
    std::atomic<std::uint64_t> submitted_{0};  // written under the mutex
    std::atomic<std::uint64_t> ended_{0};      // as far as it is known
    std::atomic<bool> lost_{false};
};

}  // namespace muster::vulkan
