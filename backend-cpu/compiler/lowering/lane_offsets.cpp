#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include <muster/backend-cpu/compiler/lowering/lane_offsets.hpp>

namespace muster::cpu {
namespace {

// The pattern of coordinate(local index). Lanes past the last invocation don't count.
template <class Coordinate>
LanePattern find_pattern(std::uint32_t invocations, LaneOffsets& table, Coordinate coordinate) {
    const std::uint32_t width = table.width();
    std::vector<std::uint32_t> offsets(width);
    for (std::uint32_t lane = 0; lane < width; ++lane) offsets[lane] = coordinate(lane) - coordinate(0);
    std::uint32_t bases = 0;
    for (std::uint32_t index = 0; index < invocations; ++index) {
        const std::uint32_t first = index / width * width;
        bases |= coordinate(first);
        if (coordinate(index) - coordinate(first) != offsets[index - first]) return {.varies = true};
    }
    const auto aligned = static_cast<std::uint8_t>(std::min(std::countr_zero(bases), 31));
    return {.offsets = table.intern(std::move(offsets)), .aligned = aligned};
}

}  // namespace

LaneOffsets::LaneOffsets(std::uint32_t width) : width_(width) {
    intern(std::vector<std::uint32_t>(width, 0));
    std::vector<std::uint32_t> counting(width);
    std::iota(counting.begin(), counting.end(), 0u);
    counting_ = intern(std::move(counting));
}

std::uint32_t LaneOffsets::intern(std::vector<std::uint32_t> offsets) {
    const auto [known, is_new] = ids_.try_emplace(offsets, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(std::move(offsets));
    return known->second;
}

LaneGeometry::LaneGeometry(Extent3 size, std::uint32_t packed, LaneOffsets& offsets)
    : packed_workgroups(packed) {
    const auto invocations = static_cast<std::uint32_t>(size.count()),
               lanes = invocations * packed_workgroups;
    subgroups = (lanes + offsets.width() - 1) / offsets.width();
    ragged = lanes % offsets.width() != 0;
    const auto x = [&](std::uint32_t i) { return i % invocations % size.x; };
    const auto group = [&](std::uint32_t i) { return i / invocations; };
    local_id[0] = find_pattern(lanes, offsets, x);
    local_id[1] =
        find_pattern(lanes, offsets, [&](std::uint32_t i) { return i % invocations / size.x % size.y; });
    local_id[2] =
        find_pattern(lanes, offsets, [&](std::uint32_t i) { return i % invocations / size.x / size.y; });
    local_index = find_pattern(lanes, offsets, [&](std::uint32_t i) { return i % invocations; });
    if (packed_workgroups == 1) return;
    workgroup_x = find_pattern(lanes, offsets, group);
    workgroup_x.aligned = 0;
    global_x = find_pattern(lanes, offsets, [&](std::uint32_t i) { return group(i) * size.x + x(i); });
    for (std::uint32_t lane = 0; lane < offsets.width(); ++lane) workgroup_of_lane.push_back(group(lane));
}

}  // namespace muster::cpu
