// cluster_route.hpp - says how a dispatch would be cut over several ranks, and what they would exchange: `muster route --cluster`.
#pragma once

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cli {

/// Plans the program on what --bind gives. Each buffer starts in blocks, one on each rank, along its leading dimension; those of
/// --replicate are whole on all. Errors: usage.
Attempt<Exit> route_cluster(const RouteArguments& arguments, const ValidProgram& program);

}  // namespace muster::cli
