// grid.hpp - the size of a dispatch: in workgroups, or in invocations rounded up to whole
// workgroups; or a part of a grid.
//
//     session.dispatch(kernel, arguments, Invocations{width, height});
//     session.dispatch(kernel, arguments, PartOfGrid{{.origin = {8, 0, 0}, .extent = {8, 16, 1}}, {16, 16}});
//
// Axes are 64-bit so that a size that is too large is refused, not wrapped. An axis of zero is valid and runs
// nothing. After rounding up, more invocations run than were asked for: kernels compare their id
// with the size, as in WGSL.
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
/// The workgroups of a grid that have ids in [origin, origin + extent).
struct GridPart {
    Extent3 origin{0, 0, 0};
    Extent3 extent;
    bool operator==(const GridPart&) const = default;
};
class WordGuard;  // interpret.hpp

/// A dispatch of a part of a grid: ids and num_workgroups are those of the whole. A program with grid
/// barriers runs whole grids only.
struct PartOfGrid {
    GridPart part;
    Workgroups whole;
    /// If Session::dispatch validates, which words the part may access; else unused. Must outlive the call.
    WordGuard* guard = nullptr;
};
using Grid = std::variant<Workgroups, Invocations, PartOfGrid>;

/// The workgroups per axis of the whole grid. Errors: limit_exceeded, if an invocation's id would not fit 32
/// bits on an axis, or if there are 2^63 invocations or more in total.
Result<Extent3> workgroups(const Grid& grid, Extent3 workgroup_size);
/// The workgroups to run; all of them, unless the grid is a part. Precondition: `groups` are the whole
/// grid's. Errors: invalid_argument, if the part isn't within it.
Result<GridPart> part_to_run(const Grid& grid, Extent3 groups);

inline constexpr std::uint64_t max_grid_parts = 1 << 16;

/// A grid, or a part of one, cut along its axes into parts, nearly always one. Parts are computed on demand.
class FoldedGrid {
  public:
    FoldedGrid(GridPart all, Extent3 limit, Extent3 steps) : all_(all), limit_(limit), steps_(steps) {}
    std::uint32_t size() const { return steps_.x * steps_.y * steps_.z; }
    bool empty() const { return size() == 0; }
    GridPart operator[](std::uint32_t which) const;  // x fastest
    /// The grid that the parts make together.
    const GridPart& all() const { return all_; }

  private:
    GridPart all_;
    Extent3 limit_;
    Extent3 steps_;  // parts per axis, at most max_grid_parts in total
};

/// Cuts workgroups into parts of at most `limit`; none if there are none. Errors: limit_exceeded, over
/// max_grid_parts parts. Precondition: limit's axes are at least 1.
Result<FoldedGrid> fold_part(const GridPart& all, Extent3 limit);
/// Likewise, of a whole grid.
inline Result<FoldedGrid> fold_grid(Extent3 grid, Extent3 limit) {
    return fold_part({.extent = grid}, limit);
}

MUSTER_API_END
}  // namespace muster
