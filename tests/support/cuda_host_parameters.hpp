// cuda_host_parameters.hpp - what a kernel of the CUDA backend is given on the host: memory that ends where it may no longer be
// touched, and the block of parameters that leads to it. Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <support/guarded_memory.hpp>

#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/driver/contract/backend.hpp>

namespace muster::test {

/// Zeroed. A kernel that leaves it at its end faults at once, or is found out by is_intact().
class HostMemory final : public Memory {
  public:
    static constexpr std::uint64_t align = 16;  // of what the text loads at most
    explicit HostMemory(std::uint64_t bytes);
    std::uint64_t bytes() const override { return bytes_; }
    std::byte* data() const { return guarded_.data(); }
    bool is_intact() const;

  private:
    std::uint64_t bytes_;
    GuardedMemory guarded_;
};

/// Of a kernel's barrier_state, behind a launch: that nobody has arrived or left.
bool is_ready_for_next(const HostMemory& barrier_state);

/// The block that a launch passes, as backend-cuda/lowering/lower.hpp lays it out. Memory that is bound is HostMemory; values that go by
/// memory are copied. Holds what it leads to.
class HostParameters {
  public:
    /// barrier_state: barrier_state_bytes, of a kernel that has grid barriers.
    HostParameters(const cuda::CudaSource& source, const Launch& launch, const HostMemory& barrier_state);
    std::span<const std::byte> bytes() const { return bytes_; }

  private:
    void bind(const cuda::Parameter& parameter, const BoundMemory& bound);
    const std::byte* address(const BoundMemory& bound);
    template <class T>
    void put(std::uint32_t offset, const T& value);

    std::vector<std::byte> bytes_;
    std::vector<std::unique_ptr<HostMemory>> values_;
};

}  // namespace muster::test
