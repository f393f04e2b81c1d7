// The caller's memory: 64 MiB are made a buffer, doubled by a kernel and there again, with copies to and from
// the device, and in place (Session::buffer_over). On each device that is there.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <support/callers_array.hpp>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace {

using namespace muster;

constexpr std::size_t count = 16 << 20;

Result<Session> session_on(const char* backend) {
    Policy policy;
    policy.backends = {backend};
    policy.optimize = Optimize::first;
    return Session::open({.policy = policy, .use_environment = false});
}

Result<Kernel> doubling(Session& session) {
    const auto program = wgsl::parse(R"(
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(512) fn twice(@builtin(global_invocation_id) id: vec3u) { x[id.x] = 2 * x[id.x]; }
    )");
    return session.prepare(*validate(*program));
}

bool copied(Session& session, const Kernel& kernel, std::span<std::uint32_t> words) {
    Buffer x = *session.buffer<std::uint32_t>(words);
    return session.dispatch(kernel, {{"x", x}}, Invocations{count}) && x.read(words);
}
bool in_place(Session& session, const Kernel& kernel, std::span<std::uint32_t> words) {
    Buffer x = *session.buffer_over(words);
    return session.dispatch(kernel, {{"x", x}}, Invocations{count}) && x.is_in_place() && x.sync();
}

void on(benchmark::State& state, const char* backend,
        bool (*turn)(Session&, const Kernel&, std::span<std::uint32_t>)) {
    auto session = session_on(backend);
    if (!session) return state.SkipWithError(session.error().message.c_str());
    const auto kernel = doubling(*session);
    if (!kernel) return state.SkipWithError("no such device");
    const test::CallersArray<std::uint32_t> words(count, 0, 1);
    bool done = turn(*session, *kernel, words.all());
    for (auto _ : state) done = turn(*session, *kernel, words.all()) && done;
    if (!done) state.SkipWithError("it failed, or isn't in place");
}

void as_benchmarked(benchmark::internal::Benchmark* bench) {
    bench->Iterations(1)->Repetitions(21)->ReportAggregatesOnly(true)->UseRealTime()->Unit(
        benchmark::kMillisecond);
    bench->ComputeStatistics("min",
                             [](const std::vector<double>& all) { return *std::ranges::min_element(all); });
}
BENCHMARK_CAPTURE(on, cpu_copied, "cpu", copied)->Apply(as_benchmarked);
BENCHMARK_CAPTURE(on, cpu_in_place, "cpu", in_place)->Apply(as_benchmarked);
BENCHMARK_CAPTURE(on, vulkan_copied, "vulkan", copied)->Apply(as_benchmarked);
BENCHMARK_CAPTURE(on, vulkan_in_place, "vulkan", in_place)->Apply(as_benchmarked);
BENCHMARK_CAPTURE(on, opencl_copied, "opencl", copied)->Apply(as_benchmarked);
BENCHMARK_CAPTURE(on, opencl_in_place, "opencl", in_place)->Apply(as_benchmarked);

}  // namespace
