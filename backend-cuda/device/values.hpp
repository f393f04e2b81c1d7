// values.hpp - values that dispatches give and that are too large to be among a launch's parameters.
//
// Each is copied, in the order of the launches, from a pinned piece that the host has filled to one on the device. A piece
// belongs to its launch, and serves another when that has ended. Threads: one at a time; the queue (launch.hpp) sees to that.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <muster/backend-cuda/device/memory.hpp>

namespace muster::cuda {

class Values {
  public:
    Values(const Context& context, Transfer& transfer) : context_(context), transfer_(transfer) {}

    struct Memory {
        UniqueHostMemory host;
        std::unique_ptr<DeviceMemory> device;
    };
    /// Goes back where it came from when it is let go of.
    class Piece {
      public:
        Piece(Values& home, std::unique_ptr<Memory> memory) : home_(&home), memory_(std::move(memory)) {}
        Piece(Piece&&) noexcept = default;
        ~Piece() {
            if (memory_) home_->give(std::move(memory_));
        }
        const Memory& memory() const { return *memory_; }

      private:
        Values* home_;
        std::unique_ptr<Memory> memory_;
    };

    /// A piece with the value in its host's half. Precondition: the context is entered. Errors: out_of_memory, device_lost.
    Result<Piece> place(std::span<const std::byte> value);
    /// Begins to copy it to its device's half. Precondition: as before.
    Result<void> copy(const Piece& piece, std::size_t bytes, CUstream stream);

  private:
    struct Unused {  // pieces of one size
        std::uint64_t bytes = 0, made = 0;
        std::vector<std::unique_ptr<Memory>> pieces;
    };
    Unused& of_size(std::uint64_t bytes);
    void give(std::unique_ptr<Memory> piece) noexcept;

    const Context& context_;
    Transfer& transfer_;
    std::vector<Unused> unused_;  // by size: few
};

}  // namespace muster::cuda
