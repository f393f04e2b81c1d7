#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/report/sanitize_report.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/foundation/base/source_line.hpp>

namespace muster::cli {
namespace {

Json to_json(SourceLocation where, const Program& program) {
    if (where.line == 0 || where.file >= program.files().size()) return nullptr;
    const SourceFile& file = program.file(where);
    const std::string shown = show_line(where, file);
    return {{"file", file.name},
            {"line", where.line},
            {"column", where.column},
            {"text", shown.substr(0, shown.find('\n'))}};
}

Json to_json(const InvocationId& id) {
    return {{"workgroup", cli::to_json(report::of(id.workgroup))},
            {"local", cli::to_json(report::of(id.local))}};
}

Json to_json(const SanitizeFinding& finding, const Program& program) {
    const Finding& found = finding.finding;
    Json json{{"kind", name(found.kind)},
              {"message", found.message},
              {"fix", finding.fix},
              {"where", to_json(found.where, program)}};
    const bool has_run = !finding.seeds.empty();
    if (!found.variable.empty()) {
        json["variable"] = found.variable;
        json["space"] = name(found.space);
        json["access"] = name(found.access);
    }
    if (!found.place.empty()) json["place"] = found.place;
    if (found.kind == FindingKind::out_of_bounds) {
        json["index"] = found.index;
        json["length"] = found.length;
    }
    if (has_run) json["invocation"] = to_json(found.invocation);
    if (found.other_where) {
        Json other{{"where", to_json(*found.other_where, program)}};
        if (found.other) {
            other["access"] = name(found.other_access);
            json["between_workgroups"] = found.between_workgroups;
            other["invocation"] = to_json(*found.other);
        }
        json["other"] = std::move(other);
    }
    if (has_run) {
        json["times"] = found.times;
        json["seeds"] = finding.seeds;
    }
    return json;
}

std::string counted(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string seeds_of(const SanitizeReport& report) {
    std::vector<std::uint64_t> seeds;
    for (const SanitizeRun& run : report.runs) seeds.push_back(run.seed);
    return fmt::format("{} {}", seeds.size() == 1 ? "seed" : "seeds", fmt::join(seeds, ", "));
}

}  // namespace

std::string SanitizeOutput::text() const {
    std::string text;
    for (const SanitizeFinding& finding : report.findings) text += render(finding, report, program) + "\n\n";
    return text + summary();
}

std::string SanitizeOutput::summary() const {
    const std::uint64_t count = report.findings.size() + report.findings_left_out;
    std::string text =
        fmt::format("{}: {}", program.entry(), count == 0 ? "no findings" : counted(count, "finding"));
    const auto to = std::back_inserter(text);
    if (report.findings_left_out != 0) fmt::format_to(to, ", {} of them not shown", report.findings_left_out);
    if (grid == nullptr) return text + "; nothing was run, since every backend refuses this program.\n";

    const Extent3 groups = grid->workgroups, size = program.workgroup_size();
    const std::uint64_t all = groups.count();
    const std::uint64_t each = report.runs.front().workgroups;
    if (all == 0)
        return fmt::format("{}: nothing was run, since the grid has no workgroups.\n", program.entry());
    if (!report.is_sample())
        fmt::format_to(to, " in {}", all == 1 ? "the one workgroup" : fmt::format("all {} workgroups", all));
    else if (report.runs.size() == 1)
        fmt::format_to(to, " in {} of {} workgroups", each, all);
    else
        fmt::format_to(to, " in {} of {} workgroups, {} at a time", report.workgroups, all, each);
    fmt::format_to(to, ", with {}\n  grid   {} x {} x {} workgroups of {} x {} x {}: {}\n", seeds_of(report),
                   groups.x, groups.y, groups.z, size.x, size.y, size.z, grid->origin);
    if (report.is_sample())
        text +=
            "  This is a sample: what it finds is true, but there may be more. --sample all runs every "
            "workgroup.\n";
    if (!report.runs.back().ended)
        fmt::format_to(to,
                       "  The run with seed {} didn't end within --max-steps; nothing was run after it.\n",
                       report.runs.back().seed);
    return text;
}

Json SanitizeOutput::json() const {
    Json json{{"program", path},
              {"entry", program.entry()},
              {"fingerprint", to_string(program.fingerprint())},
              {"clean", report.findings.empty()},
              {"grid", nullptr},
              {"subgroup_size", subgroup_size},
              {"workgroups",
               {{"run", report.workgroups}, {"of", report.grid.count()}, {"sample", report.is_sample()}}},
              {"runs", Json::array()},
              {"findings", Json::array()},
              {"findings_left_out", report.findings_left_out}};
    if (grid != nullptr)
        json["grid"] = {{"workgroups", cli::to_json(report::of(grid->workgroups))},
                        {"workgroup_size", cli::to_json(report::of(program.workgroup_size()))},
                        {"from", grid->origin}};
    for (const SanitizeRun& run : report.runs)
        json["runs"].push_back(
            {{"seed", run.seed}, {"workgroups", run.workgroups}, {"steps", run.steps}, {"ended", run.ended}});
    for (const SanitizeFinding& finding : report.findings)
        json["findings"].push_back(to_json(finding, program));
    return json;
}

}  // namespace muster::cli
