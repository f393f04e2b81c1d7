// bench_cuda: runs each kernel of the table, ours and the same in CUDA C++ in a plain program of the driver
// API, in turns on the same GPU, and prints the ratio of our time to theirs and its target.
//
//     bench_cuda [--device ORDINAL-OR-PART-OF-A-NAME] [--only PART-OF-A-NAME] [--rounds 15] [--small 1]
//
// "guarded" checks each index as our language requires, "plain" none; both are compiled by nvcc, with
// -fmad=false for exact mode and as it is for fast mode. Results are compared before anything is timed, in
// exact mode bit for bit. --small divides the sizes, for quick trials. "--only calls", "--only copies",
// "--only barriers" and "--only compile" are the second table; the last needs no GPU.
#include <cstdio>
#include <memory>

#include <support/options.hpp>

#include "bench.hpp"

using namespace muster;
using namespace muster::bench;

namespace {

struct Options {
    std::string device, only;
    int rounds = 15;
    std::uint32_t small = 1;
};

Options parse(int argc, char** argv) {
    Options options;
    parse_options(argc, argv,
                  {{"--device", &options.device},
                   {"--only", &options.only},
                   {"--rounds", &options.rounds},
                   {"--small", &options.small}},
                  "bench_cuda [--device ORDINAL-OR-PART-OF-A-NAME] [--only PART-OF-A-NAME] [--rounds 15] "
                  "[--small 1]");
    return options;
}

void print(const Row& row, Bench& bench, int rounds) {
    Contest contest = row.make(bench);
    if (bench.precision == Precision::exact && !contest.always_tolerant)
        contest.tolerance = contest.share = 0;
    fmt::print("| {} | {} | ", row.name, name(bench.precision));
    if (const std::string wrong = compare_results(contest); !wrong.empty()) {
        fmt::print("WRONG: {} | | |\n", wrong);
        return;
    }
    const Times times = time_in_turns(contest.contenders, rounds);
    fmt::print("{:.3f} ms, {:.1f} {} |", times.seconds[0] * 1e3, contest.work / times.seconds[0],
               contest.unit);
    for (std::size_t i = 1; i < times.seconds.size(); ++i)
        fmt::print(" {} {:.3f} ms ({:.2f})", contest.contenders[i].name, times.seconds[i] * 1e3,
                   times.ratios[i]);
    fmt::print(" |");
    for (const Goal& goal : bench.precision == Precision::exact ? row.exact : row.fast)
        for (std::size_t i = 1; i < times.seconds.size(); ++i)
            if (contest.contenders[i].name == goal.peer)
                fmt::print(" {} <= {:.3g}: {}", goal.peer, goal.ratio,
                           times.ratios[i] <= goal.ratio ? "met" : "missed");
    fmt::print(" |\n");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    if (options.only == "compile") {
        fmt::print("{}", head_of_calls);
        print_compilation(options.rounds);
        return 0;
    }
    const DeviceInfo device = choose_device("cuda", options.device);
    RawDevice raw(device.uuid);
    const std::unique_ptr<Cublas> cublas = Cublas::open();
    fmt::print("{}, CUDA {}.{}{}\n\n", raw.name(), raw.driver_version() / 1000,
               raw.driver_version() % 1000 / 10, cublas ? "" : "; there is no cuBLAS");
    fmt::print(
        "| kernel | mode | muster | theirs (ours over theirs) | target |\n| --- | --- | --- | --- | --- |\n");
    const auto bench_in = [&](Precision precision) {
        return Bench{{{open_session("cuda", device.ordinal), precision, options.small}, raw}, cublas.get()};
    };
    for (const Precision precision : {Precision::exact, Precision::fast}) {
        Bench bench = bench_in(precision);
        for (const Row& row : rows())
            if (is_named(row.name, options.only)) print(row, bench, options.rounds);
    }
    Bench bench = bench_in(Precision::exact);
    fmt::print("{}", head_of_calls);
    if (is_named("calls", options.only)) print_calls(bench, options.rounds);
    if (is_named("copies", options.only)) print_copies(bench, options.rounds);
    if (is_named("barriers", options.only)) print_barriers(bench, device.ordinal, options.rounds);
    if (options.only.empty()) print_compilation(options.rounds);
    return 0;
}
