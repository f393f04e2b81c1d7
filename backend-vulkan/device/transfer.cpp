#include <algorithm>
#include <cstring>
#include <utility>

#include <muster/backend-vulkan/device/transfer.hpp>
#include <muster/backend-vulkan/native/barrier.hpp>
#include <muster/backend-vulkan/native/check.hpp>

namespace muster::vulkan {
namespace {

/// Large enough that a copy's fixed cost doesn't matter, small enough that the first copy starts early.
constexpr VkDeviceSize piece_bytes = VkDeviceSize{4} << 20;

}  // namespace

Result<void> Transfer::prepare(Pieces& pieces, const MemoryWish& wish) {
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
    for (Piece& piece : pieces) {
        if (!piece.block) piece.block = TRY(Block::make(device_, piece_bytes, wish));
        if (piece.commands != VK_NULL_HANDLE) continue;
        const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = pool_.get(),
                                               .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                               .commandBufferCount = 1};
        TRY(check("vkAllocateCommandBuffers",
                  [&] { return table.vkAllocateCommandBuffers(device_.handle(), &info, &piece.commands); }));
    }
    return {};
}

/// Waits without a timeout: the driver can't use the memory before.
Result<void> Transfer::wait_for(const Piece& piece) { return timeline_.wait(piece.number); }

template <class Commands>
Result<void> Transfer::run(Piece& piece, Commands&& commands) {
    const VolkDeviceTable& table = device_.table();
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    TRY(check("vkBeginCommandBuffer", [&] { return table.vkBeginCommandBuffer(piece.commands, &begin); }));
    commands(piece.commands);
    order_after(table, piece.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
    auto ended = check("vkEndCommandBuffer", [&] { return table.vkEndCommandBuffer(piece.commands); });
    if (!ended) {
        (void)table.vkResetCommandBuffer(piece.commands, 0);  // otherwise it can't begin again
        return ended;
    }
    piece.number = TRY(timeline_.submit(piece.commands));
    return {};
}

Result<void> Transfer::zero(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize bytes) {
    const std::lock_guard lock(mutex_);
    TRY(prepare(up_, upload_memory));
    std::swap(up_[0], up_[1]);
    Piece& piece = up_[0];
    TRY(wait_for(piece));
    return run(piece, [&](VkCommandBuffer commands) {
        device_.table().vkCmdFillBuffer(commands, buffer, offset, bytes, 0);
    });
}

Result<void> Transfer::write(VkBuffer buffer, VkDeviceSize offset, std::span<const std::byte> from) {
    const std::lock_guard lock(mutex_);
    TRY(prepare(up_, upload_memory));
    while (!from.empty()) {
        const auto part = from.first(std::min<std::size_t>(from.size(), piece_bytes));
        std::swap(up_[0], up_[1]);
        Piece& piece = up_[0];
        TRY(wait_for(piece));
        std::memcpy(piece.block->mapped, part.data(), part.size());
        const VkBufferCopy copy{.srcOffset = 0, .dstOffset = offset, .size = part.size()};
        TRY(run(piece, [&](VkCommandBuffer commands) {
            device_.table().vkCmdCopyBuffer(commands, piece.block->buffer.get(), buffer, 1, &copy);
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
    const auto finish = [&](const Piece& piece) -> Result<void> {
        TRY(wait_for(piece));
        std::memcpy(before.data(), piece.block->mapped, before.size());
        return {};
    };
    while (!to.empty()) {
        const auto part = to.first(std::min<std::size_t>(to.size(), piece_bytes));
        std::swap(down_[0], down_[1]);
        Piece& piece = down_[0];
        TRY(wait_for(piece));
        const VkBufferCopy copy{.srcOffset = offset, .dstOffset = 0, .size = part.size()};
        TRY(run(piece, [&](VkCommandBuffer commands) {
            device_.table().vkCmdCopyBuffer(commands, buffer, piece.block->buffer.get(), 1, &copy);
        }));
        if (!before.empty()) TRY(finish(down_[1]));
        before = part;
        offset += part.size();
        to = to.subspan(part.size());
    }
    return finish(down_[0]);
}

}  // namespace muster::vulkan
