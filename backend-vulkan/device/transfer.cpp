#include <algorithm>
#include <cstring>
#include <utility>

#include <muster/backend-vulkan/device/transfer.hpp>
#include <muster/backend-vulkan/native/barrier.hpp>
#include <muster/backend-vulkan/native/check.hpp>

namespace muster::vulkan {
namespace {

/// Large enough that a copy's fixed cost doesn't matter, small enough that the first copy starts early.
constexpr VkDeviceSize staging_bytes = VkDeviceSize{4} << 20;

}  // namespace

Result<void> Transfer::prepare(StagingBuffers& buffers, const MemoryRequest& request) {
    const VolkDeviceTable& table = device_.table();
    if (pool_.get() == VK_NULL_HANDLE) {
        UniqueCommandPool pool(device_);
        const VkCommandPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                           .queueFamilyIndex = device_.physical().queue.family};
        TRY(check("vkCreateCommandPool",
                  [&] { return table.vkCreateCommandPool(device_.handle(), &info, nullptr, pool.out()); }));
        pool_ = std::move(pool);
    }
    for (StagingBuffer& staging : buffers) {
        if (!staging.block) staging.block = TRY(Block::make(device_, staging_bytes, request));
        if (staging.commands != VK_NULL_HANDLE) continue;
        const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = pool_.get(),
                                               .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                               .commandBufferCount = 1};
        TRY(check("vkAllocateCommandBuffers", [&] {
            return table.vkAllocateCommandBuffers(device_.handle(), &info, &staging.commands);
        }));
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
    auto ended = check("vkEndCommandBuffer", [&] { return table.vkEndCommandBuffer(staging.commands); });
    if (!ended) {
        (void)table.vkResetCommandBuffer(staging.commands, 0);  // otherwise it can't begin again
        return ended;
    }
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
    while (!from.empty()) {
        const auto part = from.first(std::min<std::size_t>(from.size(), staging_bytes));
        std::swap(up_[0], up_[1]);
        StagingBuffer& staging = up_[0];
        TRY(wait_for(staging));
        std::memcpy(staging.block->mapped, part.data(), part.size());
        const VkBufferCopy copy{.srcOffset = 0, .dstOffset = offset, .size = part.size()};
        TRY(run(staging, [&](VkCommandBuffer commands) {
            device_.table().vkCmdCopyBuffer(commands, staging.block->buffer.get(), buffer, 1, &copy);
        }));
        offset += part.size();
        from = from.subspan(part.size());
    }
    return {};
}

Result<void> Transfer::read(VkBuffer buffer, VkDeviceSize offset, std::span<std::byte> to) {
    const std::lock_guard lock(mutex_);
    TRY(prepare(down_, download_memory));
    std::span<std::byte> before;  // destination of the copy in flight
    const auto finish = [&](const StagingBuffer& staging) -> Result<void> {
        TRY(wait_for(staging));
        std::memcpy(before.data(), staging.block->mapped, before.size());
        return {};
    };
    while (!to.empty()) {
        const auto part = to.first(std::min<std::size_t>(to.size(), staging_bytes));
        std::swap(down_[0], down_[1]);
        StagingBuffer& staging = down_[0];
        TRY(wait_for(staging));
        const VkBufferCopy copy{.srcOffset = offset, .dstOffset = 0, .size = part.size()};
        TRY(run(staging, [&](VkCommandBuffer commands) {
            device_.table().vkCmdCopyBuffer(commands, buffer, staging.block->buffer.get(), 1, &copy);
        }));
        if (!before.empty()) TRY(finish(down_[1]));
        before = part;
        offset += part.size();
        to = to.subspan(part.size());
    }
    return finish(down_[0]);
}

}  // namespace muster::vulkan
