// transfer.hpp - copies between the host and the device, concurrent with kernels.
//
// Copies have a stream of their own. They wait for no kernel, since no launch in flight uses the memory being
// copied. Launches wait for copies, by order_before(). Pinned host memory (cuMemHostAlloc, cuMemHostRegister)
// is copied directly; other memory goes through pinned staging buffers, two for each direction, so
// that the host fills or empties one while the device copies the other. They are made at the first copy. A
// write may return before its last part has reached the device. Threads: any; one copy runs at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include <muster/backend-cuda/native/handle.hpp>

namespace muster::cuda {

class Transfer {
  public:
    static Result<std::unique_ptr<Transfer>> create(const Context& context);
    /// Waits for its copies to end.
    ~Transfer() { synchronize(); }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    // Errors of all functions: out_of_memory, device_lost.

    /// Allocates from the context's pool, or with cuMemAlloc if it has none. Not zeroed: the caller calls
    /// zero() or writes all of it.
    Result<CUdeviceptr> allocate(std::size_t bytes);
    /// Precondition: no launch in flight uses it.
    void free(CUdeviceptr address);
    Result<void> zero(CUdeviceptr address, std::size_t bytes);
    Result<void> write(CUdeviceptr address, std::span<const std::byte> from);
    Result<void> read(CUdeviceptr address, std::span<std::byte> to);
    /// Makes later work in `stream` wait for all copies begun so far. Precondition: the context is entered.
    Result<void> order_before(CUstream stream);

  private:
    Transfer(const Context& context, UniqueStream stream, UniqueEvent order)
        : context_(context), stream_(std::move(stream)), order_(std::move(order)) {}

    struct StagingBuffer {
        UniqueHostMemory host;
        UniqueEvent copied;  // recorded after the buffer's last copy
        std::byte* bytes() const { return static_cast<std::byte*>(host.get()); }
    };
    using StagingBuffers = std::array<StagingBuffer, 2>;

    // Precondition of those that copy: copy_mutex_ is locked and the context entered.
    Result<void> prepare(StagingBuffers& buffers);
    Result<void> up(CUdeviceptr address, const void* from, std::size_t bytes, const StagingBuffer& mark);
    Result<void> down(void* to, CUdeviceptr address, std::size_t bytes, const StagingBuffer& mark);
    Result<void> mark(const StagingBuffer& staging);
    Result<void> wait_for(const StagingBuffer& staging);

    bool is_pinned(std::span<const std::byte> bytes) const;
    void synchronize() const;

    const Context& context_;
    UniqueStream stream_;
    std::mutex order_mutex_;
    UniqueEvent order_;
    std::atomic<bool> begun_{false};  // the stream has work that no order_before() has covered yet
    std::mutex copy_mutex_;
    StagingBuffers up_, down_;
};

}  // namespace muster::cuda
