// lane_offsets.hpp - how the lanes of a subgroup differ: interned constant vectors of offsets, and the
// offsets of local invocation ids.
//
// A value of i32 or u32 is often a scalar base plus a per-lane offset that is known when the kernel is
// compiled: local_invocation_id.x of 16 lanes in a row is base + {0, 1, 2, ...}. Offset vector 0 is all
// zeros: a uniform value. Offsets, like the values, wrap modulo 2^32. Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

class LaneOffsets {
  public:
    explicit LaneOffsets(std::uint32_t width);
    std::uint32_t width() const { return width_; }
    std::uint32_t intern(std::vector<std::uint32_t> offsets);
    std::span<const std::uint32_t> operator[](std::uint32_t id) const { return all_[id]; }
    /// The id of 0, 1, 2, ...
    std::uint32_t counting() const { return counting_; }

  private:
    std::uint32_t width_;
    std::vector<std::vector<std::uint32_t>> all_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> ids_;
    std::uint32_t counting_ = 0;
};

/// One component of an id, over all subgroups of a workgroup: lane 0's value plus offsets that are the same
/// in every subgroup, or `varies`.
struct LanePattern {
    bool varies = false;        // there are no such offsets
    std::uint32_t offsets = 0;  // id in LaneOffsets
    std::uint8_t aligned = 0;   // 2 to this power divides lane 0's value in every subgroup
};

/// The assignment of invocations to lanes: in the order of local_invocation_index, `width` per subgroup. If
/// several workgroups fit into one subgroup and their invocations share nothing, `packed_workgroups`
/// workgroups, consecutive in x, do.
struct LaneGeometry {
    LaneGeometry(Extent3 workgroup_size, std::uint32_t packed_workgroups, LaneOffsets& offsets);
    std::uint32_t subgroups = 1;
    std::uint32_t packed_workgroups = 1;
    bool ragged = false;  // the last subgroup has lanes without an invocation
    std::array<LanePattern, 3> local_id;
    LanePattern local_index;
    LanePattern workgroup_x, global_x;  // if several workgroups share a subgroup
    std::vector<std::uint32_t> workgroup_of_lane;
};

}  // namespace muster::cpu
