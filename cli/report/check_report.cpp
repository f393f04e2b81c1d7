#include <algorithm>

#include <fmt/format.h>

#include <muster/cli/report/check_report.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/conformance/report_json.hpp>

namespace muster::cli {
namespace {

using conformance::Behaviour;
using conformance::CaseOutcome;
using conformance::CaseResult;
using conformance::Deviation;
using conformance::DeviceReport;
using conformance::Fault;

/// The failures of a device that are printed in full; of further ones, a line.
constexpr std::size_t most_in_full = 10;

std::string quoted(const std::string& word) {
    const auto is_plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_-./:").contains(c);
    };
    if (std::ranges::all_of(word, is_plain)) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

/// A count, or nothing: what is rare stands out.
std::string count_text(std::size_t count) { return count == 0 ? "" : std::to_string(count); }

std::string table(const DeviceReport& device) {
    std::vector<Behaviour> rows = device.behaviours();
    Behaviour all{.name = "all"};
    std::size_t width = std::string_view("behaviour").size();
    for (const Behaviour& row : rows) {
        all.cases += row.cases;
        all.passed += row.passed;
        all.beyond_limits += row.beyond_limits;
        all.known_gaps += row.known_gaps;
        all.failed += row.failed;
        width = std::max(width, row.name.size());
    }
    rows.push_back(all);
    std::string text = fmt::format("  {:{}}  {:>10}  {:>13}  {:>10}  {:>6}\n", "behaviour", width, "passed",
                                   "beyond limits", "known gaps", "failed");
    for (const Behaviour& row : rows) {
        const std::string line =
            fmt::format("  {:{}}  {:>10}  {:>13}  {:>10}  {:>6}", row.name, width,
                        fmt::format("{} of {}", row.passed, row.cases), count_text(row.beyond_limits),
                        count_text(row.known_gaps), count_text(row.failed));
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

std::string gap_text(const CaseResult& result) {
    return fmt::format("    {}{}: {}\n", result.name,
                       result.fault == Fault::wrong_result ? ", a wrong result" : "", result.reason);
}

std::string failure_text(const DeviceReport& device, const CaseResult& result) {
    if (result.outcome == CaseOutcome::closed_gap)
        return fmt::format(
            "\n{} on {} passes, but is listed as a known gap{}: {}\nFix: take it out of the list\n",
            result.name, device.id, result.where.empty() ? "" : " (" + result.where + ")", result.reason);
    std::string text = fmt::format("\n{} on {} fails: {}\n  {}\n", result.name, device.id, result.shows,
                                   indented(result.text, 2));
    if (!result.kernel.empty()) {
        const std::string own = first_line(result.text_of_kernel);
        text += fmt::format("  The smallest kernel found that shows it{}:\n    {}\n",
                            own == first_line(result.text) ? "" : " (" + own + ")",
                            indented(result.kernel.substr(0, result.kernel.find_last_not_of('\n') + 1), 4));
        text += fmt::format("  Written to a file, this runs it: muster check --backend {} --case FILE.wgsl\n",
                            device.id);
    }
    return text + "  Repeat: " + repeat_command(device, result) + "\n";
}

std::string failures_text(const DeviceReport& device) {
    std::string in_full, in_short;
    std::size_t count = 0;
    for (const CaseResult& result : device.cases) {
        const bool is_closed = result.outcome == CaseOutcome::closed_gap;
        if (!is_closed && result.outcome != CaseOutcome::failed) continue;
        if (is_closed || ++count <= most_in_full)
            in_full += failure_text(device, result);
        else
            in_short += fmt::format("  {} fails: {}\n", result.name, first_line(result.text));
    }
    return in_full + (in_short.empty() ? "" : "\n") + in_short;
}

std::string device_text(const DeviceReport& device) {
    std::string text = fmt::format("{}  {}\n", device.id, device.info.name);
    if (!device.info.driver.empty()) text += fmt::format("  driver: {}\n", device.info.driver);
    if (!device.info.exactness.exact())
        text += "  It doesn't promise exact arithmetic: exact programs run here only with --inexact-ok.\n";
    text += table(device);
    if (!device.deviations.empty()) text += "  its own arithmetic\n";
    for (const Deviation& deviation : device.deviations)
        text += fmt::format("    {:12}  {}\n", deviation.operation, deviation_text(deviation));
    if (device.count(CaseOutcome::known_gap) != 0) text += "  known gaps\n";
    for (const CaseResult& result : device.cases)
        if (result.outcome == CaseOutcome::known_gap) text += gap_text(result);
    if (device.count(CaseOutcome::beyond_limits) != 0) text += "  beyond limits\n";
    for (const CaseResult& result : device.cases)
        if (result.outcome == CaseOutcome::beyond_limits)
            text += fmt::format("    {}: {}\n", result.name, first_line(result.text));
    text += failures_text(device);
    return text + fmt::format("\n{} {}, in {}.\n\n", device.id, device.conforms() ? "passes" : "doesn't pass",
                              human_time(static_cast<std::uint64_t>(device.took.count())));
}

}  // namespace

std::string deviation_text(const Deviation& deviation) {
    if (!deviation.not_measured.empty()) return "not measured: " + deviation.not_measured;
    std::string text = fmt::format("{}; {} of {} differ",
                                   deviation.promise == Promise::no ? "no promise" : name(deviation.promise),
                                   deviation.differing, deviation.inputs);
    if (deviation.differing != 0) text += fmt::format(", by up to {:.3g} ulp", deviation.largest_ulp);
    return deviation.mode == Precision::fast ? text + " (fast mode)" : text;
}

std::string repeat_command(const DeviceReport& device, const CaseResult& result) {
    return fmt::format("muster check --backend {} --case {}", quoted(device.id), quoted(result.name));
}

std::string check_text(const conformance::Report& report) {
    std::string text;
    for (const DeviceReport& device : report.devices) text += device_text(device);
    if (report.left_out != 0)
        text += fmt::format("The check was interrupted: {} case{} didn't run.\n\n", report.left_out,
                            report.left_out == 1 ? "" : "s");
    return text.substr(0, text.empty() ? 0 : text.size() - 1);
}

std::string result_line(const std::string& device, const CaseResult& result) {
    const std::string fault =
        result.outcome == CaseOutcome::failed ? ": " + first_line(result.text) : std::string();
    return fmt::format("{}  {}  {}, {}{}\n", device, result.name, name(result.outcome),
                       human_time(static_cast<std::uint64_t>(result.took.count())), fault);
}

Json to_json(const conformance::Report& report) {
    Json json = cli::to_json(conformance::report_json(report));
    for (std::size_t i = 0; i < report.devices.size(); ++i) {
        const DeviceReport& device = report.devices[i];
        for (std::size_t k = 0; k < device.cases.size(); ++k)
            if (device.cases[k].outcome != CaseOutcome::passed)
                json["devices"][i]["cases"][k]["repeat"] = repeat_command(device, device.cases[k]);
    }
    return json;
}

}  // namespace muster::cli
