// grid.hpp - where all invocations of the grid meet: `enable muster_grid_barrier;` of the text (grid_barrier.hpp).
//
//     kernel("spread(wet, changed)", {64}, [](InOut<u32> wet, Storage<Atomic<u32>> changed) {
//         auto i = global_invocation_id().x();
//         loop_([&] {
//             ...                                                       // changed.add(1u) where something changes
//             grid_barrier();
//             if_(grid_uniform_load(changed) == 0u, [&] { break_(); });
//             ...
//         });
//     });
//
// Control flow around a grid_barrier depends only on what is uniform over the grid: constants, uniforms, read-only
// storage, num_workgroups and grid_uniform_load. An invocation that has returned counts as arrived.
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

/// Every invocation of the grid that hasn't returned gets here before any goes on, and sees what the others wrote to
/// storage and, in its workgroup, to workgroup memory.
inline void grid_barrier(detail::Location at = detail::Location::current()) {
    detail::control(at, [](IrBuilder& ir) { ir.grid_barrier(); });
}

/// What a word of storage holds when all have arrived at the grid_barrier() right before it; the same for all, whatever
/// is written next. In between, loads, arithmetic and others of these are all that may stand.
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
