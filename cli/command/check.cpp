#include <algorithm>
#include <span>

#include <fmt/format.h>

#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/report/check_html.hpp>
#include <muster/cli/report/check_report.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/progress.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/conformance/check.hpp>
#include <muster/driver/platform/signals.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

struct CheckArguments {
    std::vector<std::string> backends;
    std::vector<std::string> cases;  // globs of names, and files of cases; empty: the whole suite
    std::string timeout;             // as in RunArguments
    std::string gaps;                // file; empty: none
    std::string json;                // file, or -; empty: none
    std::string html;                // the same
    bool list = false;
};

using conformance::Case;

constexpr std::uint64_t most_text = 1 << 20;

Result<std::string> read_text(const std::string& path) {
    return std::string(as_text(TRY(read_file(path, most_text))));
}

/// The cases that are named: the suite's by globs, the user's own by files.
Result<std::vector<Case>> cases_of(const CheckArguments& arguments) {
    std::vector<std::string> globs;
    std::vector<Case> own;
    for (const std::string& named : arguments.cases) {
        if (extension_of(named) == ".wgsl")
            own.push_back(TRY(conformance::parse_case(named, TRY(read_text(named)))));
        else
            globs.push_back(named);
    }
    std::vector<Case> cases;
    if (!globs.empty())
        cases = TRY(conformance::select_cases(globs));
    else if (own.empty())
        cases = TRY(conformance::load_cases());
    cases.insert(cases.end(), own.begin(), own.end());
    return cases;
}

Result<std::vector<conformance::Gap>> gaps_of(const CheckArguments& arguments) {
    if (arguments.gaps.empty()) return std::vector<conformance::Gap>{};
    std::vector<conformance::Gap> gaps =
        TRY(conformance::parse_gaps(TRY(read_text(arguments.gaps)), arguments.gaps));
    TRY(conformance::check_gaps(gaps));
    return gaps;
}

/// Refuses files that can't be written before anything runs.
Attempt<void> check_outputs(const CheckArguments& arguments) {
    if (arguments.json == "-" && arguments.html == "-")
        return misused("Standard output can't take both --json and --html.", "name a file instead of -");
    for (const std::string& file : {arguments.json, arguments.html})
        if (!file.empty() && file != "-") TRY(step(Exit::usage, check_writable(file)));
    return {};
}

Exit list(const std::vector<Case>& cases) {
    std::size_t width = 0;
    for (const Case& test : cases) width = std::max(width, test.name.size());
    for (const Case& test : cases) say(fmt::format("{:{}}  {}\n", test.name, width, test.shows));
    return Exit::done;
}

void declare(Options& options, CheckArguments& to) {
    options.list(to.backends, "--backend", "ID", "Only this backend, or this device of it; may be repeated");
    options.values(
        to.cases, "--case", "GLOB",
        "Only the cases that match, as integers/*; or a case of your own, FILE.wgsl; may be repeated");
    options.value(to.timeout, "--timeout", "TIME",
                  "The time of one case on one device: 10 (seconds), 2min. Default 20");
    options.value(to.gaps, "--gaps", "FILE",
                  "The known gaps, one a line; one that no longer fails is an error");
    options.output(to.json, "--json", "Also write the report as JSON; - is standard output");
    options.output(to.html, "--html", "Also write the report as a page to look at");
    options.flag(to.list, "--list", "List the cases and what each shows; check nothing");
    options.footer("\nExample:\n  muster check --backend cpu --case 'integers/*'");
}

Attempt<Exit> perform(const CheckArguments& arguments) {
    std::vector<Case> cases = TRY(step(Exit::usage, cases_of(arguments)));
    if (arguments.list) return list(cases);
    conformance::Options options{.cases = std::move(cases)};
    options.gaps = TRY(step(Exit::usage, gaps_of(arguments)));
    if (!arguments.backends.empty()) options.session.policy.backends = arguments.backends;
    if (!arguments.timeout.empty())
        options.timeout = TRY(step(Exit::usage, during("reading --timeout", parse_time(arguments.timeout))));
    TRY(check_outputs(arguments));

    Progress progress;
    const platform::Interruption interruption;
    const conformance::Report report = TRY(step(conformance::check(
        options, {.begins =
                      [&](const conformance::Step& now) {
                          progress.show(
                              fmt::format("{}: {} of {}, {}", now.device, now.done, now.total, now.name));
                      },
                  .ended =
                      [&](const std::string& device, const conformance::CaseResult& result) {
                          progress.clear();
                          complain(result_line(device, result));
                      },
                  .stops = [] { return platform::Interruption::requested(); }})));
    progress.clear();

    if (!arguments.json.empty())
        TRY(step(Exit::failed, write_text(arguments.json, json_text(to_json(report)))));
    if (!arguments.html.empty()) TRY(step(Exit::failed, write_text(arguments.html, check_html(report))));
    if (arguments.json != "-" && arguments.html != "-") say(check_text(report));
    return report.conforms() ? Exit::done : Exit::check_failed;
}

}  // namespace

const Verb verbs::check{"check", "Run the conformance cases on this machine's devices, and compare results",
                        command<CheckArguments, declare, perform>};

}  // namespace muster::cli
