#include <array>
#include <cstring>

#include <muster/backend-vulkan/device/values.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::vulkan {
namespace {

MemoryRequest request_for(const VkPhysicalDeviceMemoryProperties& memory, bool staged) {
    if (staged) return upload_memory;
    if (has_memory(memory, shared_memory)) return shared_memory;
    return has_memory(memory, window_memory) ? window_memory : upload_memory;
}

}  // namespace

Values::Values(const LogicalDevice& device, Timeline& timeline, bool staged)
    : pool_(device, timeline, request_for(device.physical().memory, staged)) {}

Result<void> Values::place(std::span<const BoundMemory> bound, InlineVector<BoundMemory, 8>& placed,
                           ValueBuffers& buffers) {
    for (const BoundMemory& one : bound) {
        placed.push_back(one);
        if (!one.memory) TRY(place(one, placed.back(), buffers));
    }
    return {};
}

Result<void> Values::place(const BoundMemory& value, BoundMemory& placed, ValueBuffers& buffers) {
    buffers.push_back(
        TRY(values_.take(value.bytes, [&](std::uint64_t bytes) -> Result<std::unique_ptr<PooledMemory>> {
            return std::make_unique<PooledMemory>(pool_, TRY(pool_.take(bytes)), bytes);
        })));
    PooledMemory& memory = *buffers.back();
    std::memcpy(memory.mapped(), value.value, value.bytes);
    placed = {.memory = &memory, .bytes = value.bytes};
    return {};
}

Result<void> Values::place_report(InlineVector<BoundMemory, 8>& placed, ValueBuffers& buffers) {
    constexpr std::array<std::byte, 4> zero{};
    placed.push_back({});
    return place({.bytes = zero.size(), .value = zero.data()}, placed.back(), buffers);
}

}  // namespace muster::vulkan
