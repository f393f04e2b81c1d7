// routing.hpp - the session that the command line asks for.
#pragma once

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::cli {

/// Exits: usage.
Attempt<Policy> policy_of(const RoutingArguments& arguments);
/// Begins the trace that --trace asks for. Exits: usage.
Attempt<void> begin_trace(const RoutingArguments& arguments);
/// Opens a session with that policy. Exits: usage.
Attempt<Session> open_session(const RoutingArguments& arguments);
CompileOptions compile_options(const RoutingArguments& arguments);

/// Turns a route that can't execute into a Failure that says how to get code instead, or why that isn't
/// possible either.
Failure not_executable(Session& session, const Route& route, const ProgramArguments& program);

}  // namespace muster::cli
