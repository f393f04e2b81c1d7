// Compile time against program size: WGSL text to a loaded kernel, or to PTX without a GPU, on each backend
// here. Time should grow as the program does: `each` is the time per statement or call. Mesa's own cache is
// turned off. With files or folders of WGSL it prints the slowest of their kernels on the CPU, with each
// stage's time and the number of LLVM's instructions that it begins with.
//
//     build/bin/bench_compile_time --benchmark_filter=cpu
//     build/bin/bench_compile_time benches/cpu/kernels examples
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <muster/driver/routing/candidate.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/driver/trace/recorder.hpp>
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
            policy.optimize = Optimize::first;
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

/// A kernel's way to its code. Times in ms by the clock, which is the compiling thread's on a quiet machine.
struct Compilation {
    std::string what;
    std::int64_t lines = 0;
    double ms = 0;
    std::map<std::string, double, std::less<>> stages;
    std::map<std::string, std::uint64_t, std::less<>> instructions;  // at each stage's beginning
};

/// Fills in what a trace says.
void read_trace(const std::string& path, Compilation& to) {
    const auto events = nlohmann::json::parse(std::ifstream(path)).at("traceEvents");
    std::vector<std::pair<std::string, double>> open;
    for (const auto& event : events) {
        const std::string phase = event.at("ph");
        if (phase == "B") {
            open.emplace_back(event.at("cat"), event.at("ts"));
        } else if (phase == "E" && !open.empty()) {
            const auto [stage, begun] = open.back();
            open.pop_back();
            const double ms = (event.at("ts").get<double>() - begun) * 1e-3;
            (stage == "compile" ? to.ms : to.stages[stage]) += ms;
        } else if (phase == "C" && !open.empty()) {
            const std::string name = event.at("name");
            if (name == "instructions of LLVM")
                to.instructions[open.back().first] += event.at("args").at("value").get<std::uint64_t>();
        }
    }
}

/// The compilation of one entry point, or none of one that the CPU doesn't take. Every one has a session of its
/// own, which finds no code of another's.
std::optional<Compilation> compile_entry(const std::string& text, const std::string& file,
                                         const std::string& entry, Precision precision) {
    auto parsed = wgsl::parse(text, {.file = file, .entry = entry});
    if (!parsed) return std::nullopt;
    const auto program = validate(*std::move(parsed));
    if (!program) return std::nullopt;
    const std::string path = (std::filesystem::temp_directory_path() / "muster_bench_compile.json").string();
    Policy policy;
    policy.backends = {"cpu"};
    policy.check_devices = false;
    policy.optimize = Optimize::first;
    Session session = must(Session::open({.policy = policy, .use_environment = false}));
    if (session.route(*program).execute() == nullptr) return std::nullopt;
    const std::string used = must(trace::start(path));
    const auto kernel = session.prepare(*program, {.precision = precision});
    trace::end();
    Compilation made{.what = fmt::format("{}:{}, {}", file, entry, name(precision)),
                     .lines = std::ranges::count(text, '\n')};
    if (kernel) read_trace(used, made);
    std::filesystem::remove(used);
    return kernel ? std::optional(std::move(made)) : std::nullopt;
}

std::vector<std::string> wgsl_files(std::span<char* const> places) {
    std::vector<std::string> files;
    for (const char* place : places) {
        if (!std::filesystem::is_directory(place)) {
            files.emplace_back(place);
            continue;
        }
        for (const auto& file : std::filesystem::recursive_directory_iterator(place))
            if (file.path().extension() == ".wgsl") files.push_back(file.path().string());
    }
    std::ranges::sort(files);
    return files;
}

/// Prints the slowest kernels of these files and folders.
int print_slowest(std::span<char* const> places) {
    constexpr std::size_t most = 10;
    setenv("MUSTER_CACHE_BYTES", "0", 1);
    std::vector<Compilation> all;
    std::size_t passed_over = 0;
    for (const std::string& file : wgsl_files(places)) {
        std::ifstream from(file);
        const std::string text{std::istreambuf_iterator<char>(from), {}};
        const auto entries = wgsl::entry_points(text);
        if (!entries || entries->empty()) {
            ++passed_over;
            continue;
        }
        for (const auto& entry : *entries)
            for (const Precision precision : {Precision::exact, Precision::fast})
                if (auto made = compile_entry(text, file, entry.name, precision))
                    all.push_back(*std::move(made));
                else
                    ++passed_over;
    }
    std::ranges::stable_sort(all, std::greater(), &Compilation::ms);
    double sum = 0;
    for (const Compilation& each : all) sum += each.ms;
    fmt::print("{} compilations in {:.1f} s; {} passed over\n\n", all.size(), sum * 1e-3, passed_over);
    fmt::print(
        "| ms | expand | lower | optimize | generate | LLVM's instructions | then | lines | kernel |\n"
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    for (Compilation& each : std::span(all).first(std::min(most, all.size())))
        fmt::print("| {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {} | {} | {} | {} |\n", each.ms,
                   each.stages["expand"], each.stages["lower"], each.stages["optimize"],
                   each.stages["generate"], each.instructions["optimize"], each.instructions["generate"],
                   each.lines, each.what);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && argv[1][0] != '-')
        return print_slowest(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
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
