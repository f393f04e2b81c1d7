#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/format.h>

#include <muster/conformance/case_texts.hpp>
#include <muster/conformance/gap.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::conformance {
namespace {

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

struct Halves {
    std::string before, behind;
};

/// The text before and behind a separator; both empty if it isn't there.
Halves cut(const std::string& text, std::string_view separator) {
    const auto at = text.find(separator);
    if (at == std::string::npos) return {};
    return {trimmed(text.substr(0, at)), trimmed(text.substr(at + separator.size()))};
}

Result<Gap> parse_gap(const std::string& line) {
    const auto [where, what] = cut(line, ": ");
    const auto [text, reason] = cut(what, " | ");
    Gap gap{.cases = where, .text = text, .reason = reason};
    if (where.contains(" on ")) {
        const auto [cases, devices] = cut(where, " on ");
        gap.cases = cases;
        gap.devices = devices;
    }
    if (gap.cases.empty() || gap.devices.empty() || gap.text.empty() || gap.reason.empty())
        return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" isn't a gap.", line),
                    "write CASES: TEXT | REASON, or CASES on DEVICES: TEXT | REASON");
    return gap;
}

}  // namespace

Result<std::vector<Gap>> parse_gaps(std::string_view text, std::string_view file) {
    std::vector<Gap> gaps;
    std::istringstream lines{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        line = trimmed(line);
        if (line.empty() || line.starts_with('#')) continue;
        const std::string where = fmt::format("{}:{}", file, number);
        gaps.push_back(TRY(during("reading " + where, parse_gap(line))));
        gaps.back().where = where;
    }
    return gaps;
}

Result<void> check_gaps(std::span<const Gap> gaps) {
    const auto names_one = [](std::span<const CaseText> cases, const std::string& glob) {
        return std::ranges::any_of(cases,
                                   [&](const CaseText& one) { return matches(glob, std::string(one.name)); });
    };
    for (const Gap& gap : gaps) {
        if (names_one(core_case_texts(), gap.cases) || names_one(extension_case_texts(), gap.cases)) continue;
        return during("reading " + (gap.where.empty() ? "the known gaps" : gap.where),
                      Result<void>(fail(ErrorCode::invalid_argument,
                                        fmt::format("No conformance case matches \"{}\".", gap.cases),
                                        "name cases of the suite, or take the gap out of the list")));
    }
    return {};
}

bool concerns(const Gap& gap, const Case& test, const std::string& backend, const DeviceInfo& device) {
    const std::array names{fmt::format("{}:{}", backend, device.ordinal), backend, device.name,
                           device.driver};
    return matches(gap.cases, test.name) &&
           std::ranges::any_of(names, [&](const std::string& name) { return matches(gap.devices, name); });
}

}  // namespace muster::conformance
