// pool.hpp - parts of blocks: one Vulkan allocation serves many buffers, since allocations are few and slow.
//
// Blocks double in size from 1 MiB to 64 MiB; an allocation larger than half a block gets a block of its own.
// An empty block is freed if it is larger than 64 MiB or if another one is empty, once pending copies to it
// have ended. Threads: any.
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
    struct PoolBlock;
    /// A part of a block. Its owner returns it with give().
    struct PoolPart {
        PoolBlock* pool_block = nullptr;
        const Block* block = nullptr;
        std::uint64_t offset = 0, bytes = 0;  // multiples of part_align
    };
    static constexpr std::uint64_t part_align = 256;  // the largest alignment that a device asks for

    Pool(const LogicalDevice& device, Timeline& timeline, const MemoryRequest& request);
    ~Pool();

    /// If memory is short, waits for blocks that are about to be freed. Errors: out_of_memory, device_lost.
    Result<PoolPart> take(std::uint64_t bytes);
    /// Precondition: no launch in flight uses the part; copies may.
    void give(const PoolPart& part);

  private:
    // Precondition of each function: mutex_ is locked.
    Result<PoolBlock*> more(std::uint64_t bytes);
    void free_leaving();
    std::uint64_t last_use_of_leaving() const;

    const LogicalDevice& device_;
    Timeline& timeline_;
    const MemoryRequest request_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<PoolBlock>> pool_blocks_;
    std::uint64_t next_block_bytes_;
};

}  // namespace muster::vulkan
