#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <muster/cli/report/output.hpp>
#include <muster/cli/report/run_report.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cli/support/text.hpp>

namespace muster::cli {
namespace {

/// Calls `each` with the bindings that are outputs.
template <class Each>
void for_each_output(const Program& program, const HostBuffers& host, const NamedTexts& outputs,
                     Each&& each) {
    for (const VariableId id : program.bindings()) {
        const Variable& variable = program.variable(id);
        const bool is_asked =
            std::ranges::any_of(outputs, [&](const auto& output) { return output.first == variable.name; });
        if (variable.is_written || is_asked) each(variable, host.find(variable.name)->second);
    }
}

}  // namespace

std::string outputs_text(const Program& program, const HostBuffers& host, const NamedTexts& outputs) {
    std::string text;
    const TypeTable& types = program.types();
    for_each_output(program, host, outputs, [&](const Variable& variable, const HostBuffer& buffer) {
        fmt::format_to(std::back_inserter(text), "  {}: {}, {} elements, xxh3 {:016x}\n    {}\n",
                       variable.name, types.name(variable.type),
                       element_count(types, variable.type, buffer.bytes.size()),
                       checksum(types, variable.type, buffer), preview(types, variable.type, buffer));
    });
    return text;
}

Json outputs_json(const Program& program, const HostBuffers& host, const NamedTexts& outputs) {
    Json json = Json::array();
    const TypeTable& types = program.types();
    for_each_output(program, host, outputs, [&](const Variable& variable, const HostBuffer& buffer) {
        json.push_back({{"name", variable.name},
                        {"type", types.name(variable.type)},
                        {"count", element_count(types, variable.type, buffer.bytes.size())},
                        {"xxh3", fmt::format("{:016x}", checksum(types, variable.type, buffer))}});
    });
    return json;
}

Json RunReport::json() const {
    const Extent3 groups = grid.workgroups;
    Json json{{"program", path},
              {"entry", program().entry()},
              {"fingerprint", to_string(program().fingerprint())},
              {"id", device_id(kernel.backend(), kernel.device())},
              {"backend", kernel.backend()},
              {"device", kernel.device().name},
              {"ordinal", kernel.device().ordinal},
              {"mode", kernel.route().mode()},
              {"precision", name(precision)},
              {"grid",
               {{"workgroups", to_json(report::of(groups))},
                {"workgroup_size", to_json(report::of(program().workgroup_size()))},
                {"from", grid.origin}}},
              {"runs", runs},
              {"wall_ns", to_json(measured.wall_ns)},
              {"device_ns", measured.device_ns ? to_json(*measured.device_ns) : Json()},
              {"first_ns", first_ns},
              {"optimized", !is_quick},
              {"notes", route.decision().notes},
              {"outputs", outputs_json(program(), host, outputs)}};
    if (from_artifact)
        json["code"] = {{"stored", kernel.artifact().is_stored}, {"target", kernel.artifact().target}};
    return json;
}

std::string RunReport::text() const {
    const Extent3 groups = grid.workgroups, size = program().workgroup_size();
    std::string text;
    const auto to = std::back_inserter(text);
    fmt::format_to(to, "{} on {} ({}), {}\n", program().entry(), device_id(kernel.backend(), kernel.device()),
                   kernel.device().name, name(precision));
    fmt::format_to(to, "  grid   {} x {} x {} workgroups of {} x {} x {}: {}\n", groups.x, groups.y, groups.z,
                   size.x, size.y, size.z, grid.origin);
    if (from_artifact)
        fmt::format_to(to, "  code   {}\n",
                       kernel.artifact().is_stored ? "for " + kernel.artifact().target + ", as stored"
                                                   : "compiled here: none that is stored does");
    if (is_quick) text += "  code   quick; later runs have optimised code\n";
    const Spread& wall = measured.wall_ns;
    if (runs == 1) {
        fmt::format_to(to, "  time   {}", human_time(wall.median));
    } else {
        fmt::format_to(to, "  time   {} (median of {} runs, {} to {})", human_time(wall.median), runs,
                       human_time(wall.min), human_time(wall.max));
    }
    fmt::format_to(to, ", on the device {}; first result after {}\n",
                   measured.device_ns ? human_time(measured.device_ns->median) : "not measured",
                   human_time(first_ns));
    return text + outputs_text(program(), host, outputs);
}

}  // namespace muster::cli
