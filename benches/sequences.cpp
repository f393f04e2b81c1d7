// Sequences: 1,000 dispatches of an empty kernel on the CPU, one by one, recorded in a sequence, and by the
// backend alone (Device::submit). Prints nanoseconds per dispatch: the fastest and the median of many short
// rounds, since other work on the machine makes a round slower and never faster. Goal: a step of a sequence
// takes at most 1.1 times what the backend takes.
#include <algorithm>
#include <array>
#include <variant>
#include <vector>

#include <benchmark/benchmark.h>

#include <muster/driver/process/backends.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace {

using namespace muster;

constexpr int steps = 1000;

ValidProgram empty() {
    return *validate(
        *wgsl::parse("@group(0) @binding(0) var<uniform> n: u32; @group(0) @binding(1) var<storage, "
                     "read_write> data: array<u32>;"
                     "@compute @workgroup_size(1) fn main() { if n != 0 { data[0] = n; } }"));
}

void in_short_rounds(benchmark::internal::Benchmark* bench) {
    bench->Iterations(steps)->Repetitions(300)->DisplayAggregatesOnly(true)->ComputeStatistics(
        "min", [](const std::vector<double>& all) { return *std::ranges::min_element(all); });
}

Session cpu_session() {
    Policy policy;
    policy.backends = {"cpu"};
    policy.optimize = Optimize::first;
    return *Session::open({.policy = policy, .use_environment = false});
}

void singly(benchmark::State& state) {
    Session session = cpu_session();
    const Kernel kernel = *session.prepare(empty());
    const Buffer data = *session.zeros<std::uint32_t>(64);
    for (auto _ : state)
        benchmark::DoNotOptimize(
            session.dispatch(kernel, {{"n", 0u}, {"data", data}}, Workgroups{1})->wait());
}
BENCHMARK(singly)->Apply(in_short_rounds);

void in_a_sequence(benchmark::State& state) {
    Session session = cpu_session();
    const Kernel kernel = *session.prepare(empty());
    const Buffer data = *session.zeros<std::uint32_t>(64);
    Sequence sequence = session.sequence();
    for (int i = 0; i < steps; ++i)
        (void)sequence.dispatch(kernel, {{"n", 0u}, {"data", data}}, Workgroups{1});
    (void)sequence.submit()->wait();
    while (state.KeepRunningBatch(steps)) benchmark::DoNotOptimize(sequence.submit()->wait());
}
BENCHMARK(in_a_sequence)->Apply(in_short_rounds);

void by_the_backend(benchmark::State& state) {
    const auto device = *(*acquire("cpu"))->open(0);
    const auto executable = *device->load(*device->compile(empty(), {}));
    const auto memory = *device->allocate(256);
    const std::array<std::uint32_t, 1> value{0};
    const std::array bindings{
        BoundMemory{.bytes = 4, .value = reinterpret_cast<const std::byte*>(value.data())},
        BoundMemory{.memory = memory.get(), .bytes = 256}};
    const Launch launch{
        .executable = executable.get(), .bindings = bindings, .extent = {1, 1, 1}, .grid = {1, 1, 1}};
    for (auto _ : state) {
        auto submitted = device->submit(launch);
        benchmark::DoNotOptimize(std::get<Timing>(*submitted));
    }
}
BENCHMARK(by_the_backend)->Apply(in_short_rounds);

}  // namespace
