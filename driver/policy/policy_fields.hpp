// policy_fields.hpp - the fields of a Policy with their names, for what concerns all of them.
//
//     for_each_field([&](std::string_view name, auto field) { merge(field(over), field(under)); });
//
// Every member is named here, so that adding one doesn't compile until it is listed, and then
// merged and shown, too. Pure.
#pragma once

#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include <muster/driver/policy/policy.hpp>

namespace muster::policy {

/// References to all fields, in Policy's order.
template <class AnyPolicy>
constexpr auto fields_of(AnyPolicy& policy) {
    auto& [choice, backends, exclude, exclude_tags, require_tags, allow_tags, kind, min_memory_bytes,
           require_features, subgroup_size, inexact_ok, allow_emission, compile_budget, on_failure, validate,
           check_devices, optimize, pack] = policy;
    return std::tie(choice, backends, exclude, exclude_tags, require_tags, allow_tags, kind, min_memory_bytes,
                    require_features, subgroup_size, inexact_ok, allow_emission, compile_budget, on_failure,
                    validate, check_devices, optimize, pack);
}
/// Their names, in the same order.
inline constexpr auto policy_field_names = std::to_array<std::string_view>(
    {"choice", "backends", "exclude", "exclude_tags", "require_tags", "allow_tags", "kind",
     "min_memory_bytes", "require_features", "subgroup_size", "inexact_ok", "allow_emission",
     "compile_budget", "on_failure", "validate", "check_devices", "optimize", "pack"});

/// Calls visit(name, field) for each field; field(policy) is a reference to that field of a policy.
template <class Visit>
void for_each_field(Visit&& visit) {
    constexpr std::size_t count = std::tuple_size_v<decltype(fields_of(std::declval<Policy&>()))>;
    static_assert(policy_field_names.size() == count);
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (visit(
             policy_field_names[i], [](auto& policy) -> auto& { return std::get<i>(fields_of(policy)); }),
         ...);
    }
    (std::make_index_sequence<count>());
}

}  // namespace muster::policy
