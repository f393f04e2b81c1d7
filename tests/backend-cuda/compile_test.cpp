// NVIDIA's own compilers, NVRTC and ptxas, on our text. On machines without them, a test reports that it is
// skipped.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <muster_cuda_toolkit.hpp>

#include <muster/backend-cuda/compile/debug_map.hpp>
#include <muster/conformance/case.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>

#include "backend-cuda/workshop.hpp"
#include "support/random_program.hpp"

using namespace muster;
using namespace muster::cuda;
using namespace muster::cuda::test;

namespace {

/// Adds the parts of programs with grid barriers, which are launched if a grid is too large for one launch.
void add_parts(std::map<std::string, ValidProgram>& all) {
    std::map<std::string, ValidProgram> parts;
    for (const auto& [name, program] : all) {
        if (!has_grid_barriers(*program)) continue;
        const auto split = split_at_grid_barriers(*program);
        REQUIRE(split);
        for (std::size_t k = 0; k < split->parts.size(); ++k)
            parts.emplace(fmt::format("{}, part {}", name, k), split->parts[k].program);
    }
    all.merge(parts);
}

/// The conformance cases by name, and the example kernels, which the benchmarks run.
std::map<std::string, ValidProgram> programs(bool with_cases) {
    std::map<std::string, ValidProgram> all;
    if (with_cases) {
        const auto cases = conformance::load_cases();
        REQUIRE(cases);
        for (const conformance::Case& one : *cases)
            all.emplace(one.name, parse(one.text, one.name + ".wgsl"));
        if (std::getenv("MUSTER_TEST_ALL") != nullptr) add_parts(all);
    }
    for (const auto& file : std::filesystem::directory_iterator(MUSTER_EXAMPLES "/kernels")) {
        std::ifstream in(file.path());
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        all.emplace("kernels/" + file.path().stem().string(), parse(text, file.path().filename().string()));
    }
    return all;
}

std::string tool() { return MUSTER_CUDA_TOOLKIT "/bin/ptxas"; }
bool has_ptxas() {
    if (std::filesystem::exists(tool())) return true;
    MESSAGE("skipped: there is no ", tool());
    return false;
}

struct Report {
    bool accepted = false;
    std::string log;
};
Report ptxas(const std::string& ptx, const std::string& arch) {
    char path[] = "/tmp/muster_ptx_XXXXXX";
    const int file = mkstemp(path);
    REQUIRE(file != -1);
    std::FILE* const out = fdopen(file, "w");
    std::fwrite(ptx.data(), 1, ptx.size(), out);
    std::fclose(out);
    std::FILE* const run =
        popen((tool() + " -v -arch=" + arch + " -o /dev/null " + path + " 2>&1").c_str(), "r");
    REQUIRE(run != nullptr);
    Report report;
    for (int c = std::fgetc(run); c != EOF; c = std::fgetc(run)) report.log += static_cast<char>(c);
    report.accepted = pclose(run) == 0;
    std::filesystem::remove(path);
    return report;
}

/// The offsets of the kernel's parameters in their block, and the block's end.
std::vector<std::uint64_t> offsets_in(const std::string& ptx) {
    std::vector<std::uint64_t> offsets;
    std::uint64_t end = 0;
    const std::size_t open = ptx.find('(', ptx.find(".entry")), close = ptx.find(')', open);
    std::stringstream parameters(ptx.substr(open + 1, close - open - 1));
    for (std::string one; std::getline(parameters, one, ',');) {
        std::uint64_t align = 0, bytes = 1;
        std::stringstream words(one);
        for (std::string word; words >> word;) {
            if (word == ".align") words >> align;
            if (word.size() == 4 && word.find_first_of("subf") == 1 && std::isdigit(word[2]) != 0)
                bytes = std::stoul(word.substr(2)) / 8;
            if (word == ".b8") bytes = 1;
            if (const std::size_t count = word.find('['); count != word.npos)
                bytes *= std::stoul(word.substr(count + 1));
        }
        end = round_up(end, align == 0 ? bytes : align);
        if (bytes != 0 && !one.empty() && contains(one, ".param")) offsets.push_back(end);
        end += bytes;
    }
    offsets.push_back(end);
    return offsets;
}
std::vector<std::uint64_t> offsets_of(const CudaSource& source) {
    std::vector<std::uint64_t> offsets;
    for (const Parameter& one : source.parameters) {
        offsets.push_back(one.offset);
        if (one.array_stride != 0) offsets.push_back(one.length_offset);
    }
    if (source.origin_offset) offsets.push_back(*source.origin_offset);
    if (source.grid_offset) offsets.push_back(*source.grid_offset);
    if (source.barrier_state_offset) offsets.push_back(*source.barrier_state_offset);
    offsets.push_back(source.parameter_bytes);
    return offsets;
}

/// The line of the last entry that isn't beyond the target.
std::uint32_t line_at(const std::vector<DebugEntry>& map, std::uint64_t target) {
    std::uint32_t line = 0;
    for (const DebugEntry& entry : map)
        if (entry.target <= target) line = entry.source.line;
    return line;
}

}  // namespace

