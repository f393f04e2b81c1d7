// memory.hpp - the device's memory: where buffers are allocated, and how bytes get there and back.
//
//   - If the device shares the host's memory (a processor, an integrated GPU), all of it is mapped: writing and
//     reading are plain copies.
//   - Otherwise small buffers are in the part of the device's memory that the host can access through a window, if
//     there is one. The host can't access any other buffer; the device copies it from and to memory that the host can
//     access (transfer.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <muster/backend-vulkan/device/pool.hpp>
#include <muster/backend-vulkan/device/transfer.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::vulkan {

class PooledMemory final : public Memory {
  public:
    PooledMemory(Pool& pool, const Pool::Part& part, std::uint64_t bytes)
        : pool_(pool), part_(part), bytes_(bytes) {}
    ~PooledMemory() override { pool_.give(part_); }
    PooledMemory(const PooledMemory&) = delete;
    PooledMemory& operator=(const PooledMemory&) = delete;

    std::uint64_t bytes() const override { return bytes_; }
    const Block& block() const { return *part_.block; }
    std::uint64_t offset() const { return part_.offset; }  // into the block's buffer
    std::byte* mapped() const { return part_.block->mapped ? part_.block->mapped + part_.offset : nullptr; }

  private:
    Pool& pool_;
    Pool::Part part_;
    std::uint64_t bytes_;
};

/// Precondition: `memory` belongs to this backend; the driver ensures that.
inline const PooledMemory& pooled(const Memory& memory) { return static_cast<const PooledMemory&>(memory); }

class MemoryStore {
  public:
    /// staged: copies as if the device had its own memory, for tests.
    MemoryStore(const LogicalDevice& device, Timeline& timeline, bool staged);

    /// Zeroed. Errors: out_of_memory; limit_exceeded above the device's largest allocation.
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes);
    /// Precondition of both: no work in flight uses the memory.
    Result<void> write(const PooledMemory& memory, std::uint64_t offset, std::span<const std::byte> from);
    Result<void> read(const PooledMemory& memory, std::uint64_t offset, std::span<std::byte> to);

  private:
    Pool& pool_for(std::uint64_t bytes);

    const LogicalDevice& device_;
    const bool shared_;
    const bool has_window_;
    Pool large_, small_;
    Transfer transfer_;
};

}  // namespace muster::vulkan
