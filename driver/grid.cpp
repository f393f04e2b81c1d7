#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/grid.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

constexpr std::array axis_names{"x", "y", "z"};

/// Workgroups along one axis, of invocations or workgroups asked for.
Result<std::uint32_t> axis_workgroups(std::size_t axis, bool in_invocations, std::uint64_t asked,
                                      std::uint32_t size) {
    const std::uint64_t count = in_invocations ? asked / size + (asked % size != 0) : asked;
    const std::uint64_t limit = (std::uint64_t{1} << 32) / size;  // ids run from 0 to 2^32 - 1
    if (count > std::min<std::uint64_t>(limit, UINT32_MAX))
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("A grid of {} {} along {} has invocation ids that don't fit 32 bits.", asked,
                                in_invocations ? "invocations" : fmt::format("workgroups of {}", size),
                                axis_names[axis]),
                    fmt::format("ask for at most {} workgroups of {} along {}, or use more axes",
                                std::min<std::uint64_t>(limit, UINT32_MAX), size, axis_names[axis]));
    return static_cast<std::uint32_t>(count);
}

}  // namespace

Result<Extent3> workgroups(const Grid& grid, Extent3 workgroup_size) {
    const bool in_invocations = std::holds_alternative<Invocations>(grid);
    const auto asked = std::visit([](const auto& g) { return std::array{g.x, g.y, g.z}; }, grid);
    Extent3 result;
    result.x = TRY(axis_workgroups(0, in_invocations, asked[0], workgroup_size.x));
    result.y = TRY(axis_workgroups(1, in_invocations, asked[1], workgroup_size.y));
    result.z = TRY(axis_workgroups(2, in_invocations, asked[2], workgroup_size.z));
    if (result.x == 0 || result.y == 0 || result.z == 0) return result;
    constexpr std::uint64_t most = (std::uint64_t{1} << 63) - 1;
    std::uint64_t room = most;
    for (const std::uint64_t factor :
         {std::uint64_t{result.x} * workgroup_size.x, std::uint64_t{result.y} * workgroup_size.y,
          std::uint64_t{result.z} * workgroup_size.z})
        room /= factor;
    if (room == 0)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("A grid of {}x{}x{} workgroups has 2^63 invocations or more.", result.x,
                                result.y, result.z),
                    "dispatch less at once");
    return result;
}

Result<std::vector<GridPart>> fold_grid(Extent3 grid, Extent3 limit) {
    const auto steps = [](std::uint32_t count, std::uint32_t most) {
        return std::uint64_t{count} / most + (count % most != 0);
    };
    const std::uint64_t nx = steps(grid.x, limit.x), ny = steps(grid.y, limit.y), nz = steps(grid.z, limit.z);
    if (nx == 0 || ny == 0 || nz == 0) return std::vector<GridPart>{};
    if (nx > max_grid_parts || nx * ny > max_grid_parts || nx * ny * nz > max_grid_parts)
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("A grid of {}x{}x{} workgroups takes {}x{}x{} submissions on a device that takes "
                        "{}x{}x{} at once, more than {}.",
                        grid.x, grid.y, grid.z, nx, ny, nz, limit.x, limit.y, limit.z, max_grid_parts),
            "let one invocation do more, use another shape of grid, or dispatch less at once");
    std::vector<GridPart> parts;
    parts.reserve(nx * ny * nz);
    const auto part = [](std::uint64_t step, std::uint32_t most, std::uint32_t count) {
        const auto origin = static_cast<std::uint32_t>(step * most);
        return std::pair(origin, std::min(most, count - origin));
    };
    for (std::uint64_t z = 0; z < nz; ++z)
        for (std::uint64_t y = 0; y < ny; ++y)
            for (std::uint64_t x = 0; x < nx; ++x) {
                const auto [ox, ex] = part(x, limit.x, grid.x);
                const auto [oy, ey] = part(y, limit.y, grid.y);
                const auto [oz, ez] = part(z, limit.z, grid.z);
                parts.push_back({{ox, oy, oz}, {ex, ey, ez}});
            }
    return parts;
}

}  // namespace muster
