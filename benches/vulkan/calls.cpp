// The rows about calls and start-up: an empty kernel, a thousand of them, a new process.
#include <bit>
#include <cstdio>

#include <unistd.h>

#include "bench.hpp"

namespace muster::bench {
namespace {

void print_submissions(Bench& bench, int rounds) {
    constexpr int in_flight = 1000;
    const Kernel kernel = prepare(bench.session, empty_text, bench.precision);
    const std::vector<Argument> arguments{{"data", bench.buffer(Words(1))}};
    const RawPass pass =
        bench.raw.pass(shader("empty", bench.precision, Access::plain), {bench.raw_buffer(Words(1))}, {});
    const RawCommands once = bench.raw.record({pass});
    const auto alone = [&] { must(bench.submit(kernel, arguments, Workgroups{1}).wait()); };
    print_line("empty kernel, submit and wait",
               time_in_turns({{"muster", alone, {}}, {"raw", [&] { bench.raw.run(once); }, {}}}, rounds), 1,
               1e6, "us", 1.15);

    const std::vector<RawPass> passes(in_flight, pass);
    const RawCommands ordered = bench.raw.record(passes), free = bench.raw.record(passes, false);
    std::vector<Ticket> tickets;
    const auto at_once = [&] {
        tickets.clear();
        for (int i = 0; i < in_flight; ++i) tickets.push_back(bench.submit(kernel, arguments, Workgroups{1}));
        for (const Ticket& ticket : tickets) must(ticket.wait());
    };
    const Times times = time_in_turns({{"muster", at_once, {}},
                                       {"recorded", [&] { bench.raw.run(ordered); }, {}},
                                       {"recorded now", [&] { bench.raw.run(bench.raw.record(passes)); }, {}},
                                       {"without barriers", [&] { bench.raw.run(free); }, {}}},
                                      rounds);
    const double each = 1e6 / in_flight;
    print_line("1,000 at once, each; theirs recorded beforehand", times, 1, each, "us", 1.15);
    print_line("the same; theirs recorded each time", times, 2, each, "us", 1.15);
    print_line("the same; theirs recorded beforehand, without barriers", times, 3, each, "us", 1.15);

    Sequence sequence = bench.session.sequence();
    for (int i = 0; i < in_flight; ++i) must(sequence.dispatch(kernel, arguments, Workgroups{1}));
    const Times in_sequence = time_in_turns({{"muster", [&] { must(must(sequence.submit()).wait()); }, {}},
                                             {"recorded", [&] { bench.raw.run(ordered); }, {}},
                                             {"one by one", at_once, {}}},
                                            rounds);
    print_line("1,000 in a sequence, each; theirs recorded beforehand", in_sequence, 1, each, "us", 1.1);
    print_line("the same; beside ours one by one", in_sequence, 2, each, "us", 1.1);
}

const char* const saxpy_text = R"(
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
    y[id.x] = a * x[id.x] + y[id.x];
})";

// A value that differs each time is a push constant in the peer, which records each time.
void print_values(Bench& bench, int rounds) {
    constexpr std::size_t count = 256;
    const std::vector<float> ones(count, 1.0f);
    const Kernel kernel = prepare(bench.session, saxpy_text, bench.precision);
    const Buffer x = bench.buffer(ones), y = bench.buffer(ones);
    const RawBuffer raw_x = bench.raw_buffer(ones), raw_y = bench.raw_buffer(ones);
    float a = 0;
    const auto ours = [&] {
        must(bench.submit(kernel, {{"a", a += 0x1p-20f}, {"x", x}, {"y", y}}, Workgroups{1}).wait());
    };
    const auto same = [&] {
        must(bench.submit(kernel, {{"a", 1.0f}, {"x", x}, {"y", y}}, Workgroups{1}).wait());
    };
    const RawPass pass = bench.raw.pass(shader("saxpy", bench.precision, Access::guarded), {raw_x, raw_y},
                                        {.push = {std::bit_cast<std::uint32_t>(1.0f)}});
    const RawCommands recorded = bench.raw.record({pass});
    const Times times = time_in_turns({{"muster", ours, {}},
                                       {"recorded now", [&] { bench.raw.run(bench.raw.record({pass})); }, {}},
                                       {"recorded", [&] { bench.raw.run(recorded); }, {}},
                                       {"same value", same, {}}},
                                      rounds);
    print_line("saxpy of 256 with another value each time; theirs a push constant, recorded each time", times,
               1, 1e6, "us", 1.15);
    print_line("the same; theirs recorded beforehand", times, 2, 1e6, "us", 1.15);
    print_line("the same; beside ours with one value", times, 3, 1e6, "us", 1.15);
}