TEST_CASE("NVRTC compiles every program, emitted and dispatched, and ptxas takes the PTX") {
    const auto compiler = nvrtc();
    if (!compiler) return;
    const bool checks = has_ptxas();
    const auto all = programs(true);
    CHECK(all.size() > 100);
    for (const std::string& arch : tested_archs()) {
        if (std::ranges::count(compiler->archs(), std::stoi(arch.substr(3))) == 0) continue;
        for (const auto& [name, program] : all) {
            CAPTURE(name);
            const CudaSource source = lowered(program);
            const std::string ptx = ptx_of(program, source, {}, arch);
            if (!contains(source.text, "fmaf(")) CHECK_FALSE(contains(ptx, "fma.rn.f32"));
            CHECK(offsets_in(ptx) == offsets_of(source));
            const CudaSource dispatched = lowered(program, {.dispatched = true, .debug = false});
            CHECK(offsets_in(ptx_of(program, dispatched, {}, arch)) == offsets_of(dispatched));
            if (!checks) continue;
            const Report report = ptxas(ptx, arch);
            CHECK_MESSAGE(report.accepted, report.log);
        }
    }
}

TEST_CASE("constants with vectors in them compile for every architecture") {
    const auto compiler = nvrtc();
    if (!compiler) return;
    const auto all = programs(true);
    for (const char* const arch : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
        if (std::ranges::count(compiler->archs(), std::atoi(arch + 3)) == 0) continue;
        for (const char* const name :
             {"constants/structure_with_vector", "constants/table_of_vectors",
              "constants/array_of_vectors_in_a_let", "constants/private_initialisers",
              "examples/marching_squares", "examples/path_tracer"}) {
            CAPTURE(name);
            ptx_of(all.at(name), lowered(all.at(name)), {}, arch);
        }
    }
}

// A constant's values are in the PTX's .const or .global; a kernel that made them itself would have a local copy.
TEST_CASE("tables stay in constant memory, and beyond 64 KiB in global memory") {
    if (!nvrtc()) return;
    std::string tables, sum = "0u";
    for (int k = 0; k < 5; ++k) {
        tables += fmt::format("const t{} = array<vec4u, 1100>(", k);
        for (int element = 0; element < 1100; ++element)
            tables += fmt::format("vec4u({}, 2, 3, {}),", k, element);
        tables += ");\n";
        sum += fmt::format(" + t{}[u[id.x]].w", k);
    }
    const ValidProgram program = parse(tables + statements("u[id.x] = " + sum + ";"));
    const CudaSource source = lowered(program);
    CHECK(contains(
        source.text,
        "__constant__ const array<uint4, 1100> table = array<uint4, 1100>{{uint4{0u, 2u, 3u, 0u}, "));
    const std::string ptx = ptx_of(program, source);
    const auto count = [&](std::string_view what) {
        std::size_t found = 0;
        for (const std::string& line : lines_of(ptx)) found += contains(line, what) ? 1 : 0;
        return found;
    };
    CHECK(count(".const .align 16 .b8 table") == 3);
    CHECK(count(".global .align 16 .b8 table") == 2);
    CHECK(count("ld.const") == 3);
    CHECK(count(".local") == 0);
    if (!has_ptxas()) return;
    const Report report = ptxas(ptx, "sm_90");
    CHECK_MESSAGE(report.accepted, report.log);
}

