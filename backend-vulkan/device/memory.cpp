#include <cstring>
#include <utility>

#include <muster/backend-vulkan/device/memory.hpp>
#include <muster/backend-vulkan/native/check.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::vulkan {
namespace {

/// Largest buffer in the window: reading it uncached takes no longer than a copy's round trip.
constexpr std::uint64_t small_bytes = std::uint64_t{16} << 10;

/// Smallest memory of the caller's that is imported: a smaller copy takes no longer, and Vulkan may allow few
/// allocations, 4,096 on many devices.
constexpr std::uint64_t least_wrapped_bytes = std::uint64_t{64} << 10;

class WrappedMemory final : public DeviceMemory {
  public:
    WrappedMemory(std::unique_ptr<Block> block, std::uint64_t offset, std::uint64_t bytes)
        : DeviceMemory(*block, offset, bytes), owned_(std::move(block)) {}

  private:
    std::unique_ptr<Block> owned_;
};

}  // namespace

MemoryStore::MemoryStore(const LogicalDevice& device, Timeline& timeline, bool staged)
    : device_(device),
      wraps_(!staged && device.physical().import_alignment != 0),
      shared_(!staged && has_memory(device.physical().memory, shared_memory)),
      has_window_(!staged && !shared_ && has_memory(device.physical().memory, window_memory)),
      large_(device, timeline, shared_ ? shared_memory : device_memory),
      small_(device, timeline, window_memory),
      transfer_(device, timeline) {}

Pool& MemoryStore::pool_for(std::uint64_t bytes) {
    return has_window_ && bytes <= small_bytes ? small_ : large_;
}

Result<std::unique_ptr<Memory>> MemoryStore::allocate(std::uint64_t bytes) {
    const std::uint64_t most = device_.physical().max_allocation_bytes;
    if (bytes > most) return too_large_buffer(device_.physical().properties.deviceName, bytes, most);
    Pool& pool = pool_for(bytes);
    const Pool::PoolPart part = TRY(pool.take(bytes));
    auto memory = std::make_unique<PooledMemory>(pool, part, bytes);
    if (memory->mapped())
        std::memset(memory->mapped(), 0, bytes);
    else
        TRY(transfer_.zero(part.block->buffer.get(), part.offset, part.bytes));
    return memory;
}

// The pages that the memory begins and ends in are imported as a whole, as Vulkan demands: the process has
// whole pages. No kernel reaches beyond its bindings, so the device leaves the rest of these pages alone.
Result<std::unique_ptr<Memory>> MemoryStore::wrap(std::span<std::byte> host) {
    const VkPhysicalDeviceLimits& limits = device_.limits();
    const std::uint64_t page = device_.physical().import_alignment;
    if (!wraps_ || host.size() < least_wrapped_bytes) return nullptr;
    const std::uint64_t before = reinterpret_cast<std::uintptr_t>(host.data()) % page;
    const std::uint64_t bytes = round_up(before + host.size(), page);
    const bool reaches_beyond_pages = page > platform::page_bytes() && bytes != host.size();
    if (reaches_beyond_pages || bytes > device_.physical().max_allocation_bytes ||
        before % limits.minStorageBufferOffsetAlignment != 0 ||
        before % limits.minUniformBufferOffsetAlignment != 0)
        return nullptr;
    auto block = Block::over(device_, {host.data() - before, bytes});
    if (block) return std::make_unique<WrappedMemory>(*std::move(block), before, host.size());
    if (block.error().code == ErrorCode::device_lost) return std::unexpected(std::move(block).error());
    return nullptr;  // Vulkan leaves it to the driver which memory can be imported
}

Result<void> MemoryStore::write(const DeviceMemory& memory, std::uint64_t offset,
                                std::span<const std::byte> from) {
    if (std::byte* const mapped = memory.mapped()) {
        std::memcpy(mapped + offset, from.data(), from.size());
        return {};
    }
    return transfer_.write(memory.block().buffer.get(), memory.offset() + offset, from);
}

Result<void> MemoryStore::read(const DeviceMemory& memory, std::uint64_t offset, std::span<std::byte> to) {
    if (const std::byte* const mapped = memory.mapped()) {
        std::memcpy(to.data(), mapped + offset, to.size());
        return {};
    }
    return transfer_.read(memory.block().buffer.get(), memory.offset() + offset, to);
}

}  // namespace muster::vulkan
