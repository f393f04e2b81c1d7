// grid.hpp - the size of a dispatch: in workgroups, or in invocations rounded up to whole workgroups.
//
//     session.dispatch(kernel, arguments, Invocations{width, height});
//
// Axes are 64-bit so that a size that is too large is refused, not wrapped. An axis of zero is valid and runs
// nothing. After rounding up, more invocations run than were asked for: kernels compare their id with the size, as
// in WGSL.
#pragma once

#include <cstdint>
#include <variant>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

struct Workgroups {
    std::uint64_t x = 1, y = 1, z = 1;
};
struct Invocations {
    std::uint64_t x = 1, y = 1, z = 1;
};
using Grid = std::variant<Workgroups, Invocations>;

/// The workgroups per axis. Errors: limit_exceeded, if an invocation's id would not fit 32 bits on an axis, or if
/// there are 2^63 invocations or more in total.
Result<Extent3> workgroups(const Grid& grid, Extent3 workgroup_size);

/// A part of a grid that a device takes in one submission.
struct GridPart {
    Extent3 origin{0, 0, 0};
    Extent3 extent;
};
inline constexpr std::uint64_t max_grid_parts = 1 << 16;

/// A grid cut along its axes into parts, nearly always one. Parts are computed on demand.
class FoldedGrid {
  public:
    FoldedGrid(Extent3 grid, Extent3 limit, Extent3 steps) : grid_(grid), limit_(limit), steps_(steps) {}
    std::uint32_t size() const { return steps_.x * steps_.y * steps_.z; }
    bool empty() const { return size() == 0; }
    GridPart operator[](std::uint32_t which) const;  // x fastest

  private:
    Extent3 grid_, limit_;
    Extent3 steps_;  // parts per axis, at most max_grid_parts in total
};

/// Cuts a grid into parts of at most `limit`; none for an empty grid. Errors: limit_exceeded, over max_grid_parts parts.
/// Precondition: limit's axes are at least 1.
Result<FoldedGrid> fold_grid(Extent3 grid, Extent3 limit);

MUSTER_API_END
}  // namespace muster
