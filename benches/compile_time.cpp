// Compile time against program size: WGSL text to a loaded kernel, or to PTX without a GPU, on each backend
// here. Time should grow as the program does: `each` is the time per statement or call. Mesa's own cache is
// turned off.
//
//     build/bin/bench_compile_time --benchmark_filter=cpu
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <muster/driver/routing/candidate.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace {

using namespace muster;

std::string kernel(const std::string& statements) {
    return "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n"
           "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
           "    let i = id.x;\n    var v = y[i];\n    var w = v + 1.0;\n    var n = i;\n" +
           statements + "    y[i] = v + w + f32(n);\n}\n";
}

using Statement = std::string (*)(std::int64_t k);

std::string sine(std::int64_t k) { return fmt::format("v = sin(v * {}.25) + w;", k % 100); }
std::string power(std::int64_t k) { return fmt::format("v = pow(v, {}.25) + w;", k % 3); }
std::string plain(std::int64_t k) {
    switch (k % 4) {
        case 0: return fmt::format("v = v * {}.125 + w;", k % 1000);
        case 1: return fmt::format("w = abs(w - v * {}.5);", k % 1000);
        case 2: return fmt::format("n = n * 3u + u32({});", k);
        default: return "v = max(v, w * 0.5) + f32(n & 7u);";
    }
}
std::string memory(std::int64_t k) {
    return fmt::format("y[i + {}u] = y[i + {}u] * 0.5 + v;", k % 97, k * 7 % 89);
}
std::string branch(std::int64_t k) { return fmt::format("if v > {}.5 {{ w = w * 0.75 + v; }}", k % 100); }

template <class T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().to_string());
    return *std::move(result);
}

void compile(benchmark::State& state, const std::string& backend, Statement statement) {
    std::string statements;
    for (std::int64_t k = 0; k < state.range(0); ++k) statements += "    " + statement(k) + "\n";
    const std::string text = kernel(statements);
    try {
        for (auto _ : state) {
            const ValidProgram program = must(validate(must(wgsl::parse(text))));
            Policy policy;
            policy.backends = {backend};
            policy.allow_tags = {"debug"};
            Session session = must(Session::open({.policy = policy, .use_environment = false}));
            const bool runs = session.route(program).execute() != nullptr;
            if (runs)
                must(session.prepare(program));
            else
                must(session.emit(program,
                                  {.backend = backend, .arch = "sm_90", .request = {.format = "ptx"}}));
        }
    } catch (const std::exception& error) {
        state.SkipWithError(error.what());
    }
    state.counters["each"] =
        benchmark::Counter(static_cast<double>(state.range(0)),
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

struct Row {
    const char* name;
    Statement statement;
    std::vector<std::int64_t> sizes;
};

}  // namespace

int main(int argc, char** argv) {
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    const std::vector<Row> rows{{"sin", sine, {10, 100, 1000}},
                                {"pow", power, {10, 100, 1000}},
                                {"statements", plain, {1000, 5000, 20000}},
                                {"memory", memory, {100, 500, 2000}},
                                {"branches", branch, {250, 1000, 4000}}};
    for (const char* backend : {"reference", "cpu", "cuda", "vulkan"})
        for (const Row& row : rows)
            benchmark::RegisterBenchmark(fmt::format("{}/{}", backend, row.name).c_str(), compile,
                                         std::string(backend), row.statement)
                ->ArgsProduct({row.sizes})
                ->Iterations(1)
                ->UseRealTime()
                ->Unit(benchmark::kMillisecond);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
