// scratch_pool.hpp - memory for what lives across the grid barriers of split programs, used again and again. Internal to
// driver/.
//
// A device runs what it is given in order: so memory that is given back once all parts of a dispatch are submitted may be
// taken by the next one at once. What a dispatch in flight uses, it holds itself. What is kept is at most 64 MiB, or one
// block, and nothing that was too small for who came last. Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <muster/driver/contract/backend.hpp>

namespace muster::split {

class ScratchPool {
  public:
    /// At least that many bytes; all zero in the first words, as far as they were when it was given back. Errors:
    /// out_of_memory.
    Result<std::shared_ptr<Memory>> take(Device& device, std::uint64_t bytes);
    void give(std::shared_ptr<Memory> memory) noexcept;
    /// Keeps nothing any longer. False: nothing was kept.
    bool clear();

  private:
    std::shared_ptr<Memory> take_kept(std::uint64_t bytes);
    bool keeps_too_much() const;

    static constexpr std::size_t most_kept = 4;
    static constexpr std::uint64_t most_bytes_kept = std::uint64_t{64} << 20;
    std::mutex mutex_;
    std::vector<std::shared_ptr<Memory>> free_;
};

}  // namespace muster::split
