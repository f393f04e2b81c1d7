#include <atomic>
#include <bit>

#include <muster/backend-vulkan/device/block.hpp>
#include <muster/backend-vulkan/native/check.hpp>

namespace muster::vulkan {
namespace {

constinit std::atomic<std::uint64_t> blocks_made{0};

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

namespace {

/// A block without memory; `external` extends the description of its buffer.
Result<std::unique_ptr<Block>> with_buffer(const LogicalDevice& device, VkDeviceSize bytes,
                                           const void* external) {
    auto block = std::make_unique<Block>();
    block->bytes = bytes;
    block->serial = ++blocks_made;
    block->memory = UniqueMemory(device);
    block->buffer = UniqueBuffer(device);
    const VkBufferCreateInfo buffer{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .pNext = external,
                                    .size = bytes,
                                    .usage = buffer_usage};
    TRY(check("vkCreateBuffer", [&] {
        return device.table().vkCreateBuffer(device.handle(), &buffer, nullptr, block->buffer.out());
    }));
    return block;
}

VkMemoryRequirements needs_of(const LogicalDevice& device, const Block& block) {
    VkMemoryRequirements needs{};
    device.table().vkGetBufferMemoryRequirements(device.handle(), block.buffer.get(), &needs);
    return needs;
}

Result<void> allocate_and_bind(const LogicalDevice& device, Block& block,
                               const VkMemoryAllocateInfo& memory) {
    const VolkDeviceTable& table = device.table();
    TRY(check("vkAllocateMemory",
              [&] { return table.vkAllocateMemory(device.handle(), &memory, nullptr, block.memory.out()); }));
    return check("vkBindBufferMemory", [&] {
        return table.vkBindBufferMemory(device.handle(), block.buffer.get(), block.memory.get(), 0);
    });
}

std::unexpected<Error> no_fitting_memory() {
    return fail(ErrorCode::unsupported, "The device has no memory of the kind that is needed for a buffer.");
}

}  // namespace

Result<std::unique_ptr<Block>> Block::make(const LogicalDevice& device, VkDeviceSize bytes,
                                           const MemoryRequest& request) {
    auto block = TRY(with_buffer(device, bytes, nullptr));
    const VkMemoryRequirements needs = needs_of(device, *block);
    const auto type = choose_type(device.physical().memory, needs.memoryTypeBits, request);
    if (!type) return no_fitting_memory();
    TRY(allocate_and_bind(device, *block,
                          {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                           .allocationSize = needs.size,
                           .memoryTypeIndex = *type}));
    if ((request.needed & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) return block;
    void* mapped = nullptr;  // stays mapped until the memory is freed
    TRY(check("vkMapMemory", [&] {
        return device.table().vkMapMemory(device.handle(), block->memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped);
    }));
    block->mapped = static_cast<std::byte*>(mapped);
    return block;
}

Result<std::unique_ptr<Block>> Block::over(const LogicalDevice& device, std::span<std::byte> pages) {
    constexpr auto kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    const VkExternalMemoryBufferCreateInfo external{
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = kind};
    auto block = TRY(with_buffer(device, pages.size(), &external));
    VkMemoryHostPointerPropertiesEXT can{.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    TRY(check("vkGetMemoryHostPointerPropertiesEXT", [&] {
        return device.table().vkGetMemoryHostPointerPropertiesEXT(device.handle(), kind, pages.data(), &can);
    }));
    const VkMemoryRequirements needs = needs_of(device, *block);
    const auto type =
        choose_type(device.physical().memory, needs.memoryTypeBits & can.memoryTypeBits, imported_memory);
    if (!type || needs.size > pages.size()) return no_fitting_memory();
    const VkImportMemoryHostPointerInfoEXT import{
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = kind,
        .pHostPointer = pages.data()};
    TRY(allocate_and_bind(device, *block,
                          {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                           .pNext = &import,
                           .allocationSize = pages.size(),
                           .memoryTypeIndex = *type}));
    block->mapped = pages.data();
    return block;
}

}  // namespace muster::vulkan