TEST_CASE("kernels, values and members may have any name") {
    if (!nvrtc()) return;
    for (const std::string name :
         {"exp", "abs", "printf", "malloc", "round", "norm", "y1", "fma", "cudaError_t", "clock", "sqrtf",
          "min", "dim3", "main", "half", "int", "linux", "nan"}) {
        CAPTURE(name);
        const std::string text =
            "struct Inner { NAME: f32 }\nstruct Outer { Inner: Inner, other: Inner }\n"
            "@group(0) @binding(0) var<storage, read_write> x: Outer;\n"
            "@compute @workgroup_size(1) fn NAME() {\n"
            "    let NAME_ = x.Inner.NAME * 2.0; x.other.NAME = NAME_ + NAME_;\n}\n";
        std::string named;
        for (std::size_t at = 0; at < text.size();) {
            const bool is_name = text.compare(at, 4, "NAME") == 0;
            named += is_name ? name : text.substr(at, 1);
            at += is_name ? 4 : 1;
        }
        const ValidProgram program = parse(named);
        ptx_of(program, lowered(program));
    }
}

TEST_CASE("structures may have any name") {
    if (!nvrtc()) return;
    for (const std::string name :
         {"printf",  "cudaStream_t", "cudaError_t", "exp",    "norm",     "clock",  "index",
          "time",    "uint",         "ushort",      "int8_t", "uint64_t", "FILE",   "tm",
          "timeval", "div_t",        "texture",     "padded", "table",    "float3", "bool2"}) {
        CAPTURE(name);
        const ValidProgram program = parse(
            fmt::format("struct {0} {{ a: f32, v: vec3f }}\nconst t = array({0}(1, vec3f(2)), {0}());\n",
                        name) +
            statements(fmt::format("var s = t[id.x]; s = {}(s.v.x, s.v); f[0] = s.a;", name)));
        ptx_of(program, lowered(program));
    }
}

TEST_CASE("random programs compile") {
    if (!nvrtc()) return;
    const std::uint64_t count = std::getenv("MUSTER_TEST_ALL") != nullptr ? 300 : 15;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        CAPTURE(seed);
        const ValidProgram program = parse(muster::testing::random_program(seed).text(), "random.wgsl");
        ptx_of(program, lowered(program, {.dispatched = seed % 2 == 0}));
    }
}

TEST_CASE("the example kernels use no local memory, in either mode") {
    if (!nvrtc() || !has_ptxas()) return;
    for (const auto& [name, program] : programs(false))
        for (const Precision precision : {Precision::exact, Precision::fast}) {
            CAPTURE(name);
            const CompileOptions options{.precision = precision};
            const Report report =
                ptxas(ptx_of(program, lowered(program, {.options = options}), options), "sm_90");
            CHECK(report.accepted);
            CHECK_MESSAGE(
                contains(report.log, "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"),
                report.log);
        }
}

TEST_CASE("a fault in a kernel is found at its line, from the line of the PTX") {
    if (!nvrtc()) return;
    const ValidProgram program = parse(R"(@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let a = x[id.x];
    if a > 1.0 {
        y[id.x] = a / 3.0;
    }
    y[id.x + 1000000u] = sqrt(a);   // nobody bound as much
}
)",
                                       "faulty.wgsl");
    const LowerTarget target{.options = {.unchecked = true}};
    const CudaSource source = lowered(program, target);
    const std::string ptx = ptx_of(program, source, target.options);
    const auto map = map_ptx(*program, source, ptx);
    std::map<std::string, std::vector<std::uint32_t>> found;
    const auto lines = lines_of(ptx);
    for (std::size_t n = 0; n < lines.size(); ++n)
        for (const char* const instruction : {"ld.global", "div.rn.f32", "sqrt.rn.f32", "st.global"})
            if (contains(lines[n], instruction)) found[instruction].push_back(line_at(map, n + 1));
    CHECK(found["ld.global"] == std::vector<std::uint32_t>{5});
    CHECK(found["div.rn.f32"] == std::vector<std::uint32_t>{7});
    CHECK(found["sqrt.rn.f32"] == std::vector<std::uint32_t>{9});
    CHECK(found["st.global"] == std::vector<std::uint32_t>{7, 9});
    for (const DebugEntry& entry : map) CHECK(bool(entry.node) == (entry.source.line != 0));
}

