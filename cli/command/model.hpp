// model.hpp - `muster run`, `route`, `emit` and `inspect` of models.
#pragma once

#include <muster/cli/command/commands.hpp>
#include <muster/cli/input/arguments.hpp>
#include <muster/cli/support/exit.hpp>

namespace muster::cli {

Attempt<Exit> run_model(const RunArguments& arguments, Start start);
Attempt<Exit> route_model(const RouteArguments& arguments);
Attempt<Exit> emit_model(const EmitArguments& arguments);
Attempt<Exit> inspect_model(const InspectArguments& arguments);

}  // namespace muster::cli
