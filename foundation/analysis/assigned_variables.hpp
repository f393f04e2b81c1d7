// assigned_variables.hpp - lists the variables that each control statement may store to. Analyses that follow
// variables join these where control flow meets.
//
// Threads: pure. Cost: linear in the nodes plus the results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// By control node: the function variables (and private ones on request) that are declared outside the node
/// and stored to inside it, sorted. Nodes without such a variable have no entry.
using AssignedVariables = std::unordered_map<std::uint32_t, std::vector<VariableId>>;

/// Returns nothing if the result would exceed `budget` variables in all. Precondition: the
/// program's structure is valid.
std::optional<AssignedVariables> assigned_variables(const Program& program, bool also_private,
                                                    std::size_t budget);

MUSTER_API_END
}  // namespace muster
