// The rows about calls and start-up: an empty kernel, a thousand in flight, the compiler, a new process, one
// core.
#include <cstdlib>

#include <unistd.h>

#include "bench.hpp"
#include "process.hpp"

namespace muster::bench {
namespace {

constexpr int rounds = 7;

double median_of_rounds(const std::function<void()>& call) {
    std::vector<double> samples;
    for (int i = 0; i < rounds; ++i) samples.push_back(seconds(call));
    return median(std::move(samples));
}

struct Peer {
    std::string name;
    double seconds;
};
/// The seconds of a call on each OpenCL platform.
std::vector<Peer> of_each(const Bench& bench, const std::function<double(OpenCl&)>& measure) {
    std::vector<Peer> all;
    for (const auto& cl : bench.opencl) all.push_back({cl->name(), measure(*cl)});
    return all;
}

void line(const std::string& what, double ours, const std::vector<Peer>& peers, const char* unit,
          double scale, double target) {
    std::string theirs;
    for (const auto& [name, seconds] : peers)
        theirs += fmt::format("{}{} {:.2f} {} ({:.1f}x)", theirs.empty() ? "" : ", ", name, seconds * scale,
                              unit, seconds / ours);
    fmt::print("| {} | {:.2f} {} | {} | <= {} {} | {} |\n", what, ours * scale, unit, theirs, target, unit,
               ours * scale <= target ? "met" : "missed");
}

const char* const empty_text =
    "@group(0) @binding(0) var<uniform> n: u32; @group(0) @binding(1) var<storage, read_write> data: "
    "array<u32>;"
    "@compute @workgroup_size(1) fn main() { if n != 0 { data[0] = n; } }";

void print_submissions(Bench& bench) {
    constexpr int alone = 2000, in_flight = 1000;
    const Kernel kernel = prepare(bench.session, empty_text, bench.precision);
    std::vector<std::uint32_t> word(1);
    const std::vector<Argument> arguments{{"n", 0u}, {"data", bench.buffer(word)}};
    const auto one_by_one = [&] {
        for (int i = 0; i < alone; ++i) bench.run(kernel, arguments, Workgroups{1});
    };
    const auto at_once = [&] {
        std::vector<Ticket> tickets;
        for (int i = 0; i < in_flight; ++i) tickets.push_back(bench.submit(kernel, arguments, Workgroups{1}));
        for (const Ticket& ticket : tickets) must(ticket.wait());
    };
    const auto enqueue = [&](OpenCl& cl) {
        return cl.kernel("empty", {0u, host_memory(word)}, {1, 1}, {1, 1});
    };
    const auto their_one_by_one = [&](OpenCl& cl) {
        return median_of_rounds([&, launch = enqueue(cl)] {
                   for (int i = 0; i < alone; ++i) launch(), cl.finish();
               }) /
               alone;
    };
    const auto their_at_once = [&](OpenCl& cl) {
        return median_of_rounds([&, launch = enqueue(cl)] {
                   for (int i = 0; i < in_flight; ++i) launch();
                   cl.finish();
               }) /
               in_flight;
    };
    line("empty kernel, submit and wait", median_of_rounds(one_by_one) / alone,
         of_each(bench, their_one_by_one), "us", 1e6, 0.5);
    line("empty kernel, 1,000 in flight, each", median_of_rounds(at_once) / in_flight,
         of_each(bench, their_at_once), "us", 1e6, 0.2);
}

// Each text is new, so that no cache has it.
void print_compilation(Bench& bench) {
    static int number = static_cast<int>(getpid());
    const auto ours = median_of_rounds([&] {
        prepare(bench.session,
                fmt::format("@group(0) @binding(0) var<storage, read_write> y: array<f32>;"
                            "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u)"
                            "{{ y[id.x] = 2 * y[id.x] + {}; }}",
                            ++number),
                bench.precision);
    });
    const auto theirs = of_each(bench, [](OpenCl& cl) {
        std::vector<float> y(64);
        return median_of_rounds([&] {
            cl.build(fmt::format("kernel void f(global float* y) {{ size_t i = get_global_id(0);"
                                 "y[i] = 2 * y[i] + {}; }}",
                                 ++number),
                     "");
            cl.kernel("f", {host_memory(y)}, {64, 1}, {64, 1})();
            cl.finish();
        });
    });
    line("compile one small kernel", ours, theirs, "ms", 1e3, 15);
}

void run_command(const std::string& command) {
    if (std::system(command.c_str()) != 0) fmt::print(stderr, "This fails: {}\n", command);
}

void print_new_process(Bench& bench, const std::string& backend) {
    if (counts_cpu_time()) {
        fmt::print("first result in a new process: left out, its time isn't this process's\n");
        return;
    }
#ifdef MUSTER_TOOL
    const std::string run = fmt::format(
        "{} run {}/examples/saxpy/saxpy.wgsl --bind a=2 --bind x=iota:f32:4096 --bind y=zeros:f32:4096 "
        "--backend {} "
        "> /dev/null",
        MUSTER_TOOL, MUSTER_SOURCE_DIR, backend);
    const auto theirs = of_each(bench, [](const OpenCl& cl) {
        return median_of_rounds([&] {
            run_command(
                fmt::format("cache=$(mktemp -d) && POCL_CACHE_DIR=$cache {} --first-opencl-result '{}'; "
                            "status=$?; rm -rf \"$cache\"; exit $status",
                            this_program(), cl.name()));
        });
    });
    line("first result in a new process, saxpy", median_of_rounds([&] { run_command(run); }), theirs, "ms",
         1e3, 60);
#else
    static_cast<void>(bench), static_cast<void>(backend);
    fmt::print("first result in a new process: left out, the tool isn't built\n");
#endif
}

// The time of our mandelbrot in a process that may use this many cores.
double on_cores(std::size_t cores, const std::string& backend, std::size_t small) {
    double result = 0;
    run_on_cores(cores, fmt::format("--backend {} --small {} --ours mandelbrot", backend, small),
                 [&](const std::string& line) { result = std::atof(line.c_str()); });
    return result;
}

void print_scaling(const std::string& backend, std::size_t small) {
    const double one = on_cores(1, backend, small), two = on_cores(2, backend, small);
    if (one == 0 || two == 0)
        fmt::print("mandelbrot on two cores: left out, there aren't two or taskset isn't there\n");
    else
        fmt::print("| mandelbrot, 1 -> 2 cores | {:.1f} -> {:.1f} ms: {:.2f}x | | >= 1.9x | {} |\n",
                   one * 1e3, two * 1e3, one / two, one / two >= 1.9 ? "met" : "missed");
}

}  // namespace

void print_calls(Bench& bench, const std::string& backend, std::size_t small) {
    fmt::print("\n| | muster | peers | target | |\n| --- | --- | --- | --- | --- |\n");
    print_submissions(bench);
    print_compilation(bench);
    print_new_process(bench, backend);
    print_scaling(backend, small);
}

}  // namespace muster::bench
