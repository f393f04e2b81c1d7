// bench_cpu: runs each kernel of the table, ours and its peers in turns in one run, and prints the ratio and
// its target.
//
//     bench_cpu [--target native] [--only PART-OF-A-NAME] [--rounds 7] [--small 1] [--cpu-time 1] [--backend cpu]
//     bench_cpu --sweep FOLDER [the same options]
//
// --sweep prints time per element instead (of sgemm: per multiplication and addition) as the size doubles,
// from 1 k to 1 G elements where memory has room, for sgemm from 64 to 4096 a side, on 1, 2 and all cores;
// and each kernel's worst cliff: the factor by which our time per element rises from one size to the next
// beyond the peers'. FOLDER gets the figures as .tsv files, and their plots if gnuplot is installed.
//
// --target is native, x86-64-v2, x86-64-v3 or x86-64-v4: what kernels and C++ peers are compiled for.
// OpenBLAS chooses by the processor: set OPENBLAS_CORETYPE (Nehalem, Haswell, SkylakeX), too. --small divides
// the sizes, and the last one of --sweep, for quick trials; --cpu-time measures one core's processor time,
// for a machine with other users (set OPENBLAS_NUM_THREADS=1, too). "--only calls" is the second table. Exact
// mode is compared with exact peers, fast mode with fast ones (peers.hpp). Results are compared before
// anything is timed. Each CPU platform that the OpenCL loader finds is a peer (pocl, Intel's):
// OCL_ICD_VENDORS names a folder of .icd files other than the system's.
#include <algorithm>
#include <cstring>

#include <muster/backend-cpu/native/host.hpp>

#include "../support/options.hpp"
#include "bench.hpp"
#include "sweep.hpp"

using namespace muster;
using namespace muster::bench;

