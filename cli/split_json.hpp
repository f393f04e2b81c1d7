// split_json.hpp - when a host runs which part of a program that is split at its grid barriers, as JSON. docs/grid-barriers.md
// is its manual.
#pragma once

#include <muster/cli/json.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster::cli {

/// {"scratch", "variables", "values", "steps"}; parts are named by their number.
Json split_json(const SplitProgram& split);

/// Where the bindings of a part come from, in its order: "program", "scratch" or "host_values".
Json part_json(const SplitProgram& split, const SplitPart& part);

}  // namespace muster::cli
