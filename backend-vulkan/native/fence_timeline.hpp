// fence_timeline.hpp - a timeline of fences, one per submission in flight, for devices
// without timeline semaphores.
#pragma once

#include <vector>

#include <muster/backend-vulkan/native/timeline.hpp>

namespace muster::vulkan {

class FenceTimeline final : public Timeline {
  public:
    explicit FenceTimeline(const LogicalDevice& device);

  private:
    struct Mark {
        std::uint64_t number = 0;
        UniqueFence fence;
        std::uint32_t waiters = 0;  // threads waiting for the fence; it isn't reset meanwhile
    };

    Result<void> enqueue(VkCommandBuffer commands, std::uint64_t number) override;
    Result<void> await(std::uint64_t number, std::chrono::nanoseconds timeout) override;
    Result<std::uint64_t> reached() override;

    // Precondition of each function: mutex_ is locked.
    Result<std::unique_ptr<Mark>> make();
    Result<std::unique_ptr<Mark>> unused();
    Result<void> retire();
    void let_go(Mark& mark);

    std::mutex mutex_;
    std::vector<std::unique_ptr<Mark>> in_flight_;   // by number; a deque would allocate as it moves along
    std::vector<std::unique_ptr<Mark>> waited_for_;  // ended, but some thread hasn't noticed yet
    std::vector<std::unique_ptr<Mark>> unused_;
    std::uint64_t ended_ = 0;
};

}  // namespace muster::vulkan
