// pool.hpp - parts of blocks: one allocation of Vulkan's serves many buffers. Devices allow few of them, and each is slow.
//
// Blocks double in size from 1 MiB to 64 MiB; what doesn't fit into half a block gets one of its own. An empty block is
// freed when another is empty already, and as soon as the device has copied what it was told to copy there. Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <muster/backend-vulkan/device/block.hpp>
#include <muster/backend-vulkan/device/free_ranges.hpp>
#include <muster/backend-vulkan/native/timeline.hpp>

namespace muster::vulkan {

class Pool {
  public:
    struct Room;
    /// A part of a block. Whoever has it gives it back.
    struct Part {
        Room* room = nullptr;
        const Block* block = nullptr;
        std::uint64_t offset = 0, bytes = 0;  // multiples of part_align
    };
    static constexpr std::uint64_t part_align = 256;  // no device asks for more

    Pool(const LogicalDevice& device, Timeline& timeline, const MemoryWish& wish);
    ~Pool();

    /// Waits, where there is no other memory, for what is freed soon. Errors: out_of_memory, device_lost.
    Result<Part> take(std::uint64_t bytes);
    /// No launch in flight uses the part; copies may.
    void give(const Part& part);

  private:
    // Precondition of all: mutex_ is held.
    Result<Room*> more(std::uint64_t bytes);
    void free_leaving();
    std::uint64_t last_use_of_leaving() const;

    const LogicalDevice& device_;
    Timeline& timeline_;
    const MemoryWish wish_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Room>> rooms_;
    std::uint64_t next_block_bytes_;
};

}  // namespace muster::vulkan
