#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include <muster/cli/commands.hpp>
#include <muster/cli/file.hpp>
#include <muster/cli/json.hpp>
#include <muster/cli/program_file.hpp>
#include <muster/cli/spec.hpp>
#include <muster/cli/text.hpp>
#include <muster/foundation/try.hpp>

namespace muster::cli {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// One line per step from the target's code to the source: {"target": 12, "source": "saxpy.wgsl:7:5"}.
std::string debug_map_text(const Artifact& artifact) {
    std::string text;
    for (const DebugEntry& entry : artifact.debug_map) {
        Json json{{"target", entry.target}};
        if (entry.source.file < artifact.files.size()) {
            json["source"] = to_string(entry.source, artifact.files[entry.source.file]);
        }
        text += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    return text;
}

Json artifact_json(const EmitArguments& arguments, const Artifact& artifact) {
    Json json{{"program", arguments.program.path},
              {"entry", artifact.entry},
              {"fingerprint", to_string(artifact.fingerprint)},
              {"mode", "emit-only"},
              {"target", artifact.target},
              {"format", artifact.format},
              {"precision", arguments.fast ? "fast" : "exact"},
              {"bytes", artifact.bytes.size()},
              {"file", arguments.output},
              {"workgroup_size", to_json(artifact.workgroup_size)},
              {"bindings", Json::array()},
              {"debug_entries", artifact.debug_map.size()},
              {"side_files", Json::array()}};
    for (const BindingLayout& binding : artifact.bindings) {
        json["bindings"].push_back({{"name", binding.name},
                                    {"group", binding.group},
                                    {"binding", binding.binding},
                                    {"space", name(binding.space)},
                                    {"access", name(binding.access)},
                                    {"type", binding.type},
                                    {"min_bytes", binding.min_bytes}});
    }
    for (const auto& [name, text] : artifact.side_files) json["side_files"].push_back(name);
    return json;
}

void print_text(const EmitArguments& arguments, const Artifact& artifact) {
    fmt::print("{} for {} as {}: {} in {}\n", artifact.entry, artifact.target, artifact.format,
               human_bytes(artifact.bytes.size()), arguments.output);
    for (const BindingLayout& binding : artifact.bindings) {
        fmt::print("  group {}, binding {}: {}, {} {}, {}\n", binding.group, binding.binding, binding.name,
                   name(binding.space), name(binding.access), binding.type);
    }
}

Attempt<void> write_files(const EmitArguments& arguments, const Artifact& artifact) {
    TRY(step(Exit::failed, write_file(arguments.output, artifact.bytes)));
    if (!arguments.debug_map.empty()) {
        TRY(step(Exit::failed, write_file(arguments.debug_map, bytes_of(debug_map_text(artifact)))));
    }
    if (arguments.output == "-") return {};
    const std::filesystem::path folder = std::filesystem::path(arguments.output).parent_path();
    for (const auto& [name, text] : artifact.side_files) {
        TRY(step(Exit::failed,
                 write_file((folder / std::filesystem::path(name).filename()).string(), bytes_of(text))));
    }
    return {};
}

}  // namespace

Attempt<Exit> run_emit(const EmitArguments& arguments) {
    if (arguments.json && arguments.output == "-") return std::unexpected(taken_by_json("-o -"));
    const ValidProgram program = TRY(load_program(arguments.program));
    EmitOptions options{.backend = arguments.backend, .arch = arguments.target, .request = {}};
    options.request.format = arguments.format;
    options.request.options.precision = arguments.fast ? Precision::fast : Precision::exact;
    options.request.options.specs = TRY(step(Exit::usage, split_assignments(arguments.specs, "--spec")));

    Session session = TRY(open_session({}));
    const Artifact artifact = TRY(step(session.emit(program, options)));
    TRY(write_files(arguments, artifact));
    if (arguments.output == "-") return Exit::done;  // standard output is the code's
    if (arguments.json) {
        print_json(artifact_json(arguments, artifact));
    } else {
        print_text(arguments, artifact);
    }
    return Exit::done;
}

}  // namespace muster::cli
