// nan_constants.hpp - finds constants that make a model's outputs NaN. Internal to graph/.
#pragma once

#include <optional>
#include <string>

#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

/// One sentence on the constants of floats that have a NaN; nothing if there are none. Reads all of them.
std::optional<std::string> note_of_nans(const Graph& graph);

}  // namespace muster::graph
