// memory.hpp - the device's memory: where buffers are allocated, and how bytes get there and back.
//
//   - If the device shares the host's memory (a processor, an integrated GPU), all of it is mapped: writing
//     and reading are plain copies.
//   - Otherwise small buffers are in the part of the device's memory that the host can access through a
//     window, if there is one. The host can't access any other buffer; the device copies it from and to
//     memory that the host can access (transfer.hpp).
//   - Memory of the caller's is imported and used in place (wrap()), by devices that share the host's memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <muster/backend-vulkan/device/pool.hpp>
#include <muster/backend-vulkan/device/transfer.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::vulkan {

/// All memory of this backend: a part of a block.
class DeviceMemory : public Memory {
  public:
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    std::uint64_t bytes() const override { return bytes_; }
    const Block& block() const { return block_; }
    std::uint64_t offset() const { return offset_; }  // into the block's buffer
    std::byte* mapped() const { return block_.mapped ? block_.mapped + offset_ : nullptr; }

  protected:
    DeviceMemory(const Block& block, std::uint64_t offset, std::uint64_t bytes)
        : block_(block), offset_(offset), bytes_(bytes) {}

  private:
    const Block& block_;
    std::uint64_t offset_;
    std::uint64_t bytes_;
};

class PooledMemory final : public DeviceMemory {
  public:
    PooledMemory(Pool& pool, const Pool::PoolPart& part, std::uint64_t bytes)
        : DeviceMemory(*part.block, part.offset, bytes), pool_(pool), part_(part) {}
    ~PooledMemory() override { pool_.give(part_); }

  private:
    Pool& pool_;
    Pool::PoolPart part_;
};

/// Precondition: `memory` belongs to this backend; the driver ensures that.
inline const DeviceMemory& of_device(const Memory& memory) {
    return static_cast<const DeviceMemory&>(memory);
}

class MemoryStore {
  public:
    /// staged: copies as if the device had its own memory, for tests.
    MemoryStore(const LogicalDevice& device, Timeline& timeline, bool staged);

    /// Zeroed. Errors: out_of_memory; limit_exceeded above the device's largest allocation.
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes);
    /// Memory of the host in place; null where it would be slower, or can't be imported. Errors: device_lost.
    Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host);
    /// Precondition of both: no work in flight uses the memory.
    Result<void> write(const DeviceMemory& memory, std::uint64_t offset, std::span<const std::byte> from);
    Result<void> read(const DeviceMemory& memory, std::uint64_t offset, std::span<std::byte> to);

  private:
    Pool& pool_for(std::uint64_t bytes);

    const LogicalDevice& device_;
    const bool wraps_;
    const bool shared_;
    const bool has_window_;
    Pool large_, small_;
    Transfer transfer_;
};

}  // namespace muster::vulkan