std::string this_program() {
    std::string path(4096, '\0');
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
    path.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return path;
}

// Milliseconds, measured by a new process.
double first_in_new_process(const std::string& by, const std::string& device) {
    const std::string command = fmt::format("{} --first {} --device \"{}\" --cpu-time {}", this_program(), by,
                                            device, counts_cpu_time() ? 1 : 0);
    double result = 0;
    if (FILE* out = popen(command.c_str(), "r")) {
        if (std::fscanf(out, "%lf", &result) != 1) result = 0;
        pclose(out);
    }
    return result;
}

void print_first(const std::string& device, int rounds) {
    std::vector<double> ours, raw, beyond;
    for (int i = 0; i < rounds; ++i) {
        ours.push_back(first_in_new_process("muster", device));
        raw.push_back(first_in_new_process("raw", device));
        beyond.push_back(ours.back() - raw.back());
    }
    const double more = median(beyond);
    fmt::print(
        "| first result in a new process | {:.1f} ms | {:.1f} ms | {:.1f} ms more | <= 5 ms more | {} |\n",
        median(ours), median(raw), more, more <= 5 ? "met" : "missed");
}

float first_of_ours(const std::vector<float>& x, const std::string& device) {
    Session session = open_session("vulkan", device.empty() ? 0 : choose_device("vulkan", device).ordinal);
    const Kernel kernel = prepare(session, saxpy_text, Precision::exact);
    const Buffer y = must(session.buffer(x));
    must(must(session.dispatch(kernel, {{"a", 2.0f}, {"x", must(session.buffer(x))}, {"y", y}},
                               Invocations{x.size()}))
             .wait());
    return must(y.read_all<float>())[7];
}

float first_of_raw(const std::vector<float>& x) {
    RawDevice device;
    const RawBuffer raw_x = device.buffer(x.size() * 4), raw_y = device.buffer(x.size() * 4);
    device.write(raw_x, std::as_bytes(std::span(x)));
    device.write(raw_y, std::as_bytes(std::span(x)));
    const std::array<std::uint32_t, 2> groups{static_cast<std::uint32_t>(x.size() / 256), 1};
    device.run(
        device.record({device.pass(shader("saxpy", Precision::exact, Access::guarded), {raw_x, raw_y},
                                   {.push = {std::bit_cast<std::uint32_t>(2.0f)}, .groups = groups})}));
    std::vector<float> y(x.size());
    device.read(raw_y, std::as_writable_bytes(std::span(y)));
    return y[7];
}

}  // namespace

double first_result(const std::string& by, const std::string& device) {
    const std::vector<float> x(4096, 1.0f);
    float result = 0;
    const double took =
        seconds([&] { result = by == "muster" ? first_of_ours(x, device) : first_of_raw(x); });
    return result == 3.0f ? took * 1e3 : 0;
}

void print_calls(Bench& bench, const std::string& device, int rounds) {
    fmt::print("{}", head_of_calls);
    print_submissions(bench, rounds);
    print_values(bench, rounds);
    print_first(device, rounds);
}

}  // namespace muster::bench
