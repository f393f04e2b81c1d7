#include <algorithm>
#include <span>

#include <fmt/format.h>

#include <muster/cli/command/commands.hpp>
#include <muster/cli/report/check_html.hpp>
#include <muster/cli/report/check_report.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/interruption.hpp>
#include <muster/cli/support/progress.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/conformance/check.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

using conformance::Case;

constexpr std::uint64_t most_text = 1 << 20;

Result<std::string> read_text(const std::string& path) {
    const Bytes bytes = TRY(read_file(path, most_text));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
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
        return std::unexpected(Failure{Exit::usage,
                                       {ErrorCode::invalid_argument,
                                        "Standard output can't take both --json and --html.",
                                        "name a file instead of -",
                                        {}}});
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

}  // namespace

Attempt<Exit> command_check(const CheckArguments& arguments) {
    const auto misused = [](const Error& error) { return std::unexpected(Failure{Exit::usage, error}); };
    conformance::Options options;
    const auto cases = cases_of(arguments);
    if (!cases) return misused(cases.error());
    if (arguments.list) return list(*cases);
    options.cases = *cases;
    const auto gaps = gaps_of(arguments);
    if (!gaps) return misused(gaps.error());
    options.gaps = *gaps;
    if (!arguments.backends.empty()) options.session.policy.backends = arguments.backends;
    if (!arguments.timeout.empty())
        options.timeout = TRY(step(Exit::usage, during("reading --timeout", parse_time(arguments.timeout))));
    TRY(check_outputs(arguments));

    Progress progress;
    const Interruption interruption;
    const auto report = conformance::check(
        options,
        {.begins =
             [&](const conformance::Step& now) {
                 progress.show(fmt::format("{}: {} of {}, {}", now.device, now.done, now.total, now.name));
             },
         .ended =
             [&](const std::string& device, const conformance::CaseResult& result) {
                 progress.clear();
                 complain(result_line(device, result));
             },
         .stops = [] { return Interruption::requested(); }});
    progress.clear();
    if (!report) return std::unexpected(Failure{exit_of(report.error().code), report.error()});

    if (!arguments.json.empty())
        TRY(step(Exit::failed, write_text(arguments.json, json_text(to_json(*report)))));
    if (!arguments.html.empty()) TRY(step(Exit::failed, write_text(arguments.html, check_html(*report))));
    if (arguments.json != "-" && arguments.html != "-") say(check_text(*report));
    return report->conforms() ? Exit::done : Exit::check_failed;
}

}  // namespace muster::cli
