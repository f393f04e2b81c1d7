#include <filesystem>

#include <fmt/format.h>

#include <muster/cli/command/emit_files.hpp>
#include <muster/cli/report/artifact_report.hpp>
#include <muster/cli/report/split_json.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

Json names_of_side_files(const Artifact& artifact) {
    Json json = Json::array();
    for (const auto& [name, text] : artifact.side_files) json.push_back(name);
    return json;
}

}  // namespace

Attempt<void> write_artifact(const Artifact& artifact, const std::string& path) {
    TRY(step(Exit::failed, write_file(path, artifact.bytes)));
    if (path == "-") return {};
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    for (const auto& [name, text] : artifact.side_files) {
        TRY(step(Exit::failed, write_text((folder / std::filesystem::path(name).filename()).string(), text)));
    }
    return {};
}

Attempt<void> write_debug_map(const Artifact& artifact, const std::string& path) {
    std::string text;
    for (const DebugEntry& entry : artifact.debug_map) {
        Json json{{"target", entry.target}};
        if (entry.source.file < artifact.files.size()) {
            json["source"] = to_string(entry.source, artifact.files[entry.source.file]);
        }
        text += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    return step(Exit::failed, write_text(path, text));
}

Json artifact_json(const EmitArguments& arguments, const Artifact& artifact) {
    return {{"program", arguments.program.path},
            {"entry", artifact.entry},
            {"fingerprint", to_string(artifact.fingerprint)},
            {"emitted_fingerprint", to_string(artifact.emitted_fingerprint)},
            {"mode", "emit-only"},
            {"target", artifact.target},
            {"format", artifact.format},
            {"precision", arguments.fast ? "fast" : "exact"},
            {"bytes", artifact.bytes.size()},
            {"file", arguments.output},
            {"workgroup_size", to_json(report::of(artifact.workgroup_size))},
            {"bindings", to_json(report::of(artifact.bindings))},
            {"debug_entries", artifact.debug_map.size()},
            {"side_files", names_of_side_files(artifact)}};
}

std::string with_infix(const std::string& path, const std::string& infix) {
    const std::filesystem::path whole(path);
    return (whole.parent_path() / (whole.stem().string() + "." + infix + whole.extension().string()))
        .string();
}

Attempt<Json> write_parts(const EmitArguments& arguments, const ValidProgram& program,
                          const EmittedParts& emitted) {
    const Artifact& first = emitted.parts.front();
    Json json{{"program", arguments.program.path},
              {"entry", program->entry()},
              {"fingerprint", to_string(program->fingerprint())},
              {"mode", "emit-parts"},
              {"target", first.target},
              {"format", first.format},
              {"precision", arguments.fast ? "fast" : "exact"},
              {"workgroup_size", to_json(report::of(program->workgroup_size()))},
              {"bindings", to_json(report::of(binding_layouts(*program)))},
              {"parts", Json::array()}};
    for (std::size_t i = 0; i < emitted.parts.size(); ++i) {
        const Artifact& part = emitted.parts[i];
        const std::string path = with_infix(arguments.output, std::to_string(i + 1));
        TRY(write_artifact(part, path));
        if (!arguments.debug_map.empty())
            TRY(write_debug_map(part, with_infix(arguments.debug_map, std::to_string(i + 1))));
        Json one{{"entry", part.entry},
                 {"file", std::filesystem::path(path).filename().string()},
                 {"side_files", names_of_side_files(part)}};
        one.update(part_json(*emitted.split, emitted.split->parts[i]));
        json["parts"].push_back(std::move(one));
    }
    json.update(split_json(*emitted.split));
    const std::string path = std::filesystem::path(arguments.output).replace_extension(".json").string();
    TRY(step(Exit::failed, write_text(path, json_text(json))));
    return json;
}

}  // namespace muster::cli
