#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/cli/command/bench.hpp>
#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
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
    return TRY(EarlierBench::parse(as_text(bytes), arguments.compare));
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
    if (arguments.json == "-" && arguments.svg == "-") return taken_by_json("--svg -");
    for (const std::string& file : {arguments.json, arguments.svg})
        if (!file.empty() && file != "-") TRY(step(Exit::usage, check_writable(file)));
    return {};
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

/// Keeps the roofs for routing by measurement, unless they are those of caches, or their
/// kernels aren't all measured.
void keep_roofs(const BenchArguments& arguments, const bench::Report& report) {
    if (arguments.quick || !arguments.only.empty()) return;
    for (const bench::DeviceReport& device : report.devices)
        keep_roof(device.backend, device.info, report.precision, device.roof);
}

void declare(Options& options, BenchArguments& to) {
    options.list(to.backends, "--backend", "ID",
                 "Only this backend, or this device of it; may be repeated. Default: a device of each");
    options.list(to.only, "--only", "KERNEL", "Only this kernel; repeated or separated by commas");
    options.flag(to.quick, "--quick", "Small data, and less time for each: to see whether all is right");
    options.value(to.time, "--time", "TIME",
                  "How long each kernel is timed: 500ms, 2 (seconds). Default 500ms");
    options.value(to.timeout, "--timeout", "TIME",
                  "Give up on a kernel that takes longer: 10 (seconds). Default 60");
    add_fast(options, to.fast);
    options.output(to.json, "--json", "Also write the figures as JSON; - is standard output");
    options.output(to.svg, "--svg", "Also draw the roofline of each device");
    options.value(to.compare, "--compare", "FILE",
                  "Also say how many times as fast as in this file, which --json wrote on this machine");
    options.value(to.tune.path, "--tune", "FILE",
                  "Instead, search the override constants of this WGSL file for each device, and keep the "
                  "fastest for muster run --tuned");
    options.value(to.tune.entry, "--entry", "NAME",
                  "With --tune: the compute entry point, where there are several");
    options.values(to.tune.overrides, "--override", "NAME=VALUES",
                   "With --tune: the values to try, as 8,16,24, or 8..64 for the powers of two");
    add_input(options, to.input);
    options.value(
        to.tolerance, "--tolerance", "RATIO",
        "With --tune: how far an f32 may be from the defaults' result, relative to the largest. Default "
        "0.0001");
    options.footer(
        "\nExamples:\n  muster bench --backend cpu --only saxpy,sgemm --quick\n"
        "  muster bench --tune examples/kernels/matmul.wgsl --bind sizes=500,500,500 --bind "
        "a=random:f32:500,500:1 "
        "--bind b=random:f32:500,500:2 --bind c=like:a --invocations 500,500 --override tile=4..16");
}

Attempt<Exit> perform(const BenchArguments& arguments) {
    const bench::Options options = TRY(step(Exit::usage, options_of(arguments)));
    if (!arguments.tune.path.empty()) return tune(arguments, options);
    if (const char* const option = only_for_tuning(arguments))
        return misused(fmt::format("{} is given without --tune.", option),
                       "name the program to tune (--tune FILE), or leave it out");
    std::optional<EarlierBench> earlier = TRY(step(Exit::usage, earlier_of(arguments)));
    TRY(check_outputs(arguments));

    Progress progress;
    const bench::Report report = TRY(step(bench::run(options, [&](const bench::Progress& now) {
        progress.show(fmt::format("{}: {} of {}, {}", now.device, now.done, now.total, now.name));
    })));
    progress.clear();

    keep_roofs(arguments, report);
    earlier = comparable(std::move(earlier), report);
    if (!arguments.json.empty())
        TRY(step(Exit::failed, write_text(arguments.json, json_text(to_json(report, earlier)))));
    if (!arguments.svg.empty()) TRY(step(Exit::failed, write_text(arguments.svg, bench_svg(report))));
    if (arguments.json != "-" && arguments.svg != "-") say(bench_text(report, earlier));
    if (report.has(bench::Outcome::wrong_result)) return Exit::check_failed;
    return report.has(bench::Outcome::failed) ? Exit::failed : Exit::done;
}

}  // namespace

const Verb verbs::bench{"bench",
                        "Measure this machine's devices: the roof, then standard kernels, verified and timed",
                        command<BenchArguments, declare, perform>};

}  // namespace muster::cli
