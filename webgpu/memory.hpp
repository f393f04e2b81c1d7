// memory.hpp - counts the bytes of living buffers against the memory that holds them.
//
// Pages that are never written take no memory, so that each of many buffers succeeds that together exceed the
// machine's memory; the program would be killed once it wrote them. Their sum is therefore limited when
// buffers are made. Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <muster/webgpu/adapter.hpp>

namespace muster::webgpu {

/// True for devices whose memory is the host's.
bool shares_host_memory(const DeviceInfo& device);

/// The bytes of one buffer, counted until it ends.
class MemoryCharge {
  public:
    /// Counts bytes in the adapter's memory: the host's where they share it, for all such adapters
    /// together. Errors: out_of_memory.
    static Result<MemoryCharge> take(const Adapter& adapter, std::uint64_t bytes);
    MemoryCharge() = default;
    MemoryCharge(MemoryCharge&& other) noexcept
        : pool_(std::move(other.pool_)), bytes_(std::exchange(other.bytes_, 0)) {}
    MemoryCharge& operator=(MemoryCharge&& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~MemoryCharge();

  private:
    MemoryCharge(std::string pool, std::uint64_t bytes) : pool_(std::move(pool)), bytes_(bytes) {}

    std::string pool_;
    std::uint64_t bytes_ = 0;
};

}  // namespace muster::webgpu
