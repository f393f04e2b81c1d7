#include <algorithm>

#include <fmt/format.h>

#include <muster/cli/report/check_html.hpp>
#include <muster/cli/report/check_report.hpp>
#include <muster/cli/support/svg.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::cli {
namespace {

using conformance::Behaviour;
using conformance::CaseOutcome;
using conformance::CaseResult;
using conformance::Deviation;
using conformance::DeviceReport;
using conformance::Fault;

// Colours that differ for colour-blind readers too (blue, yellow, vermilion of Okabe and Ito's palette);
// outcomes also have words and, in the bars, patterns.
constexpr std::string_view style = R"(
:root { color-scheme: light dark; --page: #fbfbfa; --card: #fff; --ink: #1c2024; --soft: #60646c; --line: #e2e4e8;
  --pass: #0072b2; --limit: #b9bec6; --gap: #e69f00; --fail: #d55e00;
  --gap-ink: #8a5a00; --fail-ink: #b34700; --code: #f3f4f6; }
@media (prefers-color-scheme: dark) { :root { --page: #14161a; --card: #1c1f24; --ink: #e8eaed; --soft: #9aa1ab;
  --line: #30353d; --pass: #56b4e9; --limit: #5b626d; --gap: #f0b429; --fail: #ff8a4c; --gap-ink: #f0b429;
  --fail-ink: #ff9d66; --code: #14161a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; margin: 0; letter-spacing: -.01em; }
h2 { font-size: 1.2rem; margin: 0; }
h3 { font-size: .8rem; margin: 1.75rem 0 .5rem; color: var(--soft); text-transform: uppercase; letter-spacing: .06em; }
p { margin: .25rem 0; }
.soft { color: var(--soft); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.5rem; margin-top: 1.5rem; }
.head { display: flex; gap: 1rem; justify-content: space-between; align-items: flex-start; }
.badge { flex: none; border-radius: 99px; padding: .15rem .8rem; font-weight: 600; border: 1.5px solid currentColor; }
.badge.pass { color: var(--pass); } .badge.fail { color: var(--fail-ink); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .75rem 1.5rem; margin: 1.25rem 0 0; }
dt { color: var(--soft); font-size: .8rem; } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); vertical-align: middle; }
thead th { border-top: 0; color: var(--soft); font-weight: 500; font-size: .8rem; }
tbody th { font-weight: 500; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.bars { width: 42%; }
.bar { display: flex; height: .75rem; border-radius: 4px; overflow: hidden; background: var(--line); }
.bar i { display: block; min-width: 5px; }
.passed { background: var(--pass); } .limit { background: var(--limit); }
.gap { background: repeating-linear-gradient(90deg, var(--gap) 0 4px, transparent 4px 6px), var(--card); }
.failed { background: repeating-linear-gradient(45deg, var(--fail) 0 5px, var(--card) 5px 7px); }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: .75rem; font-size: .85rem; color: var(--soft); }
.key i { display: inline-block; width: 1.1rem; height: .7rem; border-radius: 3px; margin-right: .4rem; }
details { border-top: 1px solid var(--line); padding: .55rem 0; }
details:last-of-type { border-bottom: 1px solid var(--line); }
summary { cursor: pointer; } summary b { font-weight: 600; }
summary .what { font-weight: 600; } .what.is-failed { color: var(--fail-ink); } .what.is-gap { color: var(--gap-ink); }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem; margin: .5rem 0 .75rem;
  overflow-x: auto; font: 13px/1.45 ui-monospace, "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace; }
@media (max-width: 40rem) { td.bars, th.bars { display: none; } .head { flex-direction: column; } }
)";

/// Text from outside, such as a driver's name: what isn't printable is shown as escapes.
std::string foreign(std::string_view text) {
    std::string lines;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find_first_of("\n\t"), text.size());
        lines += xml_text(text.substr(0, length));
        if (length < text.size()) lines += text[length];
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return lines;
}

std::string fact(std::string_view what, std::string_view value) {
    return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", what, foreign(value));
}

