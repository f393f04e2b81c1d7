// transfer.hpp - copies between the host and memory that it can't access, through staging buffers.
//
// Two staging buffers each way, so that the host fills or empties one while the device copies the other;
// created at the first copy. A write returns once its last part is submitted: later submissions come after
// it. Threads: any; one copy at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include <muster/backend-vulkan/device/block.hpp>
#include <muster/backend-vulkan/native/timeline.hpp>

namespace muster::vulkan {

class Transfer {
  public:
    Transfer(const LogicalDevice& device, Timeline& timeline) : device_(device), timeline_(timeline) {}

    /// Errors of all: out_of_memory, device_lost.
    Result<void> zero(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize bytes);  // both multiples of 4
    Result<void> write(VkBuffer buffer, VkDeviceSize offset, std::span<const std::byte> from);
    Result<void> read(VkBuffer buffer, VkDeviceSize offset, std::span<std::byte> to);

  private:
    /// A staging buffer, and the command buffer that copies it.
    struct StagingBuffer {
        std::unique_ptr<Block> block;
        VkCommandBuffer commands = VK_NULL_HANDLE;
        std::uint64_t number = 0;  // on the timeline
        std::byte* bytes() const { return block->mapped; }
    };
    using StagingBuffers = std::array<StagingBuffer, 2>;

    // Precondition of each function: mutex_ is locked.
    Result<void> prepare(StagingBuffers& buffers, const MemoryRequest& request);
    Result<void> wait_for(const StagingBuffer& staging);
    /// Records what `commands(buffer)` records, then a barrier, and submits it.
    template <class Commands>
    Result<void> run(StagingBuffer& staging, Commands&& commands);

    const LogicalDevice& device_;
    Timeline& timeline_;
    std::mutex mutex_;
    UniqueCommandPool pool_;
    StagingBuffers up_, down_;
};

}  // namespace muster::vulkan
