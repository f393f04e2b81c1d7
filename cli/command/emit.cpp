#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include <muster/cli/command/emit.hpp>
#include <muster/cli/command/emit_files.hpp>
#include <muster/cli/command/emit_format.hpp>
#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/input/model_file.hpp>
#include <muster/cli/input/program_file.hpp>
#include <muster/cli/input/routing.hpp>
#include <muster/cli/report/artifact_report.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

void print_bindings(std::span<const BindingLayout> bindings) {
    for (const BindingLayout& binding : bindings) {
        say(fmt::format("  group {}, binding {}: {}, {} {}, {}\n", binding.group, binding.binding,
                        binding.name, name(binding.space), name(binding.access), binding.type));
    }
}

Attempt<Exit> emit_whole(const EmitArguments& arguments, const ValidProgram& program,
                         const EmitOptions& options, Session& session) {
    const Artifact artifact = TRY(step(session.emit(program, options)));
    TRY(write_artifact(artifact, arguments.output));
    if (!arguments.debug_map.empty()) TRY(write_debug_map(artifact, arguments.debug_map));
    if (arguments.output == "-") return Exit::done;  // standard output has the code
    if (arguments.json) {
        print_json(artifact_json(arguments, artifact));
        return Exit::done;
    }
    say(fmt::format("{} for {} as {}: {} in {}\n", artifact.entry, artifact.target, artifact.format,
                    human_bytes(artifact.bytes.size()), arguments.output));
    print_bindings(artifact.bindings);
    return Exit::done;
}

bool writes_artifact(const EmitArguments& arguments) {
    return arguments.embed || extension_of(arguments.output) == ".muster";
}

/// Writes an artifact: the program with code for each target.
Attempt<Exit> emit_artifact(const EmitArguments& arguments, const ValidProgram& program, Session& session) {
    if (arguments.parts || !arguments.debug_map.empty())
        return misused(
            fmt::format("\"{}\" is an artifact, which holds parts and debug maps itself.", arguments.output),
            fmt::format("leave out {}", arguments.parts ? "--parts" : "--debug-map"));
    const ArtifactFile file =
        TRY(step(session.package(program, TRY(step(Exit::usage, package_options(arguments))))));
    const std::vector<std::byte> bytes = artifact_file_bytes(file);
    const std::string header =
        arguments.embed ? artifact_header(file, bytes, arguments.function) : std::string();
    TRY(step(Exit::failed,
             write_file(arguments.output, arguments.embed ? std::as_bytes(std::span(header))
                                                          : std::span<const std::byte>(bytes))));
    if (arguments.output == "-") return Exit::done;  // standard output has the artifact
    if (arguments.json)
        print_json(artifact_file_json(file, arguments.output, bytes));
    else
        say(artifact_file_text(file, arguments.output, bytes));
    return Exit::done;
}

Attempt<Exit> emit_parts(const EmitArguments& arguments, const ValidProgram& program,
                         const EmitOptions& options, Session& session) {
    const EmittedParts emitted = TRY(step(session.emit_parts(program, options)));
    const Json json = TRY(write_parts(arguments, program, emitted));
    if (arguments.json) {
        print_json(json);
        return Exit::done;
    }
    const Artifact& first = emitted.parts.front();
    say(fmt::format("{} for {} as {}, in {} parts that a host runs as {} says:\n", program->entry(),
                    first.target, first.format, emitted.parts.size(),
                    std::filesystem::path(arguments.output).replace_extension(".json").string()));
    for (std::size_t i = 0; i < emitted.parts.size(); ++i) {
        say(fmt::format("  {}: {}\n", with_infix(arguments.output, std::to_string(i + 1)),
                        human_bytes(emitted.parts[i].bytes.size())));
    }
    return Exit::done;
}

