// grid_barrier.hpp - the two operations behind `enable muster_grid_barrier;` (DESIGN section 5a, "Grid barrier").
//
//   muster.grid_barrier        {}: all invocations of the grid meet; what any of them has done before, in storage and in
//                              workgroup memory, comes before what any of them does after it. An invocation that has
//                              returned counts as arrived: the rest of the grid doesn't wait for it.
//   muster.grid_uniform_load   {place: i32, u32 or an atomic one in storage} -> i32 or u32: what the place holds when all
//                              have arrived at the barrier before it; what invocations write after that barrier doesn't
//                              change it. The place is the same for all; out of bounds, the value is zero.
//
// Both are placed extension nodes with an effect: they are never dropped or moved. Validation proves of a program:
//   - each grid barrier stands in control flow that is uniform over the grid for the invocations that haven't returned
//     (uniformity.hpp, Returned::arrived). So a loop around one may be left by them all by returning, at different turns:
//     once every invocation has returned the grid has ended, whatever the loop's condition says;
//   - a grid_uniform_load stands in the block of a grid barrier, behind it, with nothing but pure nodes and other
//     grid_uniform_loads in between (pure as info() says: loads are), and names a place that is uniform over the grid.
#pragma once

#include <string_view>

#include <muster/foundation/ir/program.hpp>

namespace muster {

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
/// Grid barriers or grid_uniform_loads; valid programs have none of these without those. Cheap.
inline bool has_grid_barriers(const Program& program) {
    for (const std::string& each : program.extensions())
        if (each == grid_barrier_id || each == grid_uniform_load_id) return true;
    return false;
}

}  // namespace muster
