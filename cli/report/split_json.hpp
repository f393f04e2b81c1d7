// split_json.hpp - a program split at its grid barriers, as JSON: the steps in which a host runs the parts.
//
// The manual is docs/grid-barriers.md.
#pragma once

#include <muster/cli/support/json.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster::cli {

/// {"scratch", "variables", "values", "steps"}; parts are referred to by number.
Json split_json(const SplitProgram& split);

/// The source of each of a part's bindings, in their order: "program", "scratch" or "host_values".
Json part_json(const SplitProgram& split, const SplitPart& part);

}  // namespace muster::cli
