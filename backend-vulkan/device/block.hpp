// block.hpp - one allocation of Vulkan memory, with a buffer over all of it, and the
// choice of its memory type.
//
// Threads: plain values; users synchronise access to the content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <muster/backend-vulkan/native/handle.hpp>

namespace muster::vulkan {

/// The properties that memory must have, and those that are preferred.
struct MemoryRequest {
    VkMemoryPropertyFlags needed = 0, wanted = 0;
};
constexpr VkMemoryPropertyFlags host_seen =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
/// The device's own memory, if there is a choice.
constexpr MemoryRequest device_memory{.wanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
/// Memory that is local to both: all of a processor's, and of a GPU's that shares the host's.
constexpr MemoryRequest shared_memory{.needed = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                                VK_MEMORY_PROPERTY_HOST_CACHED_BIT | host_seen};
/// The device's memory that the host writes directly, through a window.
constexpr MemoryRequest window_memory{.needed = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | host_seen};
/// The host's memory: for uploads, and for downloads, which the host reads through its cache.
constexpr MemoryRequest upload_memory{.needed = host_seen};
constexpr MemoryRequest download_memory{.needed = host_seen, .wanted = VK_MEMORY_PROPERTY_HOST_CACHED_BIT};
/// The caller's memory, which the host accesses through its cache, and not by way of Vulkan.
constexpr MemoryRequest imported_memory{.needed = host_seen | VK_MEMORY_PROPERTY_HOST_CACHED_BIT};

/// Among the types in `allowed` (a bit each), the one that has what is needed, most of what is wanted and
/// least besides. None if no type has what is needed.
std::optional<std::uint32_t> choose_type(const VkPhysicalDeviceMemoryProperties& memory,
                                         std::uint32_t allowed, const MemoryRequest& request);
/// True if the device has a memory type that fits the request.
bool has_memory(const VkPhysicalDeviceMemoryProperties& memory, const MemoryRequest& request);

struct Block {
    VkDeviceSize bytes = 0;
    std::uint64_t serial = 0;  // unique in this process, whereas handles are reused
    UniqueMemory memory;
    UniqueBuffer buffer;
    std::byte* mapped = nullptr;  // null if the host can't access it

    /// Errors: out_of_memory; unsupported if no memory type fits the request.
    static Result<std::unique_ptr<Block>> make(const LogicalDevice& device, VkDeviceSize bytes,
                                               const MemoryRequest& request);
    /// A block over memory of the host, which isn't copied, and outlives the block. Precondition: the device
    /// imports memory, and `pages` begin and end at multiples of its import_alignment. Errors: as for make();
    /// any that the driver has.
    static Result<std::unique_ptr<Block>> over(const LogicalDevice& device, std::span<std::byte> pages);
};

}  // namespace muster::vulkan
