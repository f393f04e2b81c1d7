#include <algorithm>

#include <muster/backend-vulkan/device/free_ranges.hpp>

namespace muster::vulkan {

FreeRanges::FreeRanges(std::uint64_t bytes) { free_.push_back({0, bytes}); }

std::optional<std::uint64_t> FreeRanges::take(std::uint64_t bytes) {
    // The most that there can be after one more is taken: a range between each two.
    free_.reserve(taken_ + 2);
    const auto found =
        std::ranges::find_if(free_, [&](const FreeRange& range) { return range.end - range.begin >= bytes; });
    if (found == free_.end()) return std::nullopt;
    const std::uint64_t begin = found->begin;
    found->begin += bytes;
    if (found->begin == found->end) free_.erase(found);
    ++taken_;
    return begin;
}

void FreeRanges::give(std::uint64_t begin, std::uint64_t bytes) {
    const std::uint64_t end = begin + bytes;
    const auto after = std::ranges::lower_bound(free_, begin, {}, &FreeRange::begin);
    const bool joins_after = after != free_.end() && after->begin == end;
    const bool joins_before = after != free_.begin() && std::prev(after)->end == begin;
    --taken_;
    if (joins_before && joins_after) {
        std::prev(after)->end = after->end;
        free_.erase(after);
    } else if (joins_before) {
        std::prev(after)->end = end;
    } else if (joins_after) {
        after->begin = begin;
    } else {
        free_.insert(after, {begin, end});
    }
}

}  // namespace muster::vulkan
