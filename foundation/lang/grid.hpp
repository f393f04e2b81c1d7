// grid.hpp - barriers for all invocations of the grid, as WGSL's `enable muster_grid_barrier;`
// (grid_barrier.hpp).
//
//     kernel("spread(wet, changed)", {64}, [](InOut<u32> wet, Storage<Atomic<u32>> changed) {
//         auto i = global_invocation_id().x();
//         loop_([&] {
//             ...                                                       // changed.add(1u) if something changes
//             grid_barrier();
//             if_(grid_uniform_load(changed) == 0u, [&] { break_(); });
//             ...
//         });
//     });
//
// Control flow around a grid_barrier may depend only on values that are uniform over the grid: constants,
// uniforms, read-only storage, num_workgroups and grid_uniform_load. An invocation that has
// returned counts as arrived.
#pragma once

#include <muster/foundation/lang/control.hpp>
#include <muster/foundation/lang/object.hpp>

namespace muster::lang {
namespace detail {

template <class T>
concept WordType = std::same_as<T, i32> || std::same_as<T, u32>;

template <class T>
Value<T> grid_uniform_load(Child place, Location at) {
    return Value<T>(
        known(effect(at, {place}, [](IrBuilder& ir, Nodes n) { return ir.grid_uniform_load(n[0]); })));
}

}  // namespace detail

/// Every invocation waits here for all others of the grid that haven't returned, and then sees what they
/// wrote to storage and, in its workgroup, to workgroup memory.
inline void grid_barrier(detail::Location at = detail::Location::current()) {
    detail::control(at, [](IrBuilder& ir) { ir.grid_barrier(); });
}

/// The value of a word of storage when all invocations have arrived at the directly preceding grid_barrier();
/// the same for all, whatever is written next. Only loads, arithmetic and other grid_uniform_loads may be in
/// between.
template <detail::WordType T>
Value<T> grid_uniform_load(Place<T>&& word, detail::Location at = detail::Location::current()) {
    return detail::grid_uniform_load<T>(detail::Placed::child(word), at);
}
template <detail::WordType T>
Value<T> grid_uniform_load(const detail::Object<T>& word, detail::Location at = detail::Location::current()) {
    return detail::grid_uniform_load<T>(detail::spot_of(word, at).child, at);
}
template <class T>
Value<T> grid_uniform_load(const detail::Object<Atomic<T>>& word,
                           detail::Location at = detail::Location::current()) {
    return detail::grid_uniform_load<T>(detail::spot_of(word, at).child, at);
}

}  // namespace muster::lang
