// cuda_host_parameters.hpp - the arguments of a kernel of the CUDA backend on the host: memory with guard pages
// behind it, and the block of parameters that points to it. Threads: values.
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

/// Zeroed memory. A kernel that accesses memory past its end faults at once; is_intact() detects writes before
/// it.
class HostMemory final : public Memory {
  public:
    static constexpr std::uint64_t align = 16;  // the largest alignment of the text's loads
    explicit HostMemory(std::uint64_t bytes);
    std::uint64_t bytes() const override { return bytes_; }
    std::byte* data() const { return guarded_.data(); }
    bool is_intact() const;

  private:
    std::uint64_t bytes_;
    GuardedMemory guarded_;
};

/// True if a kernel's barrier_state after a launch shows no arrivals and no departures.
bool is_ready_for_next(const HostMemory& barrier_state);

/// A launch's block of parameters, laid out as backend-cuda/lowering/lower.hpp describes. Bound memory is
/// HostMemory; values that are passed in memory are copied. Owns the memory that it points to.
class HostParameters {
  public:
    /// barrier_state: barrier_state_bytes of memory, for a kernel that has grid barriers.
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
