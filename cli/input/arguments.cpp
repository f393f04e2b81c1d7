#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/foundation/base/nearest.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/sanitize/sanitize.hpp>

namespace muster::cli {
namespace {

constexpr std::string_view program_kinds = "A WGSL file, an artifact, or - for standard input";
constexpr std::string_view program_or_model_kinds =
    "A WGSL file, an artifact, a model (.onnx), or - for standard input";

void add_program(CLI::App& command, ProgramArguments& to, std::string_view kinds) {
    command.add_option("PROGRAM", to.path, std::string(kinds))->required();
    command.add_option("--entry", to.entry, "The compute entry point, where there are several")
        ->type_name("NAME");
    command
        .add_option("--override", to.overrides,
                    "The value of a pipeline-overridable constant; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    command
        .add_option("--digest", to.digest,
                    "Only a file with this SHA-256; muster inspect prints an artifact's")
        ->type_name("HEX");
}

void add_constants(CLI::App& command, std::vector<std::string>& to) {
    command
        .add_option(
            "--constant", to,
            "Of an ONNX model: the value of an input, or of a size that it leaves open, for which alone the "
            "model is made; may be repeated")
        ->type_name("NAME=SPEC")
        ->allow_extra_args(false);
}

void add_compile_budget(CLI::App& command, std::string& to) {
    command
        .add_option("--compile-budget", to,
                    "How long compiling may take, in seconds; 0: as long as it takes. Default 30")
        ->type_name("SECONDS");
}

void add_subgroup_size(CLI::App& command, std::uint32_t& to) {
    command
        .add_option("--subgroup-size", to,
                    "The size of subgroups, for a program that asks for none; only devices that have it")
        ->type_name("N");
}

void add_fast(CLI::App& command, bool& to) {
    command.add_flag("--fast", to,
                     "Fast mode, with the precision that WGSL asks for and the device's own functions");
}

void add_routing(CLI::App& command, RoutingArguments& to) {
    command
        .add_option("--backend", to.backends,
                    "Only this backend, or this device of it (ID:ORDINAL, ID:UUID); repeated or separated by "
                    "commas: in this order")
        ->type_name("ID")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        .add_option("--pin", to.pin,
                    "This backend or device (ID, ID:ORDINAL, ID:UUID), or an error: never another")
        ->type_name("ID");
    command.add_flag("--only-one", to.only_one, "The one backend that fits; where several do, an error");
    command.add_flag("--measured", to.measured,
                     "The device that is estimated to finish first, by what muster bench has measured");
    command.add_option("--exclude", to.excludes, "Never this backend or device")
        ->type_name("ID")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--allow", to.allow_tags, "Also backends with this tag, \"debug\" for instance")
        ->type_name("TAG")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--tag", to.require_tags, "Only backends with this tag")
        ->type_name("TAG")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--exclude-tag", to.exclude_tags, "Never a backend with this tag, named or not")
        ->type_name("TAG")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        .add_option("--kind", to.kind,
                    "Only devices of this kind: gpu (never a CPU, nor one that plays a GPU), discrete, "
                    "integrated, cpu")
        ->type_name("KIND");
    command
        .add_option("--min-memory", to.min_memory, "Only devices with so much memory: 8GiB, 512MiB or bytes")
        ->type_name("SIZE");
    command
        .add_option("--require", to.require_features,
                    "Only devices that have this: a type (f32), an operation (fma), subgroup:32, exact")
        ->type_name("FEATURE")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_subgroup_size(command, to.subgroup_size);
    add_compile_budget(command, to.compile_budget);
    command
        .add_option(
            "--on-failure", to.on_failure,
            "After a fault of a device or its compiler: fail (the default), retry (once more, on the device "
            "opened anew) or next (on the next device)")
        ->type_name("WHAT");
    command
        .add_option("--pack", to.pack,
                    "Of models: the pack of patterns that they are rewritten by; muster backends lists them")
        ->type_name("ID");
    command.add_flag("--no-emission", to.no_emission,
                     "Where nothing can execute: refused, and no code to ship in its place");
    command.add_flag("--no-device-check", to.no_device_check,
                     "Trust devices without a few kernels that they run, once, before they are chosen");
    command.add_flag("--inexact-ok", to.inexact_ok, "Also devices that don't promise exact arithmetic");
    add_fast(command, to.fast);
}

void add_validate(CLI::App& command, bool& to) {
    command.add_flag("--validate", to,
                     "Also run samples on the interpreter first, and warn of races and bad accesses");
}

void add_json(CLI::App& command, bool& to) { command.add_flag("--json", to, "Print JSON"); }

void add_specs(CLI::App& command, std::vector<std::string>& to) {
    command
        .add_option("--spec", to, "A compile option that the backend declares; muster backends lists them")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void define_backends(CLI::App& app, BackendsArguments& to) {
    CLI::App& command =
        *app.add_subcommand("backends", "List every linked backend, its devices and why it has none");
    command
        .add_option("--target", to.target,
                    "Only say what this target promises: BACKEND:ARCH, or a device, BACKEND:0")
        ->type_name("TARGET");
    command.add_flag("--open", to.open, "Open plugins, too, and probe their devices");
    add_json(command, to.json);
    command.footer("\nExample:\n  muster backends");
}

void add_input(CLI::App& command, InputArguments& to) {
    command.add_option("--bind", to.binds, "What a binding holds; one for each binding")
        ->type_name("NAME=SPEC")
        ->allow_extra_args(false);
    auto* workgroups =
        command.add_option("--workgroups", to.workgroups, "The grid in workgroups")->type_name("X,Y,Z");
    command.add_option("--invocations", to.invocations, "The grid in invocations, or extent:NAME")
        ->type_name("X,Y,Z")
        ->excludes(workgroups);
}

constexpr const char* about_input =
    "\nSPEC is one of\n"
    "  FILE.npy             numbers; FILE.npz:NAME  those of one array\n"
    "  FILE.png, FILE.jpg   RGBA pixels for array<u32> or array<vec4<f32>>\n"
    "  FILE.bin             bytes as they are\n"
    "  zeros:TYPE:COUNT     random:TYPE:COUNT:SEED     iota:TYPE:COUNT\n"
    "  like:NAME            zeros, as many as NAME has\n"
    "  extent:NAME          the width and height of NAME\n"
    "  2.5 or 1,2,3         literal numbers; f32:1,2,3 also says their type\n"
    "Without --workgroups and --invocations, there are as many invocations as the first written\n"
    "run-time array has elements.\n";

void define_route(CLI::App& app, RouteArguments& to) {
    CLI::App& command = *app.add_subcommand("route", "Say where a program would run, and why not elsewhere");
    add_program(command, to.program, program_or_model_kinds);
    add_constants(command, to.program.constants);
    add_input(command, to.input);
    add_routing(command, to.routing);
    CLI::Option* cluster = command
                               .add_option("--cluster", to.cluster,
                                           "Say how so many ranks would share the dispatch, and what they "
                                           "exchange; needs what it runs on")
                               ->type_name("RANKS")
                               ->check(CLI::Range(1u, 1024u));
    command
        .add_option("--replicate", to.replicate,
                    "With --cluster: a binding of which every rank has all words, not a block")
        ->type_name("NAME")
        ->allow_extra_args(false)
        ->needs(cluster);
    command.add_flag("--explain", to.explain, "Of a model: also list each match and near miss of a pattern");
    add_json(command, to.json);
    command.footer(
        "\nWith what it runs on, as for muster run, the reasons also say how long it is estimated to take on "
        "each\n"
        "device that muster bench has measured.\n"
        "\nExample:\n  muster route examples/saxpy/saxpy.wgsl");
}

void define_run(CLI::App& app, RunArguments& to) {
    CLI::App& command = *app.add_subcommand("run", "Run a program on the best backend that is there");
    add_program(command, to.program, program_or_model_kinds);
    add_constants(command, to.program.constants);
    add_input(command, to.input);
    command.add_option("--out", to.outs, "Where a binding goes afterwards: .npy, .png, .bin, or - to print")
        ->type_name("NAME=FILE")
        ->allow_extra_args(false);
    add_routing(command, to.routing);
    command
        .add_option(
            "--devices", to.devices,
            "Several devices that run the one dispatch together, instead of the best one: cuda:0,cuda:1")
        ->type_name("DEVICE,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--repeat", to.repeat, "Run so many times; the times printed are over all of them")
        ->type_name("N")
        ->check(CLI::Range(1u, 1'000'000u));
    command
        .add_option("--timeout", to.timeout, "Give up on a run that takes longer: 10 (seconds), 500ms, 2min")
        ->type_name("TIME");
    add_specs(command, to.specs);
    command
        .add_option("--profile", to.profile, "Of a model: time by node, - to print, or a timeline as .svg")
        ->type_name("FILE");
    command.add_flag("--tuned", to.tuned,
                     "With the override constants that muster bench --tune has found fastest on the device");
    add_validate(command, to.routing.validate);
    command.add_flag("--explain", to.explain, "Also say why each other backend didn't run it");
    command.add_flag("-q,--quiet", to.quiet, "Leave out the summary on standard error");
    add_json(command, to.json);
    command.footer(
        std::string(about_input) +
        "\nExample:\n"
        "  muster run examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:8 --bind y=zeros:f32:8 --out "
        "y=-");
}

void define_pipeline(CLI::App& app, PipelineArguments& to) {
    CLI::App& command =
        *app.add_subcommand("pipeline", "Run the steps of a file, which share buffers, on one device");
    command.add_option("FILE", to.path, "The pipeline, as JSON: buffers, kernels, copies, fills and loops")
        ->required();
    command.add_option("--bind", to.binds, "A buffer's data, instead of the file's: as run's --bind")
        ->type_name("BUFFER=SPEC")
        ->allow_extra_args(false);
    command.add_option("--out", to.outs, "Where a buffer goes afterwards: .npy, .png, .bin, or - to print")
        ->type_name("BUFFER=FILE")
        ->allow_extra_args(false);
    add_routing(command, to.routing);
    command.add_option("--timeout", to.timeout, "Give up if it takes longer: 10 (seconds), 500ms, 2min")
        ->type_name("TIME");
    add_validate(command, to.routing.validate);
    command.add_flag("-q,--quiet", to.quiet, "Leave out the summary on standard error");
    add_json(command, to.json);
    command.footer(
        "\nExample:\n  muster pipeline examples/radix-sort/radix_sort.json --bind keys=random:u32:9000:1");
}

void define_emit(CLI::App& app, EmitArguments& to) {
    CLI::App& command = *app.add_subcommand("emit", "Write a program's code for a target; needs no device");
    add_program(command, to.program, program_or_model_kinds);
    add_constants(command, to.program.constants);
    command.add_option("--backend", to.backend, "Whose code; without it, that of the first backend that can")
        ->type_name("ID");
    command
        .add_option(
            "--target", to.targets,
            "The machine, as BACKEND:ARCH or ARCH, or a device here: BACKEND:0; repeated for an artifact, "
            "FILE.muster, where none stores the program alone")
        ->type_name("TARGET")
        ->allow_extra_args(false);
    command
        .add_option(
            "--format", to.format,
            "One of the backend's formats; without it, what the file's extension says, else the first")
        ->type_name("FORMAT");
    add_specs(command, to.specs);
    command
        .add_option("--size", to.sizes,
                    "Of a model: sizes that it leaves open, as N=8 or N=8,T=64; repeated for an artifact for "
                    "several sizes")
        ->type_name("NAME=NUMBER")
        ->allow_extra_args(false);
    command
        .add_option("--bind", to.binds,
                    "Of a model: an input of the wanted sizes, or whose contents its kernels are made for")
        ->type_name("NAME=SPEC")
        ->allow_extra_args(false);
    command.add_option("-o,--output", to.output, "The file, or - for standard output")
        ->type_name("FILE")
        ->required();
    command.add_option("--debug-map", to.debug_map, "Also write where each line of code comes from, as JSON")
        ->type_name("FILE");
    auto* const embed =
        command.add_flag("--embed", to.embed, "Write an artifact as a C++ header, to be part of a program");
    command
        .add_option("--function", to.function,
                    "The name of the function that gives the embedded artifact. Default: ENTRY_artifact")
        ->type_name("NAME")
        ->needs(embed)
        ->check(CLI::Validator(
            [](const std::string& name) {
                const auto fits = [](char c) {
                    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                };
                const bool is_name = !name.empty() &&
                                     std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                                     std::ranges::all_of(name, fits);
                return is_name ? std::string() : fmt::format("\"{}\" is no name of a C++ function", name);
            },
            ""));
    add_subgroup_size(command, to.subgroup_size);
    add_compile_budget(command, to.compile_budget);
    command.add_flag(
        "--parts", to.parts,
        "Write what a program with grid barriers is split into: FILE with a number for each part, "
        "and a .json that says in which order a host runs them");
    add_fast(command, to.fast);
    add_json(command, to.json);
    command.footer("\nExample:\n  muster emit examples/saxpy/saxpy.wgsl --backend cpu -o build/saxpy.o");
}

void define_inspect(CLI::App& app, InspectArguments& to) {
    CLI::App& command = *app.add_subcommand("inspect", "Say what an artifact holds");
    command.add_option("FILE", to.path, "An artifact: a .muster file")->required();
    command.add_flag("--map", to.map, "Also print which source line each part of the code comes from");
    command.add_flag("--disassemble", to.disassemble, "Also print each code, disassembled if it isn't text");
    add_json(command, to.json);
    command.footer("\nExample:\n  muster inspect build/saxpy.muster");
}

void define_check(CLI::App& app, CheckArguments& to) {
    CLI::App& command = *app.add_subcommand(
        "check", "Run the conformance cases on this machine's devices, and compare results");
    command.add_option("--backend", to.backends, "Only this backend, or this device of it; may be repeated")
        ->type_name("ID")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        .add_option(
            "--case", to.cases,
            "Only the cases that match, as integers/*; or a case of your own, FILE.wgsl; may be repeated")
        ->type_name("GLOB")
        ->allow_extra_args(false);
    command
        .add_option("--timeout", to.timeout,
                    "The time of one case on one device: 10 (seconds), 2min. Default 20")
        ->type_name("TIME");
    command.add_option("--gaps", to.gaps, "The known gaps, one a line; one that no longer fails is an error")
        ->type_name("FILE");
    command.add_option("--json", to.json, "Also write the report as JSON; - is standard output")
        ->type_name("FILE");
    command.add_option("--html", to.html, "Also write the report as a page to look at")->type_name("FILE");
    command.add_flag("--list", to.list, "List the cases and what each shows; check nothing");
    command.footer("\nExample:\n  muster check --backend cpu --case 'integers/*'");
}

void define_bench(CLI::App& app, BenchArguments& to) {
    CLI::App& command = *app.add_subcommand(
        "bench", "Measure this machine's devices: the roof, then standard kernels, verified and timed");
    command
        .add_option("--backend", to.backends,
                    "Only this backend, or this device of it; may be repeated. Default: a device of each")
        ->type_name("ID")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--only", to.only, "Only this kernel; repeated or separated by commas")
        ->type_name("KERNEL")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_flag("--quick", to.quick, "Small data, and less time for each: to see whether all is right");
    command.add_option("--time", to.time, "How long each kernel is timed: 500ms, 2 (seconds). Default 500ms")
        ->type_name("TIME");
    command
        .add_option("--timeout", to.timeout,
                    "Give up on a kernel that takes longer: 10 (seconds). Default 60")
        ->type_name("TIME");
    add_fast(command, to.fast);
    command.add_option("--json", to.json, "Also write the figures as JSON; - is standard output")
        ->type_name("FILE");
    command.add_option("--svg", to.svg, "Also draw the roofline of each device")->type_name("FILE");
    command
        .add_option("--compare", to.compare,
                    "Also say how many times as fast as in this file, which --json wrote on this machine")
        ->type_name("FILE");
    command
        .add_option("--tune", to.tune.path,
                    "Instead, search the override constants of this WGSL file for each device, and keep the "
                    "fastest for muster run --tuned")
        ->type_name("FILE");
    command
        .add_option("--entry", to.tune.entry, "With --tune: the compute entry point, where there are several")
        ->type_name("NAME");
    command
        .add_option("--override", to.tune.overrides,
                    "With --tune: the values to try, as 8,16,24, or 8..64 for the powers of two")
        ->type_name("NAME=VALUES")
        ->allow_extra_args(false);
    add_input(command, to.input);
    command
        .add_option(
            "--tolerance", to.tolerance,
            "With --tune: how far an f32 may be from the defaults' result, relative to the largest. Default "
            "0.0001")
        ->type_name("RATIO");
    command.footer(
        "\nExamples:\n  muster bench --backend cpu --only saxpy,sgemm --quick\n"
        "  muster bench --tune examples/kernels/matmul.wgsl --bind sizes=500,500,500 --bind "
        "a=random:f32:500,500:1 "
        "--bind b=random:f32:500,500:2 --bind c=like:a --invocations 500,500 --override tile=4..16");
}

void define_cache(CLI::App& app, CacheArguments& to) {
    CLI::App& command =
        *app.add_subcommand("cache", "Show or clear what is kept on disk for later processes");
    command.add_option("ACTION", to.action, "list, size or clear")
        ->required()
        ->check(CLI::IsMember({"list", "size", "clear"}));
    add_json(command, to.json);
    command.footer("\nExample:\n  muster cache size");
}

void define_sanitize(CLI::App& app, SanitizeArguments& to) {
    CLI::App& command = *app.add_subcommand(
        "sanitize", "Run a program on the interpreter, and report races, bad accesses and endless loops");
    add_program(command, to.program, program_kinds);
    add_input(command, to.input);
    command
        .add_option("--no-data", to.no_data,
                    "This binding begins without data: reading what nothing wrote is a finding")
        ->type_name("NAME")
        ->delimiter(',')
        ->allow_extra_args(false);
    auto* seeds = command
                      .add_option("--seeds", to.seeds,
                                  "Run with so many seeds, 0, 1, 2, ..., each an order of its own. Default 4")
                      ->type_name("N")
                      ->check(CLI::Range(1u, 100'000u));
    command.add_option("--seed", to.seed, "Run with this seed alone; may be repeated")
        ->type_name("S")
        ->allow_extra_args(false)
        ->excludes(seeds);
    command
        .add_option("--sample", to.sample,
                    "Of a large grid, how many workgroups each seed runs, or all. Default: those of about "
                    "16384 invocations")
        ->type_name("N");
    command
        .add_option("--subgroup-size", to.subgroup_size,
                    "The size of subgroups, for a program that asks for none. Default 32")
        ->type_name("N");
    command
        .add_option(
            "--ignore", to.ignore,
            "Don't report this kind: data_race, read_before_write, out_of_bounds, divergent_subgroup, "
            "inactive_invocation")
        ->type_name("KIND")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--max-findings", to.max_findings, "Report at most so many. Default 100")
        ->type_name("N")
        ->check(CLI::Range(1u, 1'000'000u));
    command
        .add_option("--max-steps", to.max_steps,
                    fmt::format("The steps of a workgroup after which a loop counts as endless. Default {}",
                                SanitizeOptions{}.max_steps))
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
    add_json(command, to.json);
    command.footer(
        std::string(about_input) +
        "\nExample:\n"
        "  muster sanitize examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:256 --bind y=like:x");
}

void define_quantize(CLI::App& app, QuantizeArguments& to) {
    CLI::App& command = *app.add_subcommand("quantize", "Make a model of integers from one of floats");
    command.add_option("MODEL", to.model.path, "The model, an .onnx file")->required();
    add_constants(command, to.model.constants);
    command
        .add_option(
            "--calibrate", to.samples,
            "Sample inputs: a .npy file whose first axis counts them, or a folder of .npy and picture files")
        ->type_name("DIR|FILE")
        ->required();
    command.add_option("-o,--output", to.output, "Where the model of integers goes, an .onnx file")
        ->type_name("FILE")
        ->required();
    command
        .add_option("--percentile", to.percentile,
                    "The part of an activation's values, in percent, that its range holds; 100: all")
        ->type_name("P")
        ->check(CLI::Range(50.0, 100.0));
    command
        .add_option("--strength", to.strength,
                    "How much scale moves from activations to weights (SmoothQuant's alpha)")
        ->type_name("ALPHA")
        ->check(CLI::Range(0.0, 1.0));
    command.add_flag("--no-smooth", to.no_smooth, "Move no scale from activations to weights");
    add_routing(command, to.routing);
    add_json(command, to.json);
    command.footer(
        "\nThe result has QuantizeLinear and DequantizeLinear around its products; other runtimes read it, "
        "too. What\n"
        "it gives for the samples is compared with what the model of floats gives.\n"
        "\nExample:\n  muster quantize resnet50.onnx --calibrate photos -o resnet50.int8.onnx");
}

void define_new_backend(CLI::App& app, NewBackendArguments& to) {
    CLI::App& command =
        *app.add_subcommand("new-backend", "Write the sources of a backend of your own, which works at once");
    command.add_option("NAME", to.folder, "The backend's id, or a folder to write whose name is the id")
        ->required();
    command.footer("\nExample:\n  muster new-backend build/mine");
}

/// Refuses empty values: one comes from an unset shell variable, and mustn't mean "any".
void refuse_empty_values(CLI::App& app) {
    const auto is_empty = [](const std::string& text) {
        return std::string(text.empty() ? "its value is empty: give one, or leave the option out" : "");
    };
    for (CLI::App* command : app.get_subcommands({}))
        for (CLI::Option* option : command->get_options())
            if (option->get_type_size() != 0) option->check(CLI::Validator(is_empty, ""));
}

Message misuse(const std::string& what, const std::string& fix) {
    return {fmt::format("muster: {}\nFix: {}\n", what, fix), static_cast<int>(Exit::usage)};
}

Message no_command(const CLI::App& app, const std::string& name) {
    std::vector<std::string> names;
    for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(one->get_name());
    return misuse(fmt::format("There is no command \"{}\".", printable(name)), did_you_mean(name, names));
}

/// `muster help [COMMAND]`: the help of that command, or of the tool.
Message help(CLI::App& app, const std::string& command) {
    app.clear();  // otherwise it shows the help of the parsed command, "help"
    if (command.empty()) return {app.help(), 0};
    for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
        if (one->get_name() == command) return {one->help("muster"), 0};
    return no_command(app, command);
}

/// True if the text has the word, in letters of either case.
bool has_word(const std::string& text, const std::string& word) {
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    for (auto at = text.begin(); at != text.end();) {
        const auto begin = std::find_if(at, text.end(), is_letter);
        at = std::find_if_not(begin, text.end(), is_letter);
        if (std::equal(begin, at, word.begin(), word.end(), same)) return true;
    }
    return false;
}

/// An option that the command doesn't have. Options like it are told, else those whose description has its name: of
/// --precision, --fast.
Message no_option(const CLI::App& command, const std::string& given, const std::string& see_help) {
    const std::string name = given.substr(0, given.find('='));
    const std::string word = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    std::vector<std::string> names, described;
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_name().starts_with("--")) continue;
        names.push_back(option->get_name());
        if (has_word(option->get_description(), word)) described.push_back(option->get_name());
    }
    const std::vector<std::string> near = nearest(name, names);
    const std::vector<std::string>& meant = near.empty() ? described : near;
    return misuse(fmt::format("{} has no option {}.", command.get_name(), printable(name)),
                  meant.empty()
                      ? see_help
                      : fmt::format("did you mean {}? Else {}", fmt::join(meant, " or "), see_help));
}

/// CLI11's message, and how to get help.
Message usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const CLI::App& command = chosen.empty() ? app : *chosen.front();
    const std::string see_help = fmt::format("see muster{}{} --help", chosen.empty() ? "" : " ",
                                             chosen.empty() ? "" : command.get_name());
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        const std::vector<std::string> unknown = command.remaining();
        const auto option =
            std::ranges::find_if(unknown, [](const std::string& one) { return one.starts_with('-'); });
        if (option != unknown.end()) return no_option(command, *option, see_help);
        if (chosen.empty() && !unknown.empty()) return no_command(app, unknown.front());
    }
    return misuse(error.what(), see_help);
}

/// The whole command line, as CLI11 defines it, and what parsing fills.
struct CommandLine {
    CLI::App app{"Runs a compute kernel on the best backend that is there.", "muster"};
    BackendsArguments backends;
    RouteArguments route;
    RunArguments run;
    PipelineArguments pipeline;
    EmitArguments emit;
    InspectArguments inspect;
    CheckArguments check;
    BenchArguments bench;
    CacheArguments cache;
    SanitizeArguments sanitize;
    QuantizeArguments quantize;
    NewBackendArguments new_backend;
    VersionArguments version;
    CompleteArguments complete;
    std::string helped;
    CommandLine();
};

CommandLine::CommandLine() {
    app.set_version_flag("-V,--version");
    app.add_flag("--json", version.json, "With --version: as JSON, and what it was built with");
    app.require_subcommand(0, 1);  // zero commands are reported later, after CLI11 has reported unknown words
    app.footer(
        "\nExit codes: 0 done, 2 usage, 3 bad program, 4 refused, 5 failed at run time, 6 only emission is "
        "possible, 7 a device doesn't pass the check or is wrong in bench, 8 sanitize has findings.");
    define_backends(app, backends);
    define_route(app, route);
    define_run(app, run);
    define_pipeline(app, pipeline);
    define_emit(app, emit);
    define_inspect(app, inspect);
    define_check(app, check);
    define_bench(app, bench);
    define_cache(app, cache);
    define_sanitize(app, sanitize);
    define_quantize(app, quantize);
    define_new_backend(app, new_backend);
    app.add_subcommand("help", "Explain a command")->add_option("COMMAND", helped, "One of the above");
    app.add_subcommand("complete", "Print what a value may be, for the shells' completions")
        ->group("")  // --help doesn't show it
        ->add_option("KIND", complete.kind, "The kind of value, as --help names it")
        ->required();
    refuse_empty_values(app);
}

/// The structures of a command line that names a command.
Arguments parsed(CommandLine& line) {
    if (line.app.got_subcommand("help")) return help(line.app, line.helped);
    if (line.app.got_subcommand("backends")) return line.backends;
    if (line.app.got_subcommand("route")) return line.route;
    if (line.app.got_subcommand("run")) return line.run;
    if (line.app.got_subcommand("pipeline")) return line.pipeline;
    if (line.app.got_subcommand("inspect")) return line.inspect;
    if (line.app.got_subcommand("check")) {
        for (std::string* file : {&line.check.json, &line.check.html})
            if (*file == "/dev/stdout") *file = "-";
        return line.check;
    }
    if (line.app.got_subcommand("bench")) {
        for (std::string* file : {&line.bench.json, &line.bench.svg})
            if (*file == "/dev/stdout") *file = "-";
        return line.bench;
    }
    if (line.app.got_subcommand("cache")) return line.cache;
    if (line.app.got_subcommand("sanitize")) return line.sanitize;
    if (line.app.got_subcommand("quantize")) return line.quantize;
    if (line.app.got_subcommand("new-backend")) return line.new_backend;
    if (line.app.got_subcommand("complete")) return line.complete;
    if (line.emit.output == "/dev/stdout") line.emit.output = "-";  // nothing else may be printed then
    return line.emit;
}

OptionHelp help_of(const CLI::Option& option) {
    OptionHelp help{.text = option.get_description(),
                    .is_required = option.get_required(),
                    .repeats = option.get_expected_max() > 1};
    for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
    if (help.names.empty())
        help.value = option.get_name();
    else if (option.get_type_size() != 0)
        help.value = option.get_type_name();
    return help;
}

CommandHelp help_of(const CLI::App& command, std::string name) {
    CommandHelp help{std::move(name), command.get_description(), {}, command.get_footer()};
    for (const CLI::Option* option : command.get_options()) help.options.push_back(help_of(*option));
    return help;
}

}  // namespace

Arguments parse_arguments(int count, const char* const* arguments) {
    CommandLine line;
    try {
        line.app.parse(count, arguments);
    } catch (const CLI::CallForVersion&) {
        line.version.json = line.app.count("--json") > 0;  // it may not have been filled yet
        return line.version;
    } catch (const CLI::Success& success) {  // --help
        std::ostringstream text, ignored;
        line.app.exit(success, text, ignored);
        return Message{text.str(), 0};
    } catch (const CLI::ParseError& error) {
        return usage_error(line.app, error);
    }
    if (line.version.json)
        return misuse("--json stands before the command.", "give it behind the command, or with --version");
    if (line.app.get_subcommands().empty()) {
        return Message{
            "muster: No command is given.\nFix: muster backends, route, run, pipeline, emit, inspect, check, "
            "bench, "
            "sanitize, cache, quantize or new-backend; see muster --help\n",
            static_cast<int>(Exit::usage)};
    }
    return parsed(line);
}

std::vector<CommandHelp> command_line_help() {
    const CommandLine line;
    std::vector<CommandHelp> all{help_of(line.app, "")};
    for (const CLI::App* command : line.app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) all.push_back(help_of(*command, command->get_name()));
    return all;
}

}  // namespace muster::cli
