// bench_grid_barriers: runs scan, Jacobi iteration and breadth-first search (examples/), each as one program
// with grid barriers and as several dispatches written by hand, in turns on the same device, and prints the
// ratio of the first one's time to the second's.
//
//     bench_grid_barriers [--backends cpu,vulkan] [--only PART-OF-A-NAME] [--rounds 15] [--small 1] [--cpu-time 1]
//     bench_grid_barriers --alone muster|"by hand" [--backends cpu] --only PART-OF-A-NAME [--rounds 15]
//
// Results are compared before anything is timed. --small divides the sizes, for quick trials; --cpu-time
// measures this process's processor time, for devices that are the processor on a machine with other users.
// --alone runs one of the two that many times and prints nothing: for a profiler.
#include <cstdio>

#include <support/options.hpp>

#include "rows.hpp"

using namespace muster;
using namespace muster::bench;

namespace {

constexpr double target = 1.1;

struct Options {
    std::string backends = "cpu,vulkan", only, alone;
    int rounds = 15;
    std::uint32_t small = 1;
    bool cpu_time = false;
};

Options parse(int argc, char** argv) {
    Options options;
    parse_options(argc, argv,
                  {{"--backends", &options.backends},
                   {"--only", &options.only},
                   {"--alone", &options.alone},
                   {"--rounds", &options.rounds},
                   {"--small", &options.small},
                   {"--cpu-time", &options.cpu_time}},
                  "bench_grid_barriers [--backends cpu,vulkan] [--only PART-OF-A-NAME] [--rounds 15] "
                  "[--small 1] [--cpu-time 1]");
    return options;
}

std::vector<std::string> parts(const std::string& list) {
    std::vector<std::string> all(1);
    for (const char c : list) {
        if (c == ',')
            all.emplace_back();
        else
            all.back() += c;
    }
    return all;
}

void print(const Row& row, Bench& bench, const std::string& device, int rounds) {
    const Work work = row.make(bench);
    const Contest& contest = work.contest;
    fmt::print("| {} | {} | ", row.name, device);
    if (const std::string wrong = compare_results(contest); !wrong.empty()) {
        fmt::print("WRONG: {} | | | |\n", wrong);
        return;
    }
    const Times times = time_in_turns(contest.contenders, rounds);
    fmt::print("{:.3f} ms, {:.2f} {} | {:.3f} ms ({:.2f}) | <= {}: {} | {} |\n", times.seconds[0] * 1e3,
               contest.work / times.seconds[0], contest.unit, times.seconds[1] * 1e3, times.ratios[1], target,
               times.ratios[1] <= target ? "met" : "missed",
               to_string(work.program.route().execute()->grid_barriers));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    if (options.cpu_time) count_cpu_time();
    if (options.alone.empty())
        fmt::print(
            "| work | device | one program | by hand (ours over theirs) | target | grid barriers |\n"
            "| --- | --- | --- | --- | --- | --- |\n");
    for (const std::string& backend : parts(options.backends)) {
        const DeviceInfo device = choose_device(backend, "");
        Bench bench{open_session(backend, device.ordinal), options.small};
        for (const Row& row : rows()) {
            if (!is_named(row.name, options.only)) continue;
            if (options.alone.empty())
                print(row, bench, fmt::format("{}:{}", backend, device.ordinal), options.rounds);
            else
                run_alone(row.make(bench).contest, options.alone, options.rounds);
        }
    }
    return 0;
}
