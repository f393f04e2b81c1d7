// block.hpp - one piece of memory as Vulkan allocates it, with a buffer over all of it; which kind of memory it is.
//
// Threads: values; what is in it is the users'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <muster/backend-vulkan/native/handle.hpp>

namespace muster::vulkan {

/// What memory must be, and what it had better be.
struct MemoryWish {
    VkMemoryPropertyFlags needed = 0, wanted = 0;
};
constexpr VkMemoryPropertyFlags host_seen =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
/// The device's own, not the host's where there is a choice.
constexpr MemoryWish device_memory{.wanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
/// That both have at hand: all memory of a processor, and of a GPU that shares the host's.
constexpr MemoryWish shared_memory{.needed = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                             VK_MEMORY_PROPERTY_HOST_CACHED_BIT | host_seen};
/// The device's, a window of which the host writes through.
constexpr MemoryWish window_memory{.needed = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | host_seen};
/// The host's: for what goes to the device, and for what comes back, which the host reads through its cache.
constexpr MemoryWish upload_memory{.needed = host_seen};
constexpr MemoryWish download_memory{.needed = host_seen, .wanted = VK_MEMORY_PROPERTY_HOST_CACHED_BIT};

/// Of the types in `allowed` (a bit each), one that has what is needed and most of what is wanted, and least besides.
/// None where none has what is needed.
std::optional<std::uint32_t> choose_type(const VkPhysicalDeviceMemoryProperties& memory,
                                         std::uint32_t allowed, const MemoryWish& wish);
/// Whether there is memory that fits the wish.
bool has_memory(const VkPhysicalDeviceMemoryProperties& memory, const MemoryWish& wish);

struct Block {
    VkDeviceSize bytes = 0;
    std::uint64_t serial = 0;  // of no other block in this process: handles are used again, these aren't
    UniqueMemory memory;
    UniqueBuffer buffer;
    std::byte* mapped = nullptr;  // where the host sees it

    /// Errors: out_of_memory; unsupported, where no memory fits the wish.
    static Result<std::unique_ptr<Block>> make(const LogicalDevice& device, VkDeviceSize bytes,
                                               const MemoryWish& wish);
};

}  // namespace muster::vulkan
