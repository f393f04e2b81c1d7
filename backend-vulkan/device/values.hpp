// values.hpp - values that dispatches give, in memory that the host writes and the device reads; and the word that a kernel
// whose loops are watched answers.
//
// A dispatch may bind the same uniform to a buffer or to a value, so that both are buffers to the kernel. A value's piece
// belongs to its launch, and serves another when that has ended: the last one first, so that the same launches come with
// the same pieces, descriptors and commands. Threads: one at a time; the queue (launch.hpp) sees to that.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <muster/backend-vulkan/device/memory.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/support/inline_vector.hpp>

namespace muster::vulkan {

class Values {
  public:
    /// staged: as if the device had memory of its own, whatever it has. For tests.
    Values(const LogicalDevice& device, Timeline& timeline, bool staged);

    /// Goes back where it came from when it is let go of.
    class Piece {
      public:
        Piece(Values& home, std::unique_ptr<PooledMemory> memory)
            : home_(&home), memory_(std::move(memory)) {}
        Piece(Piece&&) noexcept = default;
        ~Piece() {
            if (memory_) home_->give(std::move(memory_));
        }
        PooledMemory& memory() const { return *memory_; }

      private:
        Values* home_;
        std::unique_ptr<PooledMemory> memory_;
    };
    using Pieces = InlineVector<Piece, 2>;

    /// The bindings of a launch into `placed`, with memory in the place of each value; `pieces` has that memory.
    /// Errors: out_of_memory.
    Result<void> place(std::span<const BoundMemory> bound, InlineVector<BoundMemory, 8>& placed,
                       Pieces& pieces);
    /// One binding more: a u32 that is 0, for the kernel to write. It is the last of `pieces`.
    Result<void> place_report(InlineVector<BoundMemory, 8>& placed, Pieces& pieces);

  private:
    struct Unused {  // pieces of one size
        std::uint64_t bytes = 0, made = 0;
        std::vector<std::unique_ptr<PooledMemory>> pieces;
    };
    Unused& of_size(std::uint64_t bytes);
    Result<std::unique_ptr<PooledMemory>> take(std::uint64_t bytes);
    Result<void> place(const BoundMemory& value, BoundMemory& placed, Pieces& pieces);
    void give(std::unique_ptr<PooledMemory> piece) noexcept;

    Pool pool_;
    std::vector<Unused> unused_;  // by size: few
};

}  // namespace muster::vulkan
