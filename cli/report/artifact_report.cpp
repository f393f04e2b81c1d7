#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/report/artifact_report.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/routing/grid_barriers.hpp>

namespace muster::cli {
namespace {

/// Whether a code is of the whole program, or of which of the parts for its target.
std::string part_name(const ArtifactFile& file, std::size_t which) {
    const Artifact& code = file.codes[which];
    if (code.fingerprint == file.program->fingerprint()) return {};
    if (const auto idle = idle_kernel(); idle && code.fingerprint == (*idle)->fingerprint())
        return "the kernel that waits for parts";
    std::size_t number = 1;
    for (std::size_t i = 0; i < which; ++i)
        number +=
            file.codes[i].target == code.target && file.codes[i].fingerprint != file.program->fingerprint()
                ? 1
                : 0;
    return fmt::format("part {}", number);
}

/// The devices that a code fits, and the objections of the others.
struct Fit {
    std::vector<std::string> devices, objections;
};

Fit fit_of(Fleet& fleet, const Artifact& code) {
    const std::string id = code.target.substr(0, code.target.find(':'));
    const auto which = fleet.find(id);
    if (!which) return {{}, {fmt::format("no backend {} is linked or in a plugin", id)}};
    const auto backend = fleet.backend(*which);
    if (!backend) return {{}, {backend.error().message}};
    const ProbeResult& probe = fleet.probe(*which);
    Fit fit;
    for (const DeviceInfo& device : probe.devices) {
        const std::string objection = (*backend)->objection(code, device);
        if (objection.empty())
            fit.devices.push_back(device_id(id, device));
        else
            fit.objections.push_back(fmt::format("{}: {}", device_id(id, device), objection));
    }
    if (probe.devices.empty())
        fit.objections.push_back(probe.state == ProbeState::answered
                                     ? fmt::format("{} has no device here", id)
                                     : probe.error.message);
    return fit;
}

}  // namespace

std::string artifact_file_text(const ArtifactFile& file, const std::string& path,
                               std::span<const std::byte> bytes) {
    const Program& program = *file.program;
    const Extent3 size = program.workgroup_size();
    std::string text = fmt::format("{}: {}, {}\n  workgroups of {} x {} x {}, fingerprint {}\n  sha256 {}\n",
                                   path, program.entry(), human_bytes(bytes.size()), size.x, size.y, size.z,
                                   to_string(program.fingerprint()), to_string(digest_of(bytes)));
    for (const BindingLayout& binding : binding_layouts(program))
        text += fmt::format("  group {}, binding {}: {}, {} {}, {}\n", binding.group, binding.binding,
                            binding.name, name(binding.space), name(binding.access), binding.type);
    for (std::size_t i = 0; i < file.codes.size(); ++i) {
        const Artifact& code = file.codes[i];
        const std::string part = part_name(file, i);
        text += fmt::format("  code for {}{}{}: {}, {}, {}\n", code.target, part.empty() ? "" : ", ", part,
                            code.format, name(code.options.precision), human_bytes(code.bytes.size()));
    }
    return text;
}

Json artifact_file_json(const ArtifactFile& file, const std::string& path, std::span<const std::byte> bytes) {
    Json json{{"file", path}, {"bytes", bytes.size()}, {"sha256", to_string(digest_of(bytes))}};
    json.update(to_json(report::of(file)));
    return json;
}

std::string artifact_header(const ArtifactFile& file, std::span<const std::byte> bytes,
                            const std::string& function) {
    const std::string name = function.empty() ? std::string(file.program->entry()) + "_artifact" : function;
    std::vector<std::string> targets;
    for (const Artifact& code : file.codes)
        if (std::ranges::find(targets, code.target) == targets.end()) targets.push_back(code.target);
    std::string text = fmt::format(
        "// An artifact of muster: {}{}.\n"
        "//\n"
        "//     auto file = muster::read_artifact_file({}());\n"
        "//     auto kernel = session.prepare(*file);\n"
        "#pragma once\n\n"
        "#include <cstddef>\n#include <span>\n\n"
        "inline std::span<const std::byte> {}() {{\n"
        "    static constexpr unsigned char bytes[] = {{",
        file.program->entry(), targets.empty() ? "" : fmt::format(" for {}", fmt::join(targets, ", ")), name,
        name);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        text +=
            fmt::format("{}{}", i % 24 == 0 ? "\n        " : "", std::to_integer<unsigned>(bytes[i])) + ",";
    return text + "\n    };\n    return std::as_bytes(std::span(bytes));\n}\n";
}

std::string debug_map_text(const ArtifactFile& file) {
    std::string text;
    for (const Artifact& code : file.codes)
        for (const DebugEntry& entry : code.debug_map)
            text += fmt::format("{} {:#x}  {}\n", code.target, entry.target,
                                entry.source.file < code.files.size()
                                    ? to_string(entry.source, code.files[entry.source.file])
                                    : std::string("an unknown place"));
    return text;
}

std::string fits_text(Fleet& fleet, const ArtifactFile& file) {
    std::string text = "Stored code:\n";
    for (std::size_t i = 0; i < file.codes.size(); ++i) {
        const Fit fit = fit_of(fleet, file.codes[i]);
        const std::string part = part_name(file, i);
        text += fmt::format("  {}{}{}  {}\n", file.codes[i].target, part.empty() ? "" : ", ", part,
                            fit.devices.empty()
                                ? fmt::format("fits nothing here: {}", fmt::join(fit.objections, "; "))
                                : fmt::format("fits {}", fmt::join(fit.devices, ", ")));
    }
    return text;
}

Json fits_json(Fleet& fleet, const ArtifactFile& file) {
    Json json = Json::array();
    for (const Artifact& code : file.codes) {
        const Fit fit = fit_of(fleet, code);
        json.push_back({{"target", code.target},
                        {"format", code.format},
                        {"fingerprint", to_string(code.fingerprint)},
                        {"fits", fit.devices},
                        {"objections", fit.objections}});
    }
    return json;
}

}  // namespace muster::cli
