// assigned_variables.hpp - which variables each control statement may store to: what analyses that follow
// variables join where ways meet.
//
// Threads: pure. Cost: nodes, plus what is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <muster/foundation/ir/program.hpp>

namespace muster {

/// For a control node: the function variables (and private ones where asked for) that are stored to inside it
/// and declared outside, sorted. Nodes that none is stored in have no entry.
using AssignedVariables = std::unordered_map<std::uint32_t, std::vector<VariableId>>;

/// Empty where more than `budget` would be found. Precondition: the program's structure is valid.
std::optional<AssignedVariables> assigned_variables(const Program& program, bool also_private,
                                                    std::size_t budget);

}  // namespace muster
