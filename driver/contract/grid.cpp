#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include <muster/driver/contract/grid.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

constexpr std::array axis_names{"x", "y", "z"};

template <class Size>
std::array<std::uint64_t, 3> axes(const Size& size) {
    return {size.x, size.y, size.z};
}

std::array<std::uint64_t, 3> asked_axes(const Grid& grid) {
    if (const auto* const part = std::get_if<PartOfGrid>(&grid)) return axes(part->whole);
    if (const auto* const invocations = std::get_if<Invocations>(&grid)) return axes(*invocations);
    return axes(std::get<Workgroups>(grid));
}

constexpr std::uint64_t ids_per_axis = std::uint64_t{1} << 32;

std::unexpected<Error> too_long(std::size_t axis, bool in_invocations, std::uint64_t asked,
                                std::uint32_t size) {
    return fail(
        ErrorCode::limit_exceeded,
        fmt::format("A grid of {} {} along {} has invocation ids that don't fit 32 bits.", asked,
                    in_invocations ? "invocations" : fmt::format("workgroups of {}", size), axis_names[axis]),
        fmt::format("ask for at most {} workgroups of {} along {}, or use more axes",
                    std::min<std::uint64_t>(ids_per_axis / size, UINT32_MAX), size, axis_names[axis]));
}

}  // namespace

Result<Extent3> workgroups(const Grid& grid, Extent3 workgroup_size) {
    const bool in_invocations = std::holds_alternative<Invocations>(grid);
    const auto asked = asked_axes(grid);
    const std::array sizes{workgroup_size.x, workgroup_size.y, workgroup_size.z};
    std::array<std::uint32_t, 3> counts{};
    for (std::size_t axis = 0; axis < counts.size(); ++axis) {
        const std::uint32_t size = sizes[axis];
        const std::uint64_t count =
            in_invocations ? asked[axis] / size + (asked[axis] % size != 0) : asked[axis];
        if (count > UINT32_MAX || count * size > ids_per_axis)
            return too_long(axis, in_invocations, asked[axis], size);
        counts[axis] = static_cast<std::uint32_t>(count);
    }
    const Extent3 result{counts[0], counts[1], counts[2]};
    if (result.x == 0 || result.y == 0 || result.z == 0) return result;
    std::uint64_t in_plane = 0, in_all = 0;
    if (__builtin_mul_overflow(std::uint64_t{result.x} * workgroup_size.x,
                               std::uint64_t{result.y} * workgroup_size.y, &in_plane) ||
        __builtin_mul_overflow(in_plane, std::uint64_t{result.z} * workgroup_size.z, &in_all) ||
        in_all >> 63 != 0)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("A grid of {}x{}x{} workgroups has 2^63 invocations or more.", result.x,
                                result.y, result.z),
                    "dispatch less at once");
    return result;
}

Result<GridPart> part_to_run(const Grid& grid, Extent3 groups) {
    const auto* const asked = std::get_if<PartOfGrid>(&grid);
    if (!asked) return GridPart{.extent = groups};
    const auto& [origin, extent] = asked->part;
    const auto first = axes(origin), count = axes(extent), all = axes(groups);
    for (std::size_t axis = 0; axis < all.size(); ++axis)
        if (first[axis] + count[axis] > all[axis])
            return fail(ErrorCode::invalid_argument,
                        fmt::format("Workgroups {} to {} along {} aren't within a grid of {}.", first[axis],
                                    first[axis] + count[axis], axis_names[axis], all[axis]),
                        "let the part end where the grid ends");
    return asked->part;
}

Result<FoldedGrid> fold_part(const GridPart& all, Extent3 limit) {
    const Extent3& grid = all.extent;
    // The usual case, one part. Zero wraps around, and isn't below the limit.
    if (grid.x - 1 < limit.x && grid.y - 1 < limit.y && grid.z - 1 < limit.z)
        return FoldedGrid(all, limit, {1, 1, 1});
    const auto steps = [](std::uint32_t count, std::uint32_t most) {
        return count <= most ? std::uint32_t{count != 0} : count / most + (count % most != 0);
    };
    const Extent3 parts{steps(grid.x, limit.x), steps(grid.y, limit.y), steps(grid.z, limit.z)};
    if (parts.x == 0 || parts.y == 0 || parts.z == 0) return FoldedGrid(all, limit, {0, 0, 0});
    const std::uint64_t in_plane = std::uint64_t{parts.x} * parts.y;
    if (in_plane > max_grid_parts || in_plane * parts.z > max_grid_parts)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("A grid of {}x{}x{} workgroups takes {}x{}x{} submissions on a device that takes "
                        "{}x{}x{} at once, more than {}.",
                        grid.x, grid.y, grid.z, parts.x, parts.y, parts.z, limit.x, limit.y, limit.z,
                        max_grid_parts),
            "let one invocation do more, use another shape of grid, or dispatch less at once");
    return FoldedGrid(all, limit, parts);
}

GridPart FoldedGrid::operator[](std::uint32_t which) const {
    if (size() == 1) return all_;  // the usual case, without divisions
    const auto& [origin, extent] = all_;
    const Extent3 step{which % steps_.x, which / steps_.x % steps_.y, which / steps_.x / steps_.y};
    const Extent3 before{step.x * limit_.x, step.y * limit_.y, step.z * limit_.z};
    return {{origin.x + before.x, origin.y + before.y, origin.z + before.z},
            {std::min(limit_.x, extent.x - before.x), std::min(limit_.y, extent.y - before.y),
             std::min(limit_.z, extent.z - before.z)}};
}

}  // namespace muster
