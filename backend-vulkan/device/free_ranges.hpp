// free_ranges.hpp - the free parts of a block: first fit, neighbours merged. Pure.
//
//     FreeRanges ranges(1 << 20);
//     std::optional<std::uint64_t> at = ranges.take(4096);   // none: no pool_block
//     ranges.give(*at, 4096);
//
// give() allocates nothing, so that a destructor may call it. Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::vulkan {

class FreeRanges {
  public:
    explicit FreeRanges(std::uint64_t bytes);
    /// Returns the offset of the range. May throw std::bad_alloc; then nothing is taken.
    std::optional<std::uint64_t> take(std::uint64_t bytes);
    /// Precondition: the range was taken, with the same number of bytes.
    void give(std::uint64_t begin, std::uint64_t bytes);
    bool all_free() const { return taken_ == 0; }

  private:
    struct FreeRange {
        std::uint64_t begin, end;
    };
    std::vector<FreeRange> free_;  // ordered by begin; none touches another
    std::uint64_t taken_ = 0;      // number of ranges taken
};

}  // namespace muster::vulkan
