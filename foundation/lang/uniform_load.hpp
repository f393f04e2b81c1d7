// uniform_load.hpp - WGSL's workgroupUniformLoad.
//
//     Workgroup<u32> rounds;
//     if_(workgroup_uniform_load(rounds) > 3u, [&] { workgroup_barrier(); });
#pragma once

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/lang/object.hpp>

namespace muster::lang {
namespace detail {

template <class T>
Value<T> workgroup_uniform_load(Child place, Location at) {
    return Value<T>(known(effect(
        at, {place}, [](IrBuilder& ir, Nodes n) { return builtins::workgroup_uniform_load(ir, n[0]); })));
}

}  // namespace detail

/// The value of an object in workgroup memory, the same for all invocations of the workgroup, which wait here
/// before and after it is read. Only in uniform control flow; the object must be the same for all.
template <ValueType T>
Value<T> workgroup_uniform_load(Place<T>&& place, detail::Location at = detail::Location::current()) {
    return detail::workgroup_uniform_load<T>(detail::Placed::child(place), at);
}
template <class T>
Value<T> workgroup_uniform_load(const detail::Object<T>& object,
                                detail::Location at = detail::Location::current()) {
    return detail::workgroup_uniform_load<T>(detail::spot_of(object, at).child, at);
}
template <class T>
Value<T> workgroup_uniform_load(const detail::Object<Atomic<T>>& object,
                                detail::Location at = detail::Location::current()) {
    return detail::workgroup_uniform_load<T>(detail::spot_of(object, at).child, at);
}

}  // namespace muster::lang
