// subgroups.hpp - built-in values of subgroups, and functions of bools; those of
// numbers are in functions.hpp.
//
//     kernel("sums(a, out)", {64}, [](In<f32> a, Out<f32> out) {
//         auto i = local_invocation_index();
//         Value<f32> sum = subgroup_add(a[i]);
//         if_(subgroup_invocation_id() == 0u, [&] { out[subgroup_id()] = sum; });
//     });
//
// Control flow around an operation must be uniform over the subgroup: it may depend on subgroup_id(), but not
// on a value that differs between its invocations, unless let_subgroups_diverge() comes before. Then only
// those that get there take part.
#pragma once

#include <muster/foundation/lang/control.hpp>
#include <muster/foundation/lang/value.hpp>

namespace muster::lang {

inline Value<u32> subgroup_invocation_id() {
    return detail::builtin_value<u32>(Builtin::subgroup_invocation_id);
}
inline Value<u32> subgroup_size() { return detail::builtin_value<u32>(Builtin::subgroup_size); }
inline Value<u32> subgroup_id() { return detail::builtin_value<u32>(Builtin::subgroup_id); }
inline Value<u32> num_subgroups() { return detail::builtin_value<u32>(Builtin::num_subgroups); }

inline Value<vec4<u32>> subgroup_ballot(const detail::Operand<bool>& e) {
    return detail::built_in<vec4<u32>, Op::subgroup_ballot>(e);
}
inline Value<bool> subgroup_all(const detail::Operand<bool>& e) {
    return detail::built_in<bool, builtins::subgroup_all>(e);
}
inline Value<bool> subgroup_any(const detail::Operand<bool>& e) {
    return detail::built_in<bool, builtins::subgroup_any>(e);
}
/// True in the first active invocation.
inline Value<bool> subgroup_elect(detail::Location at = detail::Location::current()) {
    return Value<bool>(
        detail::record(at, {}, [](IrBuilder& ir, detail::Nodes) { return builtins::subgroup_elect(ir); }));
}

/// The kernel's operations of subgroups from here on may stand in divergent control flow, as with WGSL's
/// `diagnostic(off, subgroup_uniformity);`.
inline void let_subgroups_diverge(detail::Location at = detail::Location::current()) {
    detail::control(at, [](IrBuilder& ir) { ir.set_subgroup_flow(may_diverge); });
}

}  // namespace muster::lang
