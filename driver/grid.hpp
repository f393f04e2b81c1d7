// grid.hpp - how much of a kernel to run: in workgroups, or in invocations rounded up to whole workgroups.
//
//     session.dispatch(kernel, arguments, Invocations{width, height});
//
// Axes are 64-bit so that what is too large is refused, not wrapped. An axis of zero runs nothing, and is
// fine. Invocations rounded up run past the number asked for: kernels compare their id with the size, as in
// WGSL.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include <muster/foundation/program.hpp>
#include <muster/foundation/result.hpp>

namespace muster {

struct Workgroups {
    std::uint64_t x = 1, y = 1, z = 1;
};
struct Invocations {
    std::uint64_t x = 1, y = 1, z = 1;
};
using Grid = std::variant<Workgroups, Invocations>;

/// Workgroups per axis. Errors: limit_exceeded, where an invocation's id would not fit 32 bits on an axis, or
/// there are 2^63 invocations or more in all.
Result<Extent3> workgroups(const Grid& grid, Extent3 workgroup_size);

/// A part of a grid that a device takes in one submission.
struct GridPart {
    Extent3 origin{0, 0, 0};
    Extent3 extent;
};
inline constexpr std::uint64_t max_grid_parts = 1 << 16;

/// Cuts a grid along its axes into parts of at most `limit`, x fastest; none for an empty grid.
/// Errors: limit_exceeded, over max_grid_parts parts. Precondition: limit's axes are at least 1.
Result<std::vector<GridPart>> fold_grid(Extent3 grid, Extent3 limit);

}  // namespace muster
