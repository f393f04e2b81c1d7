#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/command/commands.hpp>
#include <muster/cli/report/bench_report.hpp>
#include <muster/cli/report/bench_svg.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/cli/support/progress.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/measuring/bench.hpp>

namespace muster::cli {
namespace {

constexpr std::uint64_t most_json = 16 << 20;
constexpr std::chrono::nanoseconds quick_time = std::chrono::milliseconds(50);

Result<std::optional<EarlierBench>> earlier_of(const BenchArguments& arguments) {
    if (arguments.compare.empty()) return std::nullopt;
    const Bytes bytes = TRY(read_file(arguments.compare, most_json));
    return TRY(
        EarlierBench::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, arguments.compare));
}

Result<bench::Options> options_of(const BenchArguments& arguments) {
    bench::Options options{.only = arguments.only,
                           .precision = arguments.fast ? Precision::fast : Precision::exact,
                           .small = arguments.quick};
    if (!arguments.backends.empty()) options.session.policy.backends = arguments.backends;
    if (arguments.quick) options.time = quick_time;
    if (!arguments.time.empty()) options.time = TRY(during("reading --time", parse_time(arguments.time)));
    if (!arguments.timeout.empty())
        options.timeout = TRY(during("reading --timeout", parse_time(arguments.timeout)));
    return options;
}

/// An option that is given and counts only with --tune; null if there is none.
const char* only_for_tuning(const BenchArguments& arguments) {
    if (!arguments.tune.overrides.empty()) return "--override";
    if (!arguments.tune.entry.empty()) return "--entry";
    if (arguments.input.is_given()) return "What a program runs on";
    return arguments.tolerance.empty() ? nullptr : "--tolerance";
}

/// Refuses files that can't be written before anything runs.
Attempt<void> check_outputs(const BenchArguments& arguments) {
    if (arguments.json == "-" && arguments.svg == "-") return std::unexpected(taken_by_json("--svg -"));
    for (const std::string& file : {arguments.json, arguments.svg})
        if (!file.empty() && file != "-") TRY(step(Exit::usage, check_writable(file)));
    return {};
}

Attempt<void> write(const std::string& file, const std::string& text) {
    if (file.empty()) return {};
    return step(Exit::failed, write_text(file, text));
}

/// Drops figures that can't be compared, with a warning.
std::optional<EarlierBench> comparable(std::optional<EarlierBench> earlier, const bench::Report& report) {
    if (!earlier) return std::nullopt;
    if (const auto why = earlier->misfit(report)) {
        complain("warning: " + *why + " Nothing is compared.\n");
        return std::nullopt;
    }
    if (const auto unknown = earlier->unknown_kernels(); !unknown.empty())
        complain(fmt::format("warning: {} has kernels that there aren't: {}.\n", earlier->file(),
                             fmt::join(unknown, ", ")));
    return earlier;
}

/// Keeps the roofs for routing by measurement, unless they are those of caches, or their kernels aren't all measured.
void keep_roofs(const BenchArguments& arguments, const bench::Report& report) {
    if (arguments.quick || !arguments.only.empty()) return;
    for (const bench::DeviceReport& device : report.devices)
        keep_roof(device.backend, device.info, report.precision, device.roof);
}

}  // namespace

Attempt<Exit> command_bench(const BenchArguments& arguments) {
    const bench::Options options = TRY(step(Exit::usage, options_of(arguments)));
    if (!arguments.tune.path.empty()) return command_tune(arguments, options);
    if (const char* const option = only_for_tuning(arguments))
        return std::unexpected(Failure{Exit::usage,
                                       {ErrorCode::invalid_argument,
                                        fmt::format("{} is given without --tune.", option),
                                        "name the program to tune (--tune FILE), or leave it out",
                                        {}}});
    std::optional<EarlierBench> earlier = TRY(step(Exit::usage, earlier_of(arguments)));
    TRY(check_outputs(arguments));

    Progress progress;
    const auto report = bench::run(options, [&](const bench::Progress& now) {
        progress.show(fmt::format("{}: {} of {}, {}", now.device, now.done, now.total, now.name));
    });
    progress.clear();
    if (!report) return std::unexpected(Failure{exit_of(report.error().code), report.error()});

    keep_roofs(arguments, *report);
    earlier = comparable(std::move(earlier), *report);
    if (!arguments.json.empty()) TRY(write(arguments.json, json_text(to_json(*report, earlier))));
    if (!arguments.svg.empty()) TRY(write(arguments.svg, bench_svg(*report)));
    if (arguments.json != "-" && arguments.svg != "-") say(bench_text(*report, earlier));
    if (report->has(bench::Outcome::wrong_result)) return Exit::check_failed;
    return report->has(bench::Outcome::failed) ? Exit::failed : Exit::done;
}

}  // namespace muster::cli
