#include <cstdio>

#include <fmt/format.h>

#include <muster/cli/commands.hpp>
#include <muster/cli/json.hpp>
#include <muster/cli/program_file.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

Exit exit_of(const Route& route) {
    if (route.execute() != nullptr) return Exit::done;
    return route.emit_only() != nullptr ? Exit::only_emission : Exit::refused;
}

}  // namespace

Attempt<Exit> command_route(const RouteArguments& arguments) {
    const ValidProgram program = TRY(load_program(arguments.program));
    Session session = TRY(open_session(arguments.routing));
    // A listing covers every backend, including those that can't win.
    const Route route = session.explain(program, compile_options(arguments.routing));
    if (arguments.json) {
        Json json{{"program", arguments.program.path}};
        json.update(to_json(route));
        print_json(json);
    } else {
        say(fmt::format("{}\n", route.explain()));
        if (route.execute() == nullptr)
            say(fmt::format("Fix: {}\n", not_executable(session, route, arguments.program).error.fix));
    }
    return exit_of(route);
}

}  // namespace muster::cli
