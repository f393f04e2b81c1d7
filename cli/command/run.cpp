#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include <muster/cli/command/run.hpp>
#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/input/grid_argument.hpp>
#include <muster/cli/input/model_file.hpp>
#include <muster/cli/input/program_file.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/report/measure.hpp>
#include <muster/cli/report/output.hpp>
#include <muster/cli/report/run_report.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/driver/helper/last_words.hpp>
#include <muster/driver/helper/tuned_overrides.hpp>
#include <muster/driver/platform/clock.hpp>
#include <muster/driver/platform/signals.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

/// Checks --out's names and paths before anything runs.
Attempt<NamedTexts> checked_outputs(const RunArguments& arguments, const Program& program) {
    NamedTexts outputs = TRY(step(Exit::usage, split_assignments(arguments.outs, "--out")));
    for (const auto& [name, path] : outputs) {
        const Variable* variable = find_binding(program, name);
        if (variable == nullptr) {
            return misused(
                fmt::format("--out names \"{}\", which isn't a binding of {}.", name, program.entry()));
        }
        TRY(step(Exit::usage, check_output(*variable, program.types(), path)));
        if (path == "-" && arguments.json) return taken_by_json("--out " + name + "=-");
        TRY(step(Exit::failed, during("writing --out " + name, check_writable(path))));
    }
    return outputs;
}

/// Reads back the bindings that the kernel writes or --out names.
Attempt<void> download(const Program& program, const NamedTexts& outputs, const DeviceBuffers& buffers,
                       HostBuffers& host) {
    for (auto& [name, buffer] : host) {
        const bool is_asked =
            std::ranges::any_of(outputs, [&](const auto& output) { return output.first == name; });
        if (!is_asked && !find_binding(program, name)->is_written) continue;
        TRY(step(buffers.find(name)->second.read_bytes(buffer.bytes)));
    }
    return {};
}

/// The program; with --tuned, as it is fastest on the device that runs it with its defaults.
Attempt<ArtifactFile> load_tuned(const RunArguments& arguments, const CompileOptions& options) {
    const Bytes bytes = TRY(read_program(arguments.program));
    ArtifactFile file = TRY(load_file(arguments.program, bytes));
    if (!arguments.tuned) return file;
    const std::string text = TRY(text_of(arguments.program, bytes));
    Session session = TRY(open_session(arguments.routing));
    const Route route = session.route(file, options);
    const Execute* const execute = route.execute();
    if (execute == nullptr) return file;
    ProgramArguments tuned = arguments.program;
    const NamedTexts given = TRY(step(Exit::usage, split_assignments(tuned.overrides, "--override")));
    for (const wgsl::OverrideValue& each :
         tuned_overrides(text, file.program->entry(), execute->backend, execute->device, options.precision)) {
        const bool is_given =
            std::ranges::any_of(given, [&](const auto& override) { return override.first == each.name; });
        if (!is_given) tuned.overrides.push_back(each.name + "=" + each.text);
    }
    return load_file(tuned, bytes);
}

/// Writes the files of --out, behind what has been printed.
Attempt<void> write_outputs(const Program& program, const NamedTexts& outputs, const HostBuffers& host) {
    std::fflush(stdout);
    for (const auto& [name, path] : outputs)
        TRY(step(Exit::failed,
                 during("writing --out " + name, write_output(*find_binding(program, name), program.types(),
                                                              host.find(name)->second, path))));
    return {};
}

/// When the process began, on the steady clock: before main(), which loads libraries. Exact
/// while it has only computed.
std::int64_t process_start_ns() {
    const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
    return (now - platform::processor_time()).count();
}

/// Without --timeout a run has no limit: a person at a terminal sees that it runs, and can interrupt it.
Result<std::chrono::nanoseconds> timeout_of(const RunArguments& arguments) {
    if (arguments.timeout.empty()) return no_timeout;
    return during("reading --timeout", parse_time(arguments.timeout));
}

