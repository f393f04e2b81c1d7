#include <cstdio>

#include <fmt/format.h>

#include <muster/cli/command/route.hpp>
#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/input/grid_argument.hpp>
#include <muster/cli/input/model_file.hpp>
#include <muster/cli/input/program_file.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/report/artifact_report.hpp>
#include <muster/cli/report/measure.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

Exit exit_of(const Route& route) {
    if (route.execute() != nullptr) return Exit::done;
    return route.emit_only() != nullptr ? Exit::only_emission : Exit::refused;
}

/// The route with every backend, including those that can't win; of the dispatch, if
/// what it runs on is given.
Attempt<Route> route_of(Session& session, const ArtifactFile& file, const RouteArguments& arguments) {
    const ValidProgram& program = file.program;
    const CompileOptions options = compile_options(arguments.routing);
    if (!arguments.input.is_given()) return session.explain(file, options);
    const auto [host, grid] = TRY(step(Exit::usage, make_input(arguments.input, *program)));
    const DeviceBuffers buffers = TRY(upload(session, *program, host));
    return step(session.route(file, arguments_of(*program, host, buffers), grid.grid, options));
}

void declare(Options& options, RouteArguments& to) {
    add_program(options, to.program, program_or_model_kinds);
    add_constants(options, to.program);
    add_input(options, to.input);
    add_routing(options, to.routing);
    options
        .value(
            to.cluster, "--cluster", "RANKS",
            "Say how so many ranks would share the dispatch, and what they exchange; needs what it runs on")
        .within(1u, 1024u);
    options
        .values(to.replicate, "--replicate", "NAME",
                "With --cluster: a binding of which every rank has all words, not a block")
        .needs("--cluster");
    options.flag(to.explain, "--explain", "Of a model: also list each match and near miss of a pattern");
    add_json(options, to.json);
    options.footer(
        "\nWith what it runs on, as for muster run, the reasons also say how long it is estimated to take on "
        "each\n"
        "device that muster bench has measured.\n"
        "\nExample:\n  muster route examples/saxpy/saxpy.wgsl");
}

Attempt<Exit> perform(const RouteArguments& arguments) {
    if (is_model(arguments.program.path) || is_stored_model(arguments.program.path)) {
        if (arguments.cluster == 0) return route_model(arguments);
        return misused("--cluster is for programs, and this is a model.", "leave out --cluster");
    }
    const ArtifactFile file = TRY(load_file(arguments.program));
    const ValidProgram& program = file.program;
    if (arguments.cluster != 0) return route_cluster(arguments, program);
    Session session = TRY(open_session(arguments.routing));
    const Route route = TRY(route_of(session, file, arguments));
    // Without memory for a route, a session gives one that is refused.
    if (const Refused* none = route.refused();
        none != nullptr && none->error.code == ErrorCode::out_of_memory)
        TRY(step(Result<void>(std::unexpected(none->error))));
    if (arguments.json) {
        Json json{{"program", arguments.program.path}};
        json.update(to_json(report::of(route)));
        if (!file.codes.empty()) json["codes"] = fits_json(session.fleet(), file);
        print_json(json);
    } else {
        say(fmt::format("{}\n", route.explain()));
        if (route.execute() == nullptr)
            say(fmt::format("Fix: {}\n", not_executable(session, route, arguments.program).error.fix));
        if (!file.codes.empty()) say(fits_text(session.fleet(), file));
    }
    return exit_of(route);
}

}  // namespace

const Verb verbs::route{"route", "Say where a program would run, and why not elsewhere",
                        command<RouteArguments, declare, perform>};

}  // namespace muster::cli
