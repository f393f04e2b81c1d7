#include <atomic>
#include <bit>

#include <muster/backend-vulkan/device/block.hpp>
#include <muster/backend-vulkan/native/check.hpp>

namespace muster::vulkan {
namespace {

constinit std::atomic<std::uint64_t> blocks_made{0};

constexpr VkBufferUsageFlags every_use = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                         VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                         VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

/// Kinds of memory with rules of their own, which this backend doesn't follow.
constexpr VkMemoryPropertyFlags special =
    VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;

}  // namespace

std::optional<std::uint32_t> choose_type(const VkPhysicalDeviceMemoryProperties& memory,
                                         std::uint32_t allowed, const MemoryRequest& request) {
    std::optional<std::uint32_t> best;
    int best_score = 0;
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
        if (!(allowed >> i & 1) || (flags & request.needed) != request.needed || (flags & special) != 0)
            continue;
        const VkMemoryPropertyFlags besides = flags & ~(request.needed | request.wanted);
        const int score = 100 * std::popcount(flags & request.wanted) - std::popcount(besides);
        if (best && score <= best_score) continue;  // of equals the first: the driver's preference
        best = i;
        best_score = score;
    }
    return best;
}

bool has_memory(const VkPhysicalDeviceMemoryProperties& memory, const MemoryRequest& request) {
    return choose_type(memory, UINT32_MAX, request).has_value();
}

Result<std::unique_ptr<Block>> Block::make(const LogicalDevice& device, VkDeviceSize bytes,
                                           const MemoryRequest& request) {
    const VolkDeviceTable& table = device.table();
    auto block = std::make_unique<Block>();
    block->bytes = bytes;
    block->serial = ++blocks_made;
    block->memory = UniqueMemory(device);
    block->buffer = UniqueBuffer(device);
    const VkBufferCreateInfo buffer{
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = bytes, .usage = every_use};
    TRY(check("vkCreateBuffer",
              [&] { return table.vkCreateBuffer(device.handle(), &buffer, nullptr, block->buffer.out()); }));
    VkMemoryRequirements needs{};
    table.vkGetBufferMemoryRequirements(device.handle(), block->buffer.get(), &needs);
    const auto type = choose_type(device.physical().memory, needs.memoryTypeBits, request);
    if (!type)
        return fail(ErrorCode::unsupported,
                    "The device has no memory of the kind that is needed for a buffer.");
    const VkMemoryAllocateInfo memory{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .allocationSize = needs.size,
                                      .memoryTypeIndex = *type};
    TRY(check("vkAllocateMemory", [&] {
        return table.vkAllocateMemory(device.handle(), &memory, nullptr, block->memory.out());
    }));
    TRY(check("vkBindBufferMemory", [&] {
        return table.vkBindBufferMemory(device.handle(), block->buffer.get(), block->memory.get(), 0);
    }));
    if ((request.needed & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) return block;
    void* mapped = nullptr;  // stays mapped until the memory is freed
    TRY(check("vkMapMemory", [&] {
        return table.vkMapMemory(device.handle(), block->memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped);
    }));
    block->mapped = static_cast<std::byte*>(mapped);
    return block;
}

}  // namespace muster::vulkan