void declare(Options& options, RunArguments& to) {
    add_program(options, to.program, program_or_model_kinds);
    add_constants(options, to.program);
    add_input(options, to.input);
    options.values(to.outs, "--out", "NAME=FILE",
                   "Where a binding goes afterwards: .npy, .png, .bin, or - to print");
    add_routing(options, to.routing);
    options.list(
        to.devices, "--devices", "DEVICE,...",
        "Several devices that run the one dispatch together, instead of the best one: cuda:0,cuda:1");
    options.value(to.repeat, "--repeat", "N", "Run so many times; the times printed are over all of them")
        .within(1u, 1'000'000u);
    options.value(to.timeout, "--timeout", "TIME",
                  "Give up on a run that takes longer: 10 (seconds), 500ms, 2min");
    add_specs(options, to.specs);
    options.value(to.profile, "--profile", "FILE",
                  "Of a model: time by node, - to print, or a timeline as .svg");
    options.flag(to.tuned, "--tuned",
                 "With the override constants that muster bench --tune has found fastest on the device");
    add_validate(options, to.routing);
    options.flag(to.explain, "--explain", "Also say why each other backend didn't run it");
    options.flag(to.quiet, "-q,--quiet", "Leave out the summary on standard error");
    add_json(options, to.json);
    options.footer(
        std::string(about_input) +
        "\nExample:\n"
        "  muster run examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:8 --bind y=zeros:f32:8 --out "
        "y=-");
}

Attempt<Exit> perform(const RunArguments& given) {
    const std::int64_t start_ns = process_start_ns();
    RunArguments arguments = given;
    // Measurements are of optimised code.
    if (arguments.routing.optimize.empty() && (arguments.repeat > 1 || !arguments.profile.empty()))
        arguments.routing.optimize = name(Optimize::first);
    if (is_model(arguments.program.path) || is_stored_model(arguments.program.path)) {
        if (arguments.devices.empty()) return run_model(arguments, start_ns);
        return misused("--devices is for programs, and this is a model.", "leave out --devices");
    }
    const auto timeout = TRY(step(Exit::usage, timeout_of(arguments)));
    CompileOptions options = compile_options(arguments.routing);
    options.specs = TRY(step(Exit::usage, split_assignments(arguments.specs, "--spec")));
    const ArtifactFile file = TRY(load_tuned(arguments, options));
    const ValidProgram& program = file.program;
    const NamedTexts outputs = TRY(checked_outputs(arguments, program));
    auto [host, grid] = TRY(step(Exit::usage, make_input(arguments.input, program)));

    if (!arguments.devices.empty()) {
        TRY(run_on_devices(arguments, program, options, grid, outputs, host));
        TRY(write_outputs(*program, outputs, host));
        return Exit::done;
    }
    Session session = TRY(open_session(arguments.routing));
    DeviceBuffers buffers = TRY(upload(session, program, host));
    // The dispatch itself counts only if estimates decide.
    const auto route_now = [&]() -> Attempt<Route> {
        if (arguments.routing.measured)
            return step(session.route(file, arguments_of(*program, host, buffers), grid.grid, options));
        return arguments.explain ? session.explain(file, options) : session.route(file, options);
    };
    const Route route = TRY(route_now());
    if (route.execute() == nullptr) return std::unexpected(not_executable(session, route, arguments.program));
    const platform::HandlerStack stack;
    const helper::LastWords words(fmt::format("running {} on {}", program->entry(), route.execute()->id()),
                                  "run it elsewhere (--backend), and tell who wrote that backend");
    const Kernel kernel =
        TRY(step(arguments.routing.measured
                     ? session.prepare_for(file, arguments_of(*program, host, buffers), grid.grid, options)
                     : session.prepare(file, options)));
    for (const std::string& note : kernel.route().decision().notes) {
        if (!arguments.explain) complain(fmt::format("note: {}\n", note));
    }

    const bool is_quick = !kernel.is_optimized();
    const Measured measured =
        TRY(step(measure(session, kernel, grid.grid, {arguments.repeat, timeout}, host, buffers)));
    TRY(download(program, outputs, buffers, host));

    const auto first_ns = static_cast<std::uint64_t>(measured.first_end_ns - start_ns);
    // --explain asks every backend; by now it is also known whether each device opened.
    const bool asks_again = arguments.explain && !arguments.routing.measured;
    const Route told = asks_again ? session.explain(file, options) : kernel.route();
    const RunReport report{arguments.program.path,
                           options.precision,
                           arguments.repeat,
                           kernel,
                           told,
                           grid,
                           measured,
                           first_ns,
                           host,
                           outputs,
                           !file.codes.empty(),
                           is_quick};
    if (arguments.json) {
        Json json = report.json();
        if (arguments.explain) json["route"] = to_json(report::of(told));
        print_json(json);
    } else {
        if (!arguments.quiet) complain(report.text());
        if (arguments.explain) complain(fmt::format("\n{}\n", told.explain()));
    }
    TRY(write_outputs(*program, outputs, host));
    (void)wait_until_optimized(most_until_optimized);
    return Exit::done;
}

}  // namespace

const Verb verbs::run{"run", "Run a program on the best backend that is there",
                      command<RunArguments, declare, perform>};

}  // namespace muster::cli
