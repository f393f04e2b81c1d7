#include <algorithm>
#include <array>
#include <cstring>

#include <muster/backend-vulkan/device/values.hpp>
#include <muster/foundation/base/round_up.hpp>
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

Values::Unused& Values::of_size(std::uint64_t bytes) {
    const auto found = std::ranges::find(unused_, bytes, &Unused::bytes);
    if (found != unused_.end()) return *found;
    return unused_.emplace_back(Unused{.bytes = bytes});
}

Result<std::unique_ptr<PooledMemory>> Values::take(std::uint64_t bytes) {
    Unused& unused = of_size(round_up(std::max<std::uint64_t>(bytes, 1), Pool::part_align));
    if (!unused.buffers.empty()) {
        auto buffer = std::move(unused.buffers.back());
        unused.buffers.pop_back();
        return buffer;
    }
    auto buffer = std::make_unique<PooledMemory>(pool_, TRY(pool_.take(unused.bytes)), unused.bytes);
    unused.buffers.reserve(++unused.made);  // so that give() never allocates
    return buffer;
}

void Values::give(std::unique_ptr<PooledMemory> buffer) noexcept {
    of_size(buffer->bytes()).buffers.push_back(std::move(buffer));
}

Result<void> Values::place(std::span<const BoundMemory> bound, InlineVector<BoundMemory, 8>& placed,
                           ValueBuffers& buffers) {
    for (const BoundMemory& one : bound) {
        placed.push_back(one);
        if (!one.memory) TRY(place(one, placed.back(), buffers));
    }
    return {};
}

Result<void> Values::place(const BoundMemory& value, BoundMemory& placed, ValueBuffers& buffers) {
    buffers.push_back(ValueBuffer(*this, TRY(take(value.bytes))));
    PooledMemory& memory = buffers.back().memory();
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