std::string facts(const DeviceInfo& info) {
    const DeviceLimits& limits = info.limits;
    const Extent3 size = limits.max_workgroup_size;
    std::string text = "<dl>\n";
    if (!info.driver.empty()) text += fact("Driver", info.driver);
    text += fact(
        "Kind", fmt::format("{}{}", name(info.kind), info.software_emulated ? ", emulated in software" : ""));
    text += fact("Architecture", info.arch);
    text += fact("Memory", info.memory_bytes == 0 ? "unknown" : human_bytes(info.memory_bytes));
    text += fact("Invocations per workgroup",
                 fmt::format("{} ({} × {} × {})", limits.max_workgroup_invocations, size.x, size.y, size.z));
    text += fact("Workgroup memory", human_bytes(limits.max_workgroup_bytes));
    text += fact("Largest binding", human_bytes(limits.max_storage_binding_bytes));
    text += fact("Private memory", human_bytes(limits.max_private_bytes));
    text += fact("Subgroup", fmt::format("{}", info.subgroup_size));
    return text + "</dl>\n";
}

/// A part of a bar, as wide as its share.
std::string part(std::string_view kind, std::size_t count) {
    return count == 0 ? "" : fmt::format("<i class=\"{}\" style=\"flex:{}\"></i>", kind, count);
}

std::string row(const Behaviour& one, std::string_view tag) {
    std::string notes;
    const auto note = [&](std::size_t count, std::string_view what) {
        if (count != 0) notes += fmt::format("{}{} {}", notes.empty() ? "" : ", ", count, what);
    };
    note(one.failed, "failed");
    note(one.known_gaps, one.known_gaps == 1 ? "known gap" : "known gaps");
    note(one.beyond_limits, "beyond limits");
    return fmt::format(
        "<tr><{0} scope=\"row\">{1}</{0}><td class=\"bars\"><div class=\"bar\">{2}{3}{4}{5}</div></td>"
        "<td class=\"number\">{6} of {7}</td><td>{8}</td></tr>\n",
        tag, foreign(one.name), part("passed", one.passed), part("limit", one.beyond_limits),
        part("gap", one.known_gaps), part("failed", one.failed), one.passed, one.cases, notes);
}

std::string behaviours(const DeviceReport& device) {
    std::string text =
        "<h3>Behaviours</h3>\n<table><thead><tr><th>Behaviour</th><th class=\"bars\"></th>"
        "<th class=\"number\">Passed</th><th></th></tr></thead><tbody>\n";
    for (const Behaviour& one : device.behaviours()) text += row(one, "th");
    return text +
           "</tbody></table>\n<div class=\"key\"><span><i class=\"passed\"></i>passed</span>"
           "<span><i class=\"failed\"></i>failed</span><span><i class=\"gap\"></i>known gap</span>"
           "<span><i class=\"limit\"></i>beyond the device’s limits</span></div>\n";
}

std::string arithmetic(const DeviceReport& device) {
    if (device.deviations.empty()) return "";
    std::string text =
        "<h3>Its own arithmetic</h3>\n<table><thead><tr><th>Operation</th><th>Promise</th><th>Measured "
        "in</th>"
        "<th class=\"number\">Results that differ</th><th class=\"number\">At "
        "most</th></tr></thead><tbody>\n";
    for (const Deviation& one : device.deviations) {
        text += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>", xml_text(one.operation),
                            one.promise == Promise::no ? "none" : name(one.promise));
        if (!one.not_measured.empty())
            text += fmt::format("<td colspan=\"3\">not measured: {}</td></tr>\n", foreign(one.not_measured));
        else
            text += fmt::format(
                "<td>{} mode</td><td class=\"number\">{} of {}</td><td class=\"number\">{}</td></tr>\n",
                name(one.mode), one.differing, one.inputs,
                one.differing == 0 ? "" : fmt::format("{:.3g} ulp", one.largest_ulp));
    }
    return text +
           "</tbody></table>\n<p class=\"soft\">Compared with correct rounding. Exact mode computes what a "
           "device doesn’t "
           "promise with other operations, so deviations here aren’t failures.</p>\n";
}

