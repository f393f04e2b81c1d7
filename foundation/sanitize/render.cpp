#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <muster/foundation/base/source_line.hpp>
#include <muster/foundation/sanitize/sanitize.hpp>

namespace muster {
namespace {

/// `file:line:column: text` and the line; without a location, the entry point's name and the text.
std::string at(SourceLocation where, std::string_view text, const Program& program) {
    if (where.line == 0 || where.file >= program.files().size())
        return fmt::format("{}: {}", program.entry(), text);
    const SourceFile& file = program.file(where);
    std::string shown = fmt::format("{}: {}", to_string(where, file), text);
    if (const std::string line = show_line(where, file); !line.empty()) shown += "\n" + line;
    return shown;
}

std::string_view name_of_other(const SanitizeFinding& finding) {
    if (finding.finding.kind != FindingKind::data_race) return "the branch:";
    return finding.finding.other_access == AccessKind::read ? "the earlier read:" : "the earlier write:";
}

std::string seen(const SanitizeFinding& finding, const SanitizeReport& report) {
    const std::uint64_t times = finding.finding.times;
    std::string text = times == 1 ? "Seen once" : fmt::format("Seen {} times", times);
    if (finding.finding.between_workgroups &&
        finding.finding.invocation.workgroup == finding.finding.other->workgroup)
        text += ", also between workgroups";
    if (report.runs.size() == 1) return text + fmt::format(", with seed {}.", finding.seeds.front());
    return text + fmt::format(", with {} of {} seeds, seed {} first.", finding.seeds.size(),
                              report.runs.size(), finding.seeds.front());
}

}  // namespace

std::string render(const SanitizeFinding& finding, const SanitizeReport& report, const Program& program) {
    const Finding& found = finding.finding;
    std::string text = at(found.where, fmt::format("{}: {}", name(found.kind), found.message), program);
    if (found.other_where && *found.other_where != found.where)
        text += "\n" + at(*found.other_where, name_of_other(finding), program);
    if (!finding.seeds.empty()) text += "\n" + seen(finding, report);
    if (!finding.fix.empty()) text += "\nFix: " + finding.fix;
    return text;
}

}  // namespace muster