TEST_CASE("exact arithmetic is IEEE's, fast is the device's own") {
    if (!nvrtc()) return;
    const ValidProgram program = parse(statements("f[0] = f[1] * f[2] + f[3] / f[4] + sqrt(f[5]);"));
    const std::string exact = ptx_of(program, lowered(program));
    for (const char* const instruction : {"mul.rn.f32", "add.rn.f32", "div.rn.f32", "sqrt.rn.f32"})
        CHECK_MESSAGE(contains(exact, instruction), instruction);
    CHECK_FALSE(contains(exact, "ftz"));
    const CompileOptions options{.precision = Precision::fast};
    const std::string fast = ptx_of(program, lowered(program, {.options = options}), options);
    // Without .rn: ptxas may contract these.
    for (const char* const instruction : {"mul.ftz.f32", "div.approx.ftz.f32", "sqrt.approx.ftz.f32"})
        CHECK_MESSAGE(contains(fast, instruction), instruction);
}

TEST_CASE("minima, conversions and selections take no branch") {
    if (!nvrtc()) return;
    LowerTarget target;
    target.options.unchecked = true;
    const ValidProgram program =
        parse(statements("let a = f[1]; let b = f[2]; f[0] = min(a, b) + max(a, b * 2.0);\n"
                         "i[0] = i32(a); u[0] = u32(b); u[1] = bitcast<u32>(a); "
                         "f[3] = select(a, b, a < 3.0); i[1] = i[2] << u[3];"));
    const std::string ptx = ptx_of(program, lowered(program, target), target.options);
    CHECK_FALSE(contains(ptx, "bra"));
}

TEST_CASE("loads are as wide as their type is aligned, and read-only where nothing writes") {
    if (!nvrtc()) return;
    const ValidProgram program = parse(R"(@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4f>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x < min(arrayLength(&x), arrayLength(&y)) { y[id.x] = x[id.x] + y[id.x]; }
})");
    const std::string ptx = ptx_of(program, lowered(program));
    CHECK(contains(ptx, "ld.global.nc.v4.f32"));
    CHECK(contains(ptx, "ld.global.v4.f32"));
    CHECK(contains(ptx, "st.global.v4.f32"));
}

TEST_CASE("a load behind a barrier is made there, also of what this invocation has read or written before") {
    if (!nvrtc()) return;
    for (const char* const barrier : {"storageBarrier();", "workgroupBarrier();"}) {
        CAPTURE(barrier);
        const ValidProgram program = parse(fmt::format(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32, 8>;\n"
            "@group(0) @binding(1) var<storage, read_write> y: array<u32, 64>;\n"
            "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{\n"
            "if i == 5 {{ x[0] = 7; }} let a = x[1]; {0} if i == 6 {{ x[1] = 9; }} {0} y[i] = x[1] + a; }}",
            barrier));
        const std::string ptx = ptx_of(program, lowered(program));
        const std::size_t last = ptx.rfind("bar.sync");
        REQUIRE(last != ptx.npos);
        CHECK(ptx.find("ld.global", last) != ptx.npos);
        CHECK_FALSE(contains(ptx, "ld.global.nc"));
    }
}

TEST_CASE("a loop that never ends isn't taken away") {
    if (!nvrtc()) return;
    const ValidProgram program = parse(statements("while f[0] < 1.0 { } u[0] = 1u;"));
    const std::string ptx = ptx_of(program, lowered(program));
    const std::size_t label = ptx.find("$L__BB");
    REQUIRE(label != std::string::npos);
    CHECK(contains(std::string_view(ptx).substr(label), "bra"));
}

