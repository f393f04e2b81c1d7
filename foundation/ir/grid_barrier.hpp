// grid_barrier.hpp - the two operations behind `enable muster_grid_barrier;` (docs/grid-barriers.md).
//
//   muster.grid_barrier        {}: all invocations of the grid meet. Everything that any of them did before it, in
//                              storage and in workgroup memory, happens before everything that any of them does
//                              after it. An invocation that has returned counts as arrived: the others don't wait
//                              for it.
//   muster.grid_uniform_load   {place: i32, u32 or an atomic one in storage} -> i32 or u32: the value of the place
//                              when all invocations have arrived at the preceding barrier; writes after that
//                              barrier don't change it. The place is the same for all invocations; out of bounds,
//                              the value is zero.
//
// Both are placed extension nodes with an effect: they are never dropped or moved. Validation proves that:
//   - each grid barrier is in control flow that is uniform over the grid among the invocations that
//     haven't returned (uniformity.hpp, Returned::arrived). Hence invocations may return from a loop
//     around a barrier, in different iterations: once all have returned the grid has ended, whatever
//     the loop's condition is;
//   - a grid_uniform_load follows a grid barrier in the same block, with only pure nodes and other
//     grid_uniform_loads in between (pure as info() defines it: loads are), and names a place that
//     is uniform over the grid.
#pragma once

#include <string_view>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

inline constexpr std::string_view grid_barrier_id = "muster.grid_barrier";
inline constexpr std::string_view grid_uniform_load_id = "muster.grid_uniform_load";

inline bool is_extension(const Program& program, NodeId id, std::string_view extension) {
    const Node& node = program.node(id);
    return node.op == Op::extension && program.extensions()[node.payload] == extension;
}
inline bool is_grid_barrier(const Program& program, NodeId id) {
    return is_extension(program, id, grid_barrier_id);
}
inline bool is_grid_uniform_load(const Program& program, NodeId id) {
    return is_extension(program, id, grid_uniform_load_id);
}
/// True if the program uses a grid barrier or a grid_uniform_load. Reads only the list of extensions.
inline bool has_grid_barriers(const Program& program) {
    for (const std::string& each : program.extensions())
        if (each == grid_barrier_id || each == grid_uniform_load_id) return true;
    return false;
}

MUSTER_API_END
}  // namespace muster
