// bench_vulkan: runs each kernel of the table, ours and the same in a plain Vulkan program with glslang's
// SPIR-V, in turns on the same device, and prints the ratio of our time to theirs and its target.
//
//     bench_vulkan [--device ORDINAL-OR-PART-OF-A-NAME] [--only PART-OF-A-NAME] [--rounds 15] [--small 1] [--cpu-time 1]
//     bench_vulkan --alone muster|guarded|plain --only PART-OF-A-NAME [--rounds 15]
//
// "guarded" checks each index as our language requires, "plain" none. Exact mode is compared with
// NoContraction, fast mode without. Results are compared before anything is timed, in exact mode bit for bit.
// --small divides the sizes, for quick trials; --cpu-time measures this process's processor time, for a
// device that is the processor on a machine with other users. "--only calls" is the second table. --alone
// runs one of them that many times, in exact mode, and prints nothing: for a profiler.
#include <cstdio>

#include <support/options.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::bench;

namespace {

struct Options {
    std::string device, only, first, alone;
    int rounds = 15;
    std::uint32_t small = 1;
    bool cpu_time = false;
};

Options parse(int argc, char** argv) {
    Options options;
    parse_options(argc, argv,
                  {{"--device", &options.device},
                   {"--only", &options.only},
                   {"--first", &options.first},  // prints its milliseconds, for another process
                   {"--alone", &options.alone},
                   {"--rounds", &options.rounds},
                   {"--small", &options.small},
                   {"--cpu-time", &options.cpu_time}},
                  "bench_vulkan [--device ORDINAL-OR-PART-OF-A-NAME] [--only PART-OF-A-NAME] [--rounds 15] "
                  "[--small 1] [--cpu-time 1]");
    return options;
}

constexpr double target = 1.05;

void print(const Row& row, Bench& bench, int rounds) {
    Contest contest = row.make(bench);
    if (bench.precision == Precision::exact) contest.tolerance = contest.share = 0;
    fmt::print("| {} | {} | ", row.name, name(bench.precision));
    if (const std::string wrong = compare_results(contest); !wrong.empty()) {
        fmt::print("WRONG: {} | | | | |\n", wrong);
        return;
    }
    const Times times = time_in_turns(contest.contenders, rounds);
    fmt::print("{:.2f} ms, {:.2f} {}", times.seconds[0] * 1e3, contest.work / times.seconds[0], contest.unit);
    for (std::size_t i = 1; i < times.seconds.size(); ++i)
        fmt::print(" | {:.2f} ms ({:.2f})", times.seconds[i] * 1e3, times.ratios[i]);
    fmt::print(" | <= {} guarded: {} |\n", target, times.ratios[1] <= target ? "met" : "missed");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    if (options.cpu_time) count_cpu_time();
    if (!options.first.empty()) {
        fmt::print("{}\n", first_result(options.first, options.device));
        return 0;
    }
    const DeviceInfo device = choose_device("vulkan", options.device);
    RawDevice raw(device.uuid);
    const auto bench_in = [&](Precision precision) {
        return Bench{{{open_session("vulkan", device.ordinal), precision, options.small}, raw}};
    };
    if (!options.alone.empty()) {
        Bench bench = bench_in(Precision::exact);
        for (const Row& row : rows())
            if (is_named(row.name, options.only)) run_alone(row.make(bench), options.alone, options.rounds);
        return 0;
    }
    fmt::print("{}, {}\n\n", raw.info().name, raw.info().driver);
    fmt::print(
        "| kernel | mode | muster | guarded (ours over theirs) | plain | target |\n"
        "| --- | --- | --- | --- | --- | --- |\n");
    for (const Precision precision : {Precision::exact, Precision::fast}) {
        Bench bench = bench_in(precision);
        for (const Row& row : rows())
            if (is_named(row.name, options.only)) print(row, bench, options.rounds);
    }
    Bench bench = bench_in(Precision::exact);
    if (is_named("calls", options.only)) print_calls(bench, options.device, options.rounds);
    return 0;
}