TEST_CASE("what NVRTC refuses is shown: its log, the line of the text, the line of the source") {
    const auto compiler = nvrtc();
    if (!compiler) return;
    const ValidProgram program = parse(statements("let a = f[0];\n    f[1] = a * 2.0;"), "broken.wgsl");
    CudaSource source = lowered(program);
    const std::size_t at = source.text.find("a * 2.0f");
    REQUIRE(at != std::string::npos);
    source.text.replace(at, 8, "a * none");
    const auto refused = compile_text(*compiler, *program, source, {}, "sm_90", ImageFormat::ptx);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::compile_failed);
    const std::string message = refused.error().to_string();
    CHECK(contains(message,
                   " refuses the text of kernel:\nbroken.wgsl(6): error: identifier \"none\" is undefined"));
    CHECK(contains(message, ", from broken.wgsl:6:     "));
    CHECK(contains(message, " = a * none;\n"));
    source.text.insert(0, "wrong\n");
    const auto in_front = compile_text(*compiler, *program, source, {}, "sm_90", ImageFormat::ptx);
    REQUIRE_FALSE(in_front);
    CHECK(contains(in_front.error().to_string(), "of the text: "));
}

TEST_CASE("an architecture that NVRTC doesn't know is refused with those that it does") {
    const auto compiler = nvrtc();
    if (!compiler) return;
    const ValidProgram program = parse(statements("f[0] = 1.0;"));
    const auto refused = compile_text(*compiler, *program, lowered(program), {}, "sm_30", ImageFormat::cubin);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK(contains(refused.error().to_string(), " doesn't compile for sm_30; it does for sm_"));
    CHECK(contains(refused.error().fix, "--format cuda"));
}

TEST_CASE("a machine without NVRTC is told what is missing, and what can be done without it") {
    const std::vector<std::string> nowhere{"libmuster_no_such_nvrtc.so.13"};
    const auto none = Nvrtc::open(nowhere);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::unavailable);
    CHECK(contains(none.error().message,
                   "This machine has no NVRTC that can be opened (libmuster_no_such_nvrtc.so.13: "));
    CHECK(contains(none.error().fix, "--format cuda"));
    const auto missing = Nvrtc::missing(nowhere);
    REQUIRE(missing);
    CHECK(missing->message == none.error().message);
    CHECK(missing->fix == none.error().fix);
    CHECK_FALSE(Nvrtc::missing(std::vector<std::string>{"libmuster_no_such_nvrtc.so.13", "libm.so.6"}));
    const auto wrong = Nvrtc::open(std::vector<std::string>{"libm.so.6"});
    REQUIRE_FALSE(wrong);
    CHECK(contains(wrong.error().message, "libm.so.6 has no function nvrtcVersion"));
}

TEST_CASE("every call goes through the door") {
    const auto compiler = nvrtc();
    if (!compiler) return;
    for (const std::string planted :
         {"nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetPTXSize", "nvrtcGetPTX"}) {
        const PlantedFaults faults([&](std::string_view call) {
            return call == planted ? std::optional(Error{ErrorCode::out_of_memory, "There is none.", "", {}})
                                   : std::nullopt;
        });
        const auto failed = compiler->compile({.text = "", .name = "x.cu", .options = {}});
        REQUIRE_FALSE(failed);
        CHECK(failed.error().code == ErrorCode::out_of_memory);
        CHECK(contains(failed.error().to_string(), "calling " + planted));
    }
}

TEST_CASE("a device gets a cubin where NVRTC isn't newer than its driver, else PTX") {
    const auto compiler = nvrtc();
    if (!compiler) return;
    const ValidProgram program = parse(statements("f[0] = f32(id.x);"));
    const int generation = compiler->major() * 1000;
    const auto cubin = compile_for_device(program, {}, "sm_90", generation);
    REQUIRE(cubin);
    CHECK(cubin->format == "cubin");
    CHECK(cubin->target == "cuda:sm_90");
    const auto& source = *static_cast<const CudaSource*>(cubin->in_process.get());
    CHECK(source.text.empty());
    CHECK(cubin->debug_map.empty());
    CHECK(source.origin_offset);
    const auto older = compile_for_device(program, {}, "sm_90", generation - 1000);
    REQUIRE(older);
    CHECK(older->format == "ptx");
    CHECK_FALSE(older->debug_map.empty());
    // For a device that is newer than NVRTC: PTX of the newest known architecture.
    const auto newer = compile_for_device(program, {}, "sm_9999", generation);
    REQUIRE(newer);
    CHECK(newer->format == "ptx");
    CHECK(newer->target == "cuda:sm_" + std::to_string(compiler->archs().back()));
}
