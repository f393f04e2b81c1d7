// route.hpp - the parts of `muster route`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cli {

struct RouteArguments {
    ProgramArguments program;
    RoutingArguments routing;
    InputArguments input;
    std::uint32_t cluster = 0;           // ranks; 0: say where it would run instead
    std::vector<std::string> replicate;  // bindings
    bool explain = false;                // of a model: each match and near miss of a pattern
    bool json = false;
};

/// `muster route` of a model.
Attempt<Exit> route_model(const RouteArguments& arguments);
/// Plans the program on what --bind gives. Each buffer starts in blocks, one on each rank, along its leading
/// dimension; those of --replicate are whole on all. Errors: usage.
Attempt<Exit> route_cluster(const RouteArguments& arguments, const ValidProgram& program);

}  // namespace muster::cli