/// A case that didn't pass, to unfold; `open`: unfolded.
std::string details(const DeviceReport& device, const CaseResult& result, bool open) {
    const bool is_gap = result.outcome == CaseOutcome::known_gap;
    const bool is_closed = result.outcome == CaseOutcome::closed_gap;
    std::string_view what = "failed";
    if (is_closed) what = "passes, but is listed as a gap";
    if (is_gap) what = result.fault == Fault::wrong_result ? "known gap, a wrong result" : "known gap";
    std::string text =
        fmt::format("<details{}><summary><b>{}</b> <span class=\"what {}\">{}</span></summary>\n<p>{}</p>\n",
                    open ? " open" : "", foreign(result.name), is_gap ? "is-gap" : "is-failed", what,
                    foreign(result.shows));
    if (!result.reason.empty())
        text += fmt::format("<p class=\"soft\">The list says{}: {}</p>\n",
                            result.where.empty() ? "" : " (" + foreign(result.where) + ")",
                            foreign(result.reason));
    if (!result.text.empty()) text += fmt::format("<pre>{}</pre>\n", foreign(result.text));
    if (!result.kernel.empty()) {
        const std::string own = first_line(result.text_of_kernel);
        text +=
            fmt::format("<p>The smallest kernel found that shows it{}</p>\n<pre>{}</pre>\n",
                        own == first_line(result.text) ? "" : foreign(": " + own), foreign(result.kernel));
    }
    return text + fmt::format("<p class=\"soft\">Repeat</p>\n<pre>{}</pre>\n</details>\n",
                              foreign(repeat_command(device, result)));
}

std::string list(const DeviceReport& device, std::string_view title, bool gaps) {
    constexpr std::size_t most_open = 3;  // further ones are to be looked for
    std::string text;
    std::size_t count = 0;
    for (const CaseResult& result : device.cases) {
        const bool is_failure =
            result.outcome == CaseOutcome::failed || result.outcome == CaseOutcome::closed_gap;
        if (gaps ? result.outcome == CaseOutcome::known_gap : is_failure)
            text += details(device, result, !gaps && ++count <= most_open);
    }
    return text.empty() ? "" : fmt::format("<h3>{}</h3>\n{}", title, text);
}

std::string card(const DeviceReport& device) {
    const bool passes = device.conforms();
    std::string text = fmt::format(
        "<section class=\"card\">\n<div class=\"head\"><div><h2>{}</h2><p class=\"soft\">{}</p></div>"
        "<span class=\"badge {}\">{}</span></div>\n",
        foreign(device.info.name), foreign(device.id), passes ? "pass" : "fail",
        passes ? "✓ passes" : "✗ fails");
    if (!device.info.exactness.exact())
        text +=
            "<p>It doesn’t promise exact arithmetic: exact programs run here only if that is allowed.</p>\n";
    text += facts(device.info);
    text += behaviours(device);
    text += list(device, "Failures", false);
    text += list(device, "Known gaps", true);
    text += arithmetic(device);
    return text + "</section>\n";
}

std::string summary(const conformance::Report& report) {
    const std::size_t devices = report.devices.size();
    const std::size_t cases = devices == 0 ? 0 : report.devices.front().cases.size();
    const auto failing = static_cast<std::size_t>(
        std::ranges::count_if(report.devices, [](const DeviceReport& one) { return !one.conforms(); }));
    const std::string result = failing == 0        ? devices == 1 ? "it passes" : "all pass"
                               : failing < devices ? fmt::format("{} of them fail", failing)
                               : devices == 1      ? "it fails"
                                                   : "all fail";
    const std::string left_out =
        report.left_out == 0 ? "" : fmt::format("; interrupted, {} left out", report.left_out);
    return fmt::format("{} case{} on {} device{}: {}{}", cases, cases == 1 ? "" : "s", devices,
                       devices == 1 ? "" : "s", result, left_out);
}

}  // namespace

std::string check_html(const conformance::Report& report) {
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>muster check</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n"
        "<h1>Conformance</h1>\n<p class=\"soft\">muster {}, {}. Every result is compared with the "
        "interpreter’s, "
        "bit for bit.</p>\n",
        style, MUSTER_VERSION, summary(report));
    for (const DeviceReport& device : report.devices) text += card(device);
    return text + "</main>\n</body>\n</html>\n";
}

}  // namespace muster::cli
