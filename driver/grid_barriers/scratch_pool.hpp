// scratch_pool.hpp - reusable memory for the values that live across the grid barriers of split
// programs. Internal to driver/.
//
// A device runs its submissions in order, so memory that is given back once all parts of a dispatch are
// submitted can be taken by the next dispatch at once. A dispatch in flight owns a share of the memory that
// it uses. The pool keeps at most four blocks of 64 MiB in all, or one block of any size; a request that no
// kept block can serve frees them all. Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <muster/driver/contract/backend.hpp>

namespace muster::grid_barriers {

class ScratchPool {
  public:
    /// Returns memory of at least `bytes` bytes: zeroed if it is new; reused memory keeps its contents, so
    /// its first words are zero only if they were when it was given back. Errors: out_of_memory.
    Result<std::shared_ptr<Memory>> take(Device& device, std::uint64_t bytes);
    void give(std::shared_ptr<Memory> memory) noexcept;
    /// Frees all kept memory. Returns false if none was kept.
    bool clear();

  private:
    std::shared_ptr<Memory> take_kept(std::uint64_t bytes);
    bool keeps_too_much() const;

    static constexpr std::size_t most_kept = 4;
    static constexpr std::uint64_t most_bytes_kept = std::uint64_t{64} << 20;
    std::mutex mutex_;
    std::vector<std::shared_ptr<Memory>> free_;
};

}  // namespace muster::grid_barriers
