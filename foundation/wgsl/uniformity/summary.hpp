// summary.hpp - what callers of a function need to know of its uniformity: WGSL's
// tags. Internal to this room.
//
// Source: WGSL section "Analyzing the Uniformity Requirements of a Function".
#pragma once

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include <muster/foundation/wgsl/resolve/typed.hpp>
#include <muster/foundation/wgsl/uniformity/graph.hpp>

namespace muster::wgsl::uniformity {

/// One thing for each scope.
template <class Thing>
struct ByScope {
    Thing of_workgroup{}, of_subgroup{};
    Thing& operator[](Scope scope) { return scope == Scope::workgroup ? of_workgroup : of_subgroup; }
    const Thing& operator[](Scope scope) const {
        return scope == Scope::workgroup ? of_workgroup : of_subgroup;
    }
};
inline constexpr std::array scopes{Scope::workgroup, Scope::subgroup};

/// Parameters that something depends on: on their values, or on what they point to.
struct Dependence {
    std::vector<std::uint32_t> values, contents;
};

struct ParameterSummary {
    ByScope<std::optional<Requirement>> value, contents;  // what needs them to be uniform
    // If it points to a function's variable: what that depends on after the call.
    ByScope<std::optional<Source>> written;
    Dependence written_from;
};

struct FunctionSummary {
    ByScope<std::optional<Requirement>> call;  // what needs uniform control flow at a call
    ByScope<std::optional<Source>> result;     // why the result isn't uniform
    Dependence result_from;
    std::vector<ParameterSummary> parameters;
};

/// Summaries of the functions that have been analysed. A function that isn't here can't run: it needs
/// what muster doesn't support.
using Summaries = std::unordered_map<const TypedFunction*, FunctionSummary>;

}  // namespace muster::wgsl::uniformity