/// Parts need a file each, which standard output isn't, and the JSON file that describes them.
Attempt<void> check_takes_parts(const std::string& output) {
    if (output == "-")
        return misused("--parts writes several files, and standard output is one.",
                       "name a file instead of -: each part's name is made of it");
    if (extension_of(output) == ".json")
        return misused(fmt::format("\"{}\" is where --parts describes the parts.", output),
                       "give the code another extension: -o kernel.spv");
    return {};
}

Attempt<void> check_is_no_models_option(const EmitArguments& arguments) {
    if (arguments.sizes.empty() && arguments.binds.empty()) return {};
    const std::string_view option = arguments.sizes.empty() ? "--bind" : "--size";
    return misused(fmt::format("{} is for models, and \"{}\" is none.", option, arguments.program.path),
                   fmt::format("leave out {}", option));
}

/// What is wrong with the name of a C++ function; empty if nothing is.
std::string problem_of_name(const std::string& name) {
    const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    const bool is_name = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                         std::ranges::all_of(name, fits);
    return is_name ? std::string() : fmt::format("\"{}\" isn't the name of a C++ function", name);
}

void declare(Options& options, EmitArguments& to) {
    add_program(options, to.program, program_or_model_kinds);
    add_constants(options, to.program);
    options.value(to.backend, "--backend", "ID",
                  "Whose code; without it, that of the first backend that can");
    options.values(
        to.targets, "--target", "TARGET",
        "The machine, as BACKEND:ARCH or ARCH, or a device here: BACKEND:0; repeated for an artifact, "
        "FILE.muster, where none stores the program alone");
    options.value(to.format, "--format", "FORMAT",
                  "One of the backend's formats; without it, what the file's extension says, else the first");
    add_specs(options, to.specs);
    options.values(to.sizes, "--size", "NAME=NUMBER",
                   "Of a model: sizes that it leaves open, as N=8 or N=8,T=64; repeated for an artifact for "
                   "several sizes");
    options.values(to.binds, "--bind", "NAME=SPEC",
                   "Of a model: an input of the wanted sizes, or whose contents its kernels are made for");
    options.output(to.output, "-o,--output", "The file, or - for standard output").required();
    options.value(to.debug_map, "--debug-map", "FILE",
                  "Also write where each line of code comes from, as JSON");
    options.flag(to.embed, "--embed", "Write an artifact as a C++ header, to be part of a program");
    options
        .value(to.function, "--function", "NAME",
               "The name of the function that gives the embedded artifact. Default: ENTRY_artifact")
        .needs("--embed")
        .check(problem_of_name);
    add_subgroup_size(options, to.subgroup_size);
    add_compile_budget(options, to.compile_budget);
    options.flag(to.parts, "--parts",
                 "Write what a program with grid barriers is split into: FILE with a number for each part, "
                 "and a .json that says in which order a host runs them");
    add_fast(options, to.fast);
    add_json(options, to.json);
    options.footer("\nExample:\n  muster emit examples/saxpy/saxpy.wgsl --backend cpu -o build/saxpy.o");
}

Attempt<Exit> perform(const EmitArguments& arguments) {
    if (arguments.json && arguments.output == "-") return taken_by_json("-o -");
    if (arguments.parts) TRY(check_takes_parts(arguments.output));
    if (is_model(arguments.program.path)) return emit_model(arguments);
    TRY(check_is_no_models_option(arguments));
    const ValidProgram program = TRY(load_program(arguments.program));
    Session session = TRY(
        open_session({.subgroup_size = arguments.subgroup_size, .compile_budget = arguments.compile_budget}));
    if (writes_artifact(arguments)) return emit_artifact(arguments, program, session);
    const EmitOptions options = TRY(step(emit_options(arguments, session)));
    return arguments.parts ? emit_parts(arguments, program, options, session)
                           : emit_whole(arguments, program, options, session);
}

}  // namespace

const Verb verbs::emit{"emit", "Write a program's code for a target; needs no device",
                       command<EmitArguments, declare, perform>};

}  // namespace muster::cli
