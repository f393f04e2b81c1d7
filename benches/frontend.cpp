// The front end by itself: WGSL text to a Program, a ValidProgram, and to the text or words that a
// driver compiles. The peer is glslang, from the same kernel in GLSL to SPIR-V. Counters: lines per
// second; with `heap`, the most bytes on the heap at once per byte of text, which stays the same as the
// text grows if memory is linear.
//
//     build/bin/bench_frontend
#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/foundation/ir/program_data.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#ifdef MUSTER_GLSLANG
#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#endif

namespace {

bool counts = false;  // only in a run of its own, since counting takes time
std::atomic<std::int64_t> heap{0}, most_heap{0};

void* count(void* memory) {
    if (!memory) throw std::bad_alloc();
    if (!counts) return memory;
    const auto now = heap += static_cast<std::int64_t>(malloc_usable_size(memory));
    if (now > most_heap) most_heap = now;
    return memory;
}

void uncount(void* memory) {
    if (counts) heap -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return count(std::malloc(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t align) {
    return count(std::aligned_alloc(static_cast<std::size_t>(align), bytes));
}
void operator delete(void* memory) noexcept { uncount(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncount(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { uncount(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { uncount(memory); }

namespace {

using namespace muster;

// One function of 20 lines: a loop, a branch, a switch, memory, built-in functions.
constexpr const char* wgsl_function = R"(
fn step_{0}(v: vec4f, n: u32) -> vec4f {{
    var sum = vec4f(0.0);
    var m = n + {0}u;
    for (var i = 0u; i < 8u; i++) {{
        let x = data[(m + i) % arrayLength(&data)];
        if x.x > sum.y {{
            sum += x * 0.{0};
        }} else {{
            sum = max(sum, x.wzyx) - v * 0.25;
        }}
        m = m * 1664525u + 1013904223u;
    }}
    switch m & 3u {{
        case 0u: {{ sum.x = abs(sum.y); }}
        case 1u: {{ sum.y = clamp(sum.z, 0.0, 1.0); }}
        default: {{ sum.w = dot(sum, v); }}
    }}
    data[m % arrayLength(&data)] = sum;
    return mix(sum, v, 0.5);
}})";
#ifdef MUSTER_GLSLANG
constexpr const char* glsl_function = R"(
vec4 step_{0}(vec4 v, uint n) {{
    vec4 sum = vec4(0.0);
    uint m = n + {0}u;
    for (uint i = 0u; i < 8u; i++) {{
        vec4 x = data[(m + i) % data.length()];
        if (x.x > sum.y) {{
            sum += x * 0.{0};
        }} else {{
            sum = max(sum, x.wzyx) - v * 0.25;
        }}
        m = m * 1664525u + 1013904223u;
    }}
    switch (m & 3u) {{
        case 0u: {{ sum.x = abs(sum.y); break; }}
        case 1u: {{ sum.y = clamp(sum.z, 0.0, 1.0); break; }}
        default: {{ sum.w = dot(sum, v); break; }}
    }}
    data[m % data.length()] = sum;
    return mix(sum, v, 0.5);
}})";
#endif
constexpr std::int64_t lines_per_function = 20;

struct Text {
    std::string source;
    std::int64_t lines;
};

// `functions` of them, of which main calls the first `called`.
Text make_text(bool glsl, std::int64_t functions, std::int64_t called) {
    Text text{glsl ? "#version 450\nlayout(local_size_x = 64) in;\n"
                     "layout(std430, binding = 0) buffer Data { vec4 data[]; };\n"
                   : "@group(0) @binding(0) var<storage, read_write> data: array<vec4f>;\n",
              0};
    for (std::int64_t k = 1; k <= functions; ++k) {
#ifdef MUSTER_GLSLANG
        if (glsl) text.source += fmt::format(fmt::runtime(glsl_function), k);
#endif
        if (!glsl) text.source += fmt::format(fmt::runtime(wgsl_function), k);
    }
    text.source +=
        glsl ? "\nvoid main() {\n    uint i = gl_GlobalInvocationID.x;\n    vec4 v = data[i];\n"
             : "\n@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
               "    let i = id.x;\n    var v = data[i];\n";
    for (std::int64_t k = 1; k <= called; ++k) text.source += fmt::format("    v = step_{}(v, i);\n", k);
    text.source += "    data[i] = v;\n}\n";
    text.lines = functions * lines_per_function + called + 6;
    return text;
}

template <class T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().to_string());
    return *std::move(result);
}

enum class Step { parse, validate, spirv, cuda };

std::size_t run(const std::string& source, Step last) {
    const Program program = must(wgsl::parse(source));
    if (last == Step::parse) return program.node_count();
    const ValidProgram valid = must(validate(program));
    // Fast mode's functions stay calls, so that lowering alone is measured.
    const CompileOptions options{.precision = Precision::fast};
    if (last == Step::spirv) return must(vulkan::lower(valid, {.options = options})).words.size();
    if (last == Step::cuda) return must(cuda::lower(valid, {.options = options})).text.size();
    return 1;
}

void measure(benchmark::State& state, const Text& text, auto work) {
    try {
        for (auto _ : state) benchmark::DoNotOptimize(work(text.source));
        heap = most_heap = 0;
        counts = true;
        benchmark::DoNotOptimize(work(text.source));
        counts = false;
    } catch (const std::exception& error) {
        state.SkipWithError(error.what());
    }
    state.counters["lines"] =
        benchmark::Counter(static_cast<double>(text.lines), benchmark::Counter::kIsIterationInvariantRate);
    state.counters["heap"] = static_cast<double>(most_heap) / static_cast<double>(text.source.size());
}

void muster_row(benchmark::State& state, Step last, Text (*make)(bool, std::int64_t)) {
    measure(state, make(false, state.range(0)), [&](const std::string& source) { return run(source, last); });
}

// The fingerprint, computed once for each program that routes or is compiled.
void fingerprint_row(benchmark::State& state, Text (*make)(bool, std::int64_t)) {
    const Text text = make(false, state.range(0));
    const Program program = must(wgsl::parse(text.source));
    measure(state, text, [&](const std::string&) { return fingerprint_of(program.data()).words[0]; });
}

#ifdef MUSTER_GLSLANG
std::size_t run_glslang(const std::string& source) {
    const glslang_input_t input{.language = GLSLANG_SOURCE_GLSL,
                                .stage = GLSLANG_STAGE_COMPUTE,
                                .client = GLSLANG_CLIENT_VULKAN,
                                .client_version = GLSLANG_TARGET_VULKAN_1_2,
                                .target_language = GLSLANG_TARGET_SPV,
                                .target_language_version = GLSLANG_TARGET_SPV_1_5,
                                .code = source.c_str(),
                                .default_version = 450,
                                .default_profile = GLSLANG_NO_PROFILE,
                                .force_default_version_and_profile = 0,
                                .forward_compatible = 0,
                                .messages = GLSLANG_MSG_DEFAULT_BIT,
                                .resource = glslang_default_resource()};
    glslang_shader_t* shader = glslang_shader_create(&input);
    glslang_program_t* program = glslang_program_create();
    std::size_t words = 0;
    if (glslang_shader_preprocess(shader, &input) && glslang_shader_parse(shader, &input)) {
        glslang_program_add_shader(program, shader);
        if (glslang_program_link(program, GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT)) {
            glslang_program_SPIRV_generate(program, GLSLANG_STAGE_COMPUTE);
            words = glslang_program_SPIRV_get_size(program);
        }
    }
    const std::string log = glslang_shader_get_info_log(shader);
    glslang_program_delete(program);
    glslang_shader_delete(shader);
    if (words == 0) throw std::runtime_error(log);
    return words;
}

void glslang_row(benchmark::State& state, Text (*make)(bool, std::int64_t)) {
    measure(state, make(true, state.range(0)), run_glslang);
}
#endif

Text all_called(bool glsl, std::int64_t lines) {
    const std::int64_t functions = (lines - 6) / (lines_per_function + 1);
    return make_text(glsl, functions, functions);
}
// As large as a text may be, though a program may not: main calls few of its functions.
Text few_called(bool glsl, std::int64_t kilobytes) { return make_text(glsl, kilobytes * 1000 / 720, 10); }

}  // namespace

int main(int argc, char** argv) {
    const auto add = [](const char* name, auto row, auto make, std::vector<std::int64_t> sizes) {
        benchmark::RegisterBenchmark(name, row, make)->ArgsProduct({sizes})->Unit(benchmark::kMillisecond);
    };
    const auto step = [](Step last) {
        return [last](benchmark::State& state, Text (*make)(bool, std::int64_t)) {
            muster_row(state, last, make);
        };
    };
    const std::vector<std::int64_t> lines{300, 3000}, kilobytes{10, 100, 1000, 10000};
    add("parse/lines", step(Step::parse), all_called, lines);
    add("parse+validate/lines", step(Step::validate), all_called, lines);
    add("fingerprint/lines", fingerprint_row, all_called, lines);
    add("to CUDA C++/lines", step(Step::cuda), all_called, lines);
    add("to SPIR-V/lines", step(Step::spirv), all_called, lines);
#ifdef MUSTER_GLSLANG
    glslang_initialize_process();
    add("glslang to SPIR-V/lines", glslang_row, all_called, lines);
#endif
    add("parse+validate/KB", step(Step::validate), few_called, kilobytes);
#ifdef MUSTER_GLSLANG
    add("glslang to SPIR-V/KB", glslang_row, few_called, kilobytes);
#endif
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