namespace {

struct Options {
    std::string backend, target = "native", only, ours, first_opencl_result, sweep;
    int rounds = 7;
    std::size_t small = 1;
    bool cpu_time = false, sizes = false;
};

struct Target {
    std::string_view name;
    const char* backend;  // or its device that compiles for it
    const Peers &exact, &fast;
};
constexpr Target targets[] {
    {"native", "cpu", exact_peers_native, fast_peers_native},
#if defined(__x86_64__)
        {"x86-64-v2", "cpu:x86-64-v2", exact_peers_v2, fast_peers_v2},
        {"x86-64-v3", "cpu:x86-64-v3", exact_peers_v3, fast_peers_v3},
        {"x86-64-v4", "cpu:x86-64-v4", exact_peers_v4, fast_peers_v4},
#endif
};

const Target& target_of(const Options& options) {
    const auto* found = std::ranges::find(targets, options.target, &Target::name);
    if (found != std::end(targets)) return *found;
    fmt::print(stderr, "There are no peers for {}.\nFix: --target", options.target);
    for (const Target& target : targets) fmt::print(stderr, " {}", target.name);
    fmt::print(stderr, "\n");
    std::exit(2);
}

Options parse(int argc, char** argv) {
    Options options;
    parse_options(argc, argv,
                  {{"--backend", &options.backend},
                   {"--target", &options.target},
                   {"--only", &options.only},
                   {"--ours", &options.ours},  // prints our seconds in exact mode, for another process
                   {"--sweep", &options.sweep},
                   {"--sizes", &options.sizes},  // prints lines for sweep(), for another process
                   {"--rounds", &options.rounds},
                   {"--small", &options.small},
                   {"--cpu-time", &options.cpu_time},
                   // of this platform, for another process
                   {"--first-opencl-result", &options.first_opencl_result}},
                  "bench_cpu [--target native] [--only PART-OF-A-NAME] [--rounds 7] [--small 1] "
                  "[--cpu-time 1] [--backend cpu] [--sweep FOLDER]");
    if (options.backend.empty()) options.backend = target_of(options).backend;
    return options;
}

std::string verdict(const Contest& contest, const std::vector<double>& times,
                    const std::vector<Goal>& goals) {
    std::string all;
    for (const Goal& goal : goals) {
        std::size_t slowest = 0;  // ours: no peer is there
        for (std::size_t i = 1; i < times.size(); ++i)
            if (std::ranges::count(goal.peers, contest.contenders[i].name) != 0 &&
                (slowest == 0 || times[i] > times[slowest]))
                slowest = i;
        if (slowest == 0) continue;
        all += fmt::format("{}>= {:.2f} x {}: {}", all.empty() ? "" : ", ", goal.ratio,
                           contest.contenders[slowest].name,
                           times[slowest] / times[0] >= goal.ratio ? "met" : "missed");
    }
    return all.empty() && !goals.empty() ? "its peer isn't there" : all;
}

void print(const Row& row, Bench& bench, int rounds) {
    const bool exact = bench.precision == Precision::exact;
    const Contest contest = row.make(bench, row.size);
    fmt::print("| {} | {} | ", row.name, exact ? "exact" : "fast");
    if (const std::string wrong = compare_results(contest); !wrong.empty()) {
        fmt::print("WRONG: {} | | |\n", wrong);
        return;
    }
    const std::vector<double> times = time_in_turns(contest.contenders, rounds);
    fmt::print("{:.2f} ms, {:.2f} {} | ", times[0] * 1e3, contest.work / times[0], contest.unit);
    for (std::size_t i = 1; i < times.size(); ++i) {
        const Contender& peer = contest.contenders[i];
        const double ratio = times[i] / times[0];
        fmt::print("{}{} {:.2f} ms ({})", i == 1 ? "" : ", ", peer.name, times[i] * 1e3,
                   peer.result ? fmt::format("{:.2f}x", ratio) : fmt::format("{:.0f} % of it", 100 * ratio));
    }
    fmt::print(" | {} |\n", verdict(contest, times, exact ? row.exact : row.fast));
    std::fflush(stdout);
}

using Platforms = std::vector<std::unique_ptr<OpenCl>>;

Bench make_bench(const Options& options, Precision precision, const Platforms& opencl) {
    const bool exact = precision == Precision::exact;
    for (const auto& cl : opencl)
        cl->build(read_text("benches/cpu/kernels/kernels.cl"), exact ? "-DEXACT" : "-cl-fast-relaxed-math");
    return {must(Session::open({.policy = {.backends = {{options.backend}}, .optimize = Optimize::first}})),
            precision, exact ? target_of(options).exact : target_of(options).fast, opencl};
}

// The rows that are asked for, smaller by --small.
std::vector<Row> chosen_rows(const Options& options) {
    std::vector<Row> chosen;
    for (const Row& row : rows())
        if (is_named(row.name, options.only)) {
            chosen.push_back(row);
            chosen.back().size = std::max<std::size_t>(1, row.size / options.small);
            chosen.back().sweep.last = row.sweep.last / options.small;
        }
    return chosen;
}

// For the process that measures a sweep's sizes.
std::string arguments_of(const Options& options) {
    return fmt::format(
        "--sizes 1 --backend '{}' --target '{}' --only '{}' --rounds {} --small {} --cpu-time {}",
        options.backend, options.target, options.only, options.rounds, options.small,
        options.cpu_time ? 1 : 0);
}

// The minimum for a program to get one result: the peer of a new process of ours.
int first_opencl_result(const std::string& platform) {
    const Platforms all = OpenCl::open_all();
    const auto found = std::ranges::find_if(all, [&](const auto& cl) { return cl->name() == platform; });
    if (found == all.end()) return 1;
    OpenCl& cl = **found;
    cl.build(
        "kernel void saxpy(float a, global const float* x, global float* y) {"
        "size_t i = get_global_id(0); y[i] = a * x[i] + y[i]; }",
        "");
    std::vector<float> x(4096, 1.0f), y(4096, 2.0f);
    cl.kernel("saxpy", {2.0f, host_memory(x), host_memory(y)}, {4096, 1}, {256, 1})();
    cl.on_host([] {});
    return y[4095] == 4.0f ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    if (options.cpu_time) count_time_of_one_core();
    if (!options.first_opencl_result.empty()) return first_opencl_result(options.first_opencl_result);
    const std::vector<Row> chosen = chosen_rows(options);
    if (!options.ours.empty()) {
        Bench bench = make_bench(options, Precision::exact, {});
        for (const Row& row : chosen)
            if (row.name == options.ours)
                fmt::print("{}\n",
                           time_in_turns({row.make(bench, row.size).contenders[0]}, options.rounds)[0]);
        return 0;
    }
    constexpr std::array modes{Precision::exact, Precision::fast};
    if (options.sizes) {
        for (const Precision precision : modes) {
            Bench bench = make_bench(options, precision, {});
            for (const Row& row : chosen)
                if (row.sweep.first != 0) measure_sizes(bench, row, options.rounds);
        }
        return 0;
    }
    if (!options.sweep.empty()) {
        fmt::print("Compiled for {}, on {}.\n\n", options.target, cpu::host().name);
        sweep(options.sweep, arguments_of(options));
        return 0;
    }
    const Platforms opencl = OpenCl::open_all();
    if (opencl.empty())
        fmt::print(
            "OpenCL is left out: no CPU's platform is installed (pocl-opencl-icd, ocl-icd-opencl-dev).\n");
    fmt::print("Compiled for {}, on {}.\n\n", options.target, cpu::host().name);
    fmt::print(
        "| kernel | mode | muster | peers (their time over ours) | target |\n| --- | --- | --- | --- | --- "
        "|\n");
    for (const Precision precision : modes) {
        Bench bench = make_bench(options, precision, opencl);
        for (const Row& row : chosen) print(row, bench, options.rounds);
    }
    Bench bench = make_bench(options, Precision::exact, opencl);
    if (is_named("calls", options.only)) print_calls(bench, options.backend, options.small);
    return 0;
}
