// bench_opencl: the OpenCL backend beside a plain OpenCL program that runs the same kernels on the same
// device, pocl, in turns. Prints the ratio of our time to theirs.
//
//     bench_opencl [--rounds 7] [--small 1]
//
// The plain program checks no index, but for one row, and keeps its buffers in the host's memory; both
// build for exact mode. Results are compared bit for bit before anything is timed. --small divides the
// sizes, for quick trials.
#include <algorithm>
#include <cstdio>

#include <fmt/core.h>
#include <support/options.hpp>
#include <support/workloads.hpp>

#include "../cpu/opencl.hpp"

using namespace muster;
using namespace muster::bench;

namespace {

struct Bench : DeviceBench {
    OpenCl& plain;
    int rounds;
};

/// A kernel of the plain program.
struct PlainKernel {
    const char* name;
    std::vector<OpenCl::Argument> arguments;
    OpenCl::Range global, local;
};

void print_row(const Bench& bench, const char* name, Contest contest, const std::shared_ptr<Words>& plain_out,
               const PlainKernel& plain) {
    const Words start = *plain_out;
    const auto enqueue = bench.plain.kernel(plain.name, plain.arguments, plain.global, plain.local);
    const auto run_plain = [&] { enqueue(), bench.plain.finish(); };
    contest.tolerance = contest.share = 0;
    contest.contenders.push_back({"plain", run_plain, [&] {
                                      *plain_out = start;
                                      run_plain();
                                      return *plain_out;
                                  }});
    if (const std::string wrong = compare_results(contest); !wrong.empty()) {
        fmt::print("| {} | WRONG: {} | | |\n", name, wrong);
        return;
    }
    const Times times = time_in_turns(contest.contenders, bench.rounds);
    fmt::print("| {} | {:.2f} ms | {:.2f} ms | {:.2f} |\n", name, times.seconds[0] * 1e3,
               times.seconds[1] * 1e3, times.ratios[1]);
    std::fflush(stdout);
}

std::shared_ptr<Words> shared(Words words) { return std::make_shared<Words>(std::move(words)); }

void print_kernels(Bench& bench) {
    {
        const std::size_t n = (16u << 20) / bench.small;
        const auto [contest, inputs, start] = saxpy(bench, n, 1e-3f);
        const auto plain_x = shared(inputs[0]), plain_y = shared(start);
        print_row(bench, "saxpy", contest, plain_y,
                  {"saxpy", {1e-3f, host_memory(plain_x), host_memory(plain_y)}, {n, 1}, {256, 1}});
        const auto count = static_cast<std::uint32_t>(n);
        *plain_y = start;
        print_row(
            bench, "saxpy, theirs with one guard", contest, plain_y,
            {"saxpy_guarded", {1e-3f, count, host_memory(plain_x), host_memory(plain_y)}, {n, 1}, {256, 1}});
    }
    {
        const std::uint32_t n = 512 / bench.small;
        const auto [contest, inputs, start] = matmul(bench, n);
        const auto plain_a = shared(inputs[0]), plain_b = shared(inputs[1]), plain_c = shared(start);
        print_row(bench, "sgemm, shared tiles of 16 x 16", contest, plain_c,
                  {"matmul",
                   {n, host_memory(plain_a), host_memory(plain_b), host_memory(plain_c)},
                   {n, n},
                   {16, 16}});
    }
    {
        const std::uint32_t width = 2048 / bench.small, height = 1024 / bench.small, limit = 256;
        const auto [contest, inputs, start] = mandelbrot(bench, width, height, limit);
        const auto plain_steps = shared(start);
        print_row(
            bench, "mandelbrot, 256 steps", contest, plain_steps,
            {"mandelbrot", {width, height, limit, host_memory(plain_steps)}, {width, height}, {16, 16}});
    }
    {
        const std::uint32_t side = 4096 / bench.small;
        const auto [contest, inputs, start] = stencil(bench, side);
        const auto plain_before = shared(inputs[0]), plain_after = shared(start);
        print_row(bench, "stencil, 5 points", contest, plain_after,
                  {"stencil",
                   {side, side, host_memory(plain_before), host_memory(plain_after)},
                   {side, side},
                   {64, 4}});
    }
}

void print_calls(Bench& bench) {
    constexpr int at_once = 1000;
    const Kernel kernel =
        prepare(bench.session,
                "@group(0) @binding(0) var<storage, read_write> data: array<u32>; override n: u32 = 0;\n"
                "@compute @workgroup_size(1) fn empty() { if n != 0 { data[0] = n; } }",
                Precision::exact);
    const std::vector<Argument> arguments{{"data", must(bench.session.zeros<std::uint32_t>(1))}};
    const auto submit = [&] { return bench.submit(kernel, arguments, Workgroups{1}); };
    const auto word = std::make_shared<Words>(1);
    const auto enqueue = bench.plain.kernel("empty", {0u, host_memory(word)}, {1, 1}, {1, 1});
    const auto print = [&](const char* name, int count, const std::function<void()>& ours,
                           const std::function<void()>& theirs) {
        const Times times = time_in_turns({{"muster", ours, {}}, {"plain", theirs, {}}}, 3 * bench.rounds);
        fmt::print("| {} | {:.1f} us | {:.1f} us | {:.2f} |\n", name, times.seconds[0] / count * 1e6,
                   times.seconds[1] / count * 1e6, times.ratios[1]);
    };
    print(
        "empty kernel, submit and wait", 200,
        [&] {
            for (int i = 0; i < 200; ++i) must(submit().wait());
        },
        [&] {
            for (int i = 0; i < 200; ++i) enqueue(), bench.plain.finish();
        });
    print(
        "empty kernel, 1,000 at once, each", at_once,
        [&] {
            std::vector<Ticket> tickets;
            for (int i = 0; i < at_once; ++i) tickets.push_back(submit());
            for (Ticket& ticket : tickets) must(ticket.wait());
        },
        [&] {
            for (int i = 0; i < at_once; ++i) enqueue();
            bench.plain.finish();
        });
}

}  // namespace

int main(int argc, char** argv) {
    int rounds = 7;
    std::uint32_t small = 1;
    parse_options(argc, argv, {{"--rounds", &rounds}, {"--small", &small}},
                  "bench_opencl [--rounds 7] [--small 1]");
    const auto platforms = OpenCl::open_all();
    const auto found = std::ranges::find(platforms, "pocl", &OpenCl::name);
    if (found == platforms.end()) {
        fmt::print(stderr, "pocl isn't installed.\nFix: install pocl-opencl-icd.\n");
        return 1;
    }
    const auto& plain = *found;
    plain->build(read_text("benches/cpu/kernels/kernels.cl"),
                 "-DEXACT -cl-fp32-correctly-rounded-divide-sqrt");
    const DeviceInfo device = choose_device("opencl", "pthread");
    fmt::print("{}\n\n| kernel | muster | plain | ratio |\n| --- | --- | --- | --- |\n", device.name);
    Bench bench{{open_session("opencl", device.ordinal), Precision::exact, small}, *plain, rounds};
    print_kernels(bench);
    print_calls(bench);
    return 0;
}
