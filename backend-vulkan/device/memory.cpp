#include <cstring>

#include <muster/backend-vulkan/device/memory.hpp>
#include <muster/backend-vulkan/native/check.hpp>
#include <muster/driver/contract/refusals.hpp>

namespace muster::vulkan {
namespace {

/// Largest buffer in the window: reading it uncached takes no longer than a copy's round trip.
constexpr std::uint64_t small_bytes = std::uint64_t{16} << 10;

}  // namespace

MemoryStore::MemoryStore(const LogicalDevice& device, Timeline& timeline, bool staged)
    : device_(device),
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
    const Pool::Part part = TRY(pool.take(bytes));
    auto memory = std::make_unique<PooledMemory>(pool, part, bytes);
    if (memory->mapped())
        std::memset(memory->mapped(), 0, bytes);
    else
        TRY(transfer_.zero(part.block->buffer.get(), part.offset, part.bytes));
    return memory;
}

Result<void> MemoryStore::write(const PooledMemory& memory, std::uint64_t offset,
                                std::span<const std::byte> from) {
    if (std::byte* const mapped = memory.mapped()) {
        std::memcpy(mapped + offset, from.data(), from.size());
        return {};
    }
    return transfer_.write(memory.block().buffer.get(), memory.offset() + offset, from);
}

Result<void> MemoryStore::read(const PooledMemory& memory, std::uint64_t offset, std::span<std::byte> to) {
    if (const std::byte* const mapped = memory.mapped()) {
        std::memcpy(to.data(), mapped + offset, to.size());
        return {};
    }
    return transfer_.read(memory.block().buffer.get(), memory.offset() + offset, to);
}

}  // namespace muster::vulkan
