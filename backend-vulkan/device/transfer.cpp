#include <utility>

#include <muster/backend-vulkan/device/transfer.hpp>
#include <muster/backend-vulkan/native/barrier.hpp>
#include <muster/backend-vulkan/native/check.hpp>
#include <muster/driver/support/staged_copy.hpp>

namespace muster::vulkan {

Result<void> Transfer::prepare(StagingBuffers& buffers, const MemoryRequest& request) {
    if (pool_.get() == VK_NULL_HANDLE) pool_ = TRY(make_command_pool(device_));
    for (StagingBuffer& staging : buffers) {
        if (!staging.block) staging.block = TRY(Block::make(device_, staging_bytes, request));
        if (staging.commands == VK_NULL_HANDLE) staging.commands = TRY(make_commands(device_, pool_.get()));
    }
    return {};
}

/// Waits without a timeout: the driver can't use the memory before.
Result<void> Transfer::wait_for(const StagingBuffer& staging) { return timeline_.wait(staging.number); }

template <class Commands>
Result<void> Transfer::run(StagingBuffer& staging, Commands&& commands) {
    const VolkDeviceTable& table = device_.table();
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    TRY(check("vkBeginCommandBuffer", [&] { return table.vkBeginCommandBuffer(staging.commands, &begin); }));
    commands(staging.commands);
    order_after(table, staging.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
    TRY(end_commands(device_, staging.commands));
    staging.number = TRY(timeline_.submit(staging.commands));
    return {};
}

Result<void> Transfer::zero(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize bytes) {
    const std::lock_guard lock(mutex_);
    TRY(prepare(up_, upload_memory));
    std::swap(up_[0], up_[1]);
    StagingBuffer& staging = up_[0];
    TRY(wait_for(staging));
    return run(staging, [&](VkCommandBuffer commands) {
        device_.table().vkCmdFillBuffer(commands, buffer, offset, bytes, 0);
    });
}

Result<void> Transfer::write(VkBuffer buffer, VkDeviceSize offset, std::span<const std::byte> from) {
    const std::lock_guard lock(mutex_);
    TRY(prepare(up_, upload_memory));
    const auto wait = [&](const StagingBuffer& staging) { return wait_for(staging); };
    return write_staged(up_, from, wait, [&](StagingBuffer& staging, std::size_t done, std::size_t bytes) {
        const VkBufferCopy copy{.srcOffset = 0, .dstOffset = offset + done, .size = bytes};
        return run(staging, [&](VkCommandBuffer commands) {
            device_.table().vkCmdCopyBuffer(commands, staging.block->buffer.get(), buffer, 1, &copy);
        });
    });
}

Result<void> Transfer::read(VkBuffer buffer, VkDeviceSize offset, std::span<std::byte> to) {
    const std::lock_guard lock(mutex_);
    TRY(prepare(down_, download_memory));
    const auto wait = [&](const StagingBuffer& staging) { return wait_for(staging); };
    const auto copy_part = [&](StagingBuffer& staging, std::size_t done, std::size_t bytes) -> Result<void> {
        TRY(wait_for(staging));
        const VkBufferCopy copy{.srcOffset = offset + done, .dstOffset = 0, .size = bytes};
        return run(staging, [&](VkCommandBuffer commands) {
            device_.table().vkCmdCopyBuffer(commands, buffer, staging.block->buffer.get(), 1, &copy);
        });
    };
    return read_staged(down_, to, wait, copy_part);
}

}  // namespace muster::vulkan
