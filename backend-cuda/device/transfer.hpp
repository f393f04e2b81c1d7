// transfer.hpp - copies between the host and the device, beside what the device runs.
//
// They have a stream of their own: nothing that is in flight uses the memory that is copied, so they wait for no kernel.
// Launches wait for them, by order_before(). What is pinned (cuMemHostAlloc, cuMemHostRegister) is copied from where it is;
// all else through pinned pieces, two each way, so that the host fills or empties one while the device copies the other.
// They are made at the first copy. A write returns when the last piece is on its way. Threads: any; one copy at a time.
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
    /// Waits for its copies.
    ~Transfer() { synchronize(); }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    // Errors of all: out_of_memory, device_lost.

    /// Of the context's pool, or where there is none of the device. Not zeroed: after zero(), or before writes of all of it.
    Result<CUdeviceptr> allocate(std::size_t bytes);
    /// Nothing in flight uses it.
    void free(CUdeviceptr address);
    Result<void> zero(CUdeviceptr address, std::size_t bytes);
    Result<void> write(CUdeviceptr address, std::span<const std::byte> from);
    Result<void> read(CUdeviceptr address, std::span<std::byte> to);
    /// What `stream` is given from now on comes after all that was begun here. Precondition: the context is entered.
    Result<void> order_before(CUstream stream);

  private:
    Transfer(const Context& context, UniqueStream stream, UniqueEvent order)
        : context_(context), stream_(std::move(stream)), order_(std::move(order)) {}

    struct Piece {
        UniqueHostMemory host;
        UniqueEvent copied;  // recorded behind the last copy
        std::byte* bytes() const { return static_cast<std::byte*>(host.get()); }
    };
    using Pieces = std::array<Piece, 2>;

    // Precondition of those that copy: copy_mutex_ is held, the context entered.
    Result<void> prepare(Pieces& pieces);
    Result<void> up(CUdeviceptr address, const void* from, std::size_t bytes, const Piece& mark);
    Result<void> down(void* to, CUdeviceptr address, std::size_t bytes, const Piece& mark);
    Result<void> mark(const Piece& piece);
    Result<void> wait_for(const Piece& piece);
    Result<void> write_piecewise(CUdeviceptr address, std::span<const std::byte> from);
    Result<void> read_piecewise(CUdeviceptr address, std::span<std::byte> to);

    bool is_pinned(std::span<const std::byte> bytes) const;
    void synchronize() const;

    const Context& context_;
    UniqueStream stream_;
    std::mutex order_mutex_;
    UniqueEvent order_;
    std::atomic<bool> begun_{false};  // something is in the stream since the last order_before()
    std::mutex copy_mutex_;
    Pieces up_, down_;
};

}  // namespace muster::cuda
