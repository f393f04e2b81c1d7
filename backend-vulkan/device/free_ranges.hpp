// free_ranges.hpp - which parts of a block are free: first fit, neighbours joined. Pure.
//
//     FreeRanges ranges(1 << 20);
//     std::optional<std::uint64_t> at = ranges.take(4096);   // none: no room
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
    /// Where they begin. May throw std::bad_alloc; nothing is taken then.
    std::optional<std::uint64_t> take(std::uint64_t bytes);
    /// Precondition: taken before, and of as many bytes.
    void give(std::uint64_t begin, std::uint64_t bytes);
    bool all_free() const { return taken_ == 0; }

  private:
    struct Range {
        std::uint64_t begin, end;
    };
    std::vector<Range> free_;  // in order, none touching another
    std::uint64_t taken_ = 0;  // ranges
};

}  // namespace muster::vulkan
