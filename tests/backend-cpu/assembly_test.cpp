// The machine code of the kernels that bench_cpu measures: it uses the machine's full vectors and calls
// nothing.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;

namespace {

struct Measured {
    const char* path;  // below the source folder
    std::vector<wgsl::OverrideValue> overrides = {};
};
const std::vector<Measured> kernels{
    {"examples/saxpy/saxpy.wgsl"},
    {"examples/kernels/reduce.wgsl"},
    {"examples/kernels/mandelbrot.wgsl"},
    {"examples/kernels/matmul.wgsl"},
    {"examples/kernels/matmul_tiled.wgsl"},
    {"examples/kernels/histogram.wgsl"},
    {"examples/kernels/nbody.wgsl"},
    {"measuring/whole_kernels/stencil.wgsl", {{"width", "8192"}, {"height", "8192"}}},
    {"measuring/whole_kernels/softmax.wgsl", {{"columns", "4096"}}},
    {"measuring/whole_kernels/black_scholes.wgsl"},
};

std::string assembly(const std::string& text, const char* arch, Precision precision,
                     const wgsl::ParseOptions& options = {}) {
    const Result<Program> program = wgsl::parse(text, options);
    REQUIRE_MESSAGE(program, text);
    const Result<Artifact> artifact =
        cpu::muster_cpu_compiler()->compile(*validate(*program),
                                            {.target = {.arch = arch},
                                             .options = {.precision = precision},
                                             .format = "asm",
                                             .symbol = "measured"},
                                            nullptr);
    REQUIRE_MESSAGE(artifact, (artifact ? "" : artifact.error().to_string()));
    const std::string all(artifact->text());
    // The kernel itself, not the C entry points that call it.
    const std::size_t start = all.find("\nmeasured_kernel:"), end = all.find(".cfi_endproc", start);
    REQUIRE(end != std::string::npos);
    return all.substr(start, end - start);
}

std::string assembly(const Measured& kernel, const char* arch, Precision precision) {
    std::ifstream file(std::string(MUSTER_EXAMPLES "/../") + kernel.path);
    return assembly({std::istreambuf_iterator<char>(file), {}}, arch, precision,
                    {.file = kernel.path, .overrides = kernel.overrides});
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace

TEST_CASE("measured kernels are full vectors, and call nothing") {
    for (const Measured& kernel : kernels)
        for (const Precision precision : {Precision::exact, Precision::fast})
            for (const auto& [arch, vector] :
                 {std::pair{"x86-64-v4", "%zmm"}, std::pair{"x86-64-v3", "%ymm"}}) {
                const std::string code = assembly(kernel, arch, precision);
                CAPTURE(std::string(kernel.path));
                CAPTURE(std::string(arch));
                CHECK(count(code, vector) >= 2);
                CHECK(count(code, "\tcall") == 0);
            }
}

TEST_CASE("products of packed bytes are the machine's instructions") {
    const Measured matvec{"benches/cpu/kernels/matvec_packed.wgsl", {{"words", "1024"}}};
    for (const char* arch : {"x86-64-v3", "x86-64-v4"}) {
        CAPTURE(std::string(arch));
        const std::string code = assembly(matvec, arch, Precision::exact);
        CHECK(count(code, "vpmaddwd") >= 2);
        CHECK(count(code, "vpmulld") == 0);
    }
    const std::string code = assembly(matvec, "aarch64", Precision::exact);
    CHECK(count(code, "\tsmull") >= 2);
    CHECK(count(code, "\tsaddlp") >= 2);
}

TEST_CASE("lanes whose counters pass a multiple of their number together need no masks") {
    const auto masked_accesses = [](const char* limit) {
        const std::string text = std::string("const limit = ") + limit + R"(;
            @group(0) @binding(0) var<storage> x: array<f32, 4096>;
            @group(0) @binding(1) var<storage, read_write> y: array<f32, 32>;
            @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) lane: u32) {
                var sum = 0f;
                for (var i = lane; i < limit; i += 32) { sum += x[i]; }
                y[lane] = sum;
            })";
        return count(assembly(text, "x86-64-v3", Precision::exact), "vmaskmov");
    };
    CHECK(masked_accesses("1024u") == 0);
    CHECK(masked_accesses("1023u") > 0);
}

TEST_CASE(
    "rows whose length is a multiple of the lanes are read as vectors, whatever its other factors are") {
    const auto gathers = [](const char* length) {
        const std::string text = std::string("const length = ") + length + R"(u;
            @group(0) @binding(0) var<storage> x: array<f32, 65536>;
            @group(0) @binding(1) var<storage, read_write> y: array<f32, 16384>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
                y[id.x] = x[id.x / length * 256 + id.x % length];
            })";
        return count(assembly(text, "x86-64-v4", Precision::exact), "gather");
    };
    CHECK(gathers("64") == 0);
    CHECK(gathers("96") == 0);
    CHECK(gathers("224") == 0);
    CHECK(gathers("100") > 0);
}

TEST_CASE("without mask registers, some lanes' values go to workgroup memory as a blend") {
    const std::string text = R"(
        @group(0) @binding(0) var<storage> x: array<f32, 64>;
        @group(0) @binding(1) var<storage, read_write> y: array<f32, 64>;
        var<workgroup> shared_values: array<f32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
            shared_values[lane] = x[63 - lane];
            workgroupBarrier();
            if x[lane] > 0 { shared_values[lane] = x[lane] * 3; }
            workgroupBarrier();
            y[lane] = shared_values[63 - lane];
        })";
    const std::string code = assembly(text, "x86-64-v3", Precision::exact);
    CHECK(count(code, "vmaskmovps\t%ymm") == 0);  // a store has a register first
    CHECK(count(code, "vblendvps") > 0);
}

TEST_CASE("a tree reduction's steps are straight code, in which only the last ones have masks") {
    const std::string code =
        assembly(Measured{"examples/kernels/reduce.wgsl"}, "x86-64-v3", Precision::exact);
    // The bodies with and without checks: steps of 8, 4, 2 and 1 vectors, and three of a part of one. That of 16 is a loop.
    CHECK(count(code, "vaddps") >= 2 * (8 + 4 + 2 + 1 + 3));
    CHECK(count(code, "vmaskmov") <= 2 * (2 + 2 * 3));
}

TEST_CASE("a block that a workgroup reads in several runs is requested ahead, in order") {
    CHECK(count(assembly(Measured{"examples/kernels/reduce.wgsl"}, "x86-64-v3", Precision::exact),
                "prefetcht1") > 0);
    CHECK(count(assembly(Measured{"examples/saxpy/saxpy.wgsl"}, "x86-64-v3", Precision::exact), "prefetch") ==
          0);
    const auto of_runs = [](const char* second) {
        return assembly(fmt::format("@group(0) @binding(0) var<storage> x: array<f32>;\n"
                                    "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
                                    "@compute @workgroup_size(64)\n"
                                    "fn main(@builtin(workgroup_id) group: vec3u,\n"
                                    "        @builtin(local_invocation_index) lane: u32) {{\n"
                                    "  y[64 * group.x + lane] = x[128 * group.x + lane] + x[{}];\n}}\n",
                                    second),
                        "x86-64-v3", Precision::exact);
    };
    CHECK(count(of_runs("128 * group.x + lane + 64"), "prefetcht1") > 0);
    // Not all of the block, another block, and not all invocations together.
    CHECK(count(of_runs("128 * group.x + lane + 32"), "prefetch") == 0);
    CHECK(count(of_runs("64 * group.x + lane + 64"), "prefetch") == 0);
    CHECK(count(of_runs("128 * group.x + 2 * lane + 64"), "prefetch") == 0);
}

namespace {

std::vector<std::string> blocks_of(const std::string& code) {
    std::vector<std::string> blocks;
    for (std::size_t begin = code.find("\n.LBB"); begin != std::string::npos;) {
        const std::size_t end = code.find("\n.LBB", begin + 1);
        blocks.push_back(code.substr(begin, end - begin));
        begin = end;
    }
    return blocks;
}

/// The most times that the part is in one block.
std::size_t most_in_block(const std::string& code, const std::string& part) {
    std::size_t most = 0;
    for (const std::string& block : blocks_of(code)) most = std::max(most, count(block, part));
    return most;
}

}  // namespace

TEST_CASE("in a workgroup at an edge of a grid of several axes, subgroups within it need no masks") {
    const auto stores = [](const std::string& kernel) {  // of all lanes
        std::istringstream lines(assembly(kernel, "x86-64-v4", Precision::exact));
        std::size_t found = 0;
        for (std::string line; std::getline(lines, line);)
            found += line.find("vmovups\t%zmm") != line.npos && line.find("{%k") == line.npos ? 1 : 0;
        return found;
    };
    const std::string bindings =
        "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
        "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n";
    const std::string main = "fn main(@builtin(global_invocation_id) id: vec3u) {\n";
    const std::string body = "  if id.x > 0 && id.x < 999 { y[i] = x[i] + x[i + 1]; }\n}\n";
    const std::size_t in_a_row =
        stores(bindings + "@compute @workgroup_size(64) " + main + "let i = id.x;\n" + body);
    CHECK(in_a_row > 0);
    CHECK(stores(bindings + "@compute @workgroup_size(64) " + main + "let i = id.y * 1000 + id.x;\n" + body) >
          in_a_row);
}

TEST_CASE("where all lanes take a branch, nothing is blended") {
    const std::string code = assembly(Measured{"examples/kernels/nbody.wgsl"}, "x86-64-v3", Precision::exact);
    const std::size_t root = code.find("vsqrtps");
    REQUIRE(root != std::string::npos);
    const std::string loop =
        code.substr(code.rfind(".LBB", root), code.find(".LBB", root) - code.rfind(".LBB", root));
    CHECK(count(loop, "vdivps") == 2);  // of 16 lanes
    CHECK(count(loop, "blend") == 0);
    CHECK(count(loop, "mulss") == 0);  // the uniform's square is computed once
}

TEST_CASE("a loop that lanes leave one by one keeps one mask, and compares once") {
    const Measured mandelbrot{"examples/kernels/mandelbrot.wgsl"};
    for (const auto& [arch, compare, registers] :
         {std::tuple{"x86-64-v3", "vcmp", 2u}, std::tuple{"aarch64", "fcm", 4u}}) {
        CHECK(most_in_block(assembly(mandelbrot, arch, Precision::exact), compare) == registers);
    }
    CHECK(count(assembly(mandelbrot, "x86-64-v3", Precision::exact), "vpack") == 0);
}

namespace {

/// A kernel with an update of a workgroup's array; the index may use `i`, the invocation's number, and the arrays.
std::string update_at(const std::string& index, const std::string& before = {}) {
    return fmt::format(R"(
        @group(0) @binding(0) var<storage> words: array<u32>;
        @group(0) @binding(1) var<storage> floats: array<f32>;
        @group(0) @binding(2) var<storage, read_write> written: array<u32>;
        @group(0) @binding(3) var<storage, read_write> counts: array<u32, 64>;
        var<workgroup> bins: array<atomic<u32>, 64>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {{
            let i = min(id.x, arrayLength(&words) - 1);
            {}
            if id.x < arrayLength(&words) {{ atomicAdd(&bins[{}], 1); }}
            workgroupBarrier();
            counts[lane] += atomicLoad(&bins[lane]);
        }})",
                       before, index);
}

}  // namespace

TEST_CASE(
    "indices of atomic updates leave vector registers two at a time, or more than 16 by way of memory") {
    for (const auto& [arch, lanes_per_turn] : {std::pair{"x86-64-v3", 16u}, std::pair{"x86-64-v4", 8u}}) {
        const std::string code = assembly(update_at("u32(floats[id.x]) & 63"), arch, Precision::exact);
        CHECK(most_in_block(code, "incl\t(") == lanes_per_turn);
        CHECK(count(code, "vpextrd") == 0);
    }
}

TEST_CASE("an index that takes a load and a few operations is computed for each lane, four to a turn") {
    for (const char* arch : {"x86-64-v3", "x86-64-v4"}) {
        CAPTURE(std::string(arch));
        const auto lanes_of = [&](const std::string& index, const std::string& before = {}) {
            return most_in_block(assembly(update_at(index, before), arch, Precision::exact), "incl\t(");
        };
        CHECK(lanes_of("words[id.x] & 63") == 4);
        CHECK(lanes_of("(words[id.x] >> 7) & 63") == 4);
        CHECK(lanes_of("words[words[id.x] & 15] & 63") != 4);  // words may have no 16 elements
        // Long, of floats, and of memory that the kernel writes.
        CHECK(lanes_of("((words[id.x] >> 3) ^ (words[id.x] << 2) ^ (words[id.x] * 5)) & 63") != 4);
        CHECK(lanes_of("u32(floats[id.x]) & 63") != 4);
        CHECK(lanes_of("written[id.x] & 63", "written[id.x + 1] = i;") != 4);
    }
}

TEST_CASE("a short loop of updates runs lane by lane, on scalars, and reads each lane's word once") {
    for (const char* arch : {"x86-64-v3", "x86-64-v4"}) {
        CAPTURE(std::string(arch));
        const std::string code =
            assembly(Measured{"examples/kernels/histogram.wgsl"}, arch, Precision::exact);
        std::size_t loops = 0;
        for (const std::string& block : blocks_of(code)) {
            const std::string turn = block.substr(0, block.find("\tj"));
            if (count(turn, "incl\t(") != 4 || count(turn, "movl\t(") != 1) continue;
            ++loops;
            CHECK(count(turn, "%xmm") + count(turn, "%ymm") + count(turn, "%zmm") == 0);
            CHECK(count(turn, "(%rsp") == 0);
        }
        CHECK(loops == 1);
    }
}

TEST_CASE("a loop that lanes leave at the end of an array runs without masks until they do") {
    const auto loops_without_masks = [](const char* condition) {
        const std::string code = assembly(std::string(R"(
            @group(0) @binding(0) var<storage> x: array<f32>;
            @group(0) @binding(1) var<storage, read_write> y: array<f32>;
            @compute @workgroup_size(256)
            fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
                var sum = 0f;
                for (var i = id.x; )") + condition +
                                              R"(; i += 256 * groups.x) { sum += x[i]; }
                y[id.x] = sum;
            })",
                                          "x86-64-v3", Precision::exact);
        std::size_t loops = 0;
        for (const std::string& block : blocks_of(code)) {
            const std::string turn = block.substr(0, block.find("\tj"));
            if (count(turn, "vaddps\t") > 0 && count(turn, "vmaskmov") == 0) ++loops;
        }
        return loops;
    };
    CHECK(loops_without_masks("i < arrayLength(&x)") > 0);
    CHECK(loops_without_masks("arrayLength(&x) > i") > 0);
    CHECK(loops_without_masks("i < arrayLength(&x) && x[i] > 0") == 0);
}

TEST_CASE("a lone lane's load doesn't wait for the comparison of its index") {
    for (const Precision precision : {Precision::exact, Precision::fast}) {
        std::size_t sums = 0;
        for (const std::string& block :
             blocks_of(assembly(Measured{"measuring/whole_kernels/spmv.wgsl"}, "x86-64-v3", precision))) {
            if (count(block, "vmulss") + count(block, "vfmadd") == 0) continue;
            ++sums;
            CHECK(count(block, "cmov") == 0);
        }
        CHECK(sums > 0);
    }
}

TEST_CASE("sums in one loop share what they load") {
    const std::string code =
        assembly(Measured{"examples/kernels/matmul_tiled.wgsl"}, "x86-64-v3", Precision::exact);
    for (const std::string& block : blocks_of(code)) {
        if (count(block, "vmulps") != 8) continue;
        const std::string turn = block.substr(0, block.find("\tj"));
        CHECK(count(turn, "vbroadcastss\t") == 4);  // of four rows, of one column's 16 lanes
        CHECK(count(turn, "vmovups\t") == 2);
    }
}

TEST_CASE("loops around barriers request the next turn's tile") {
    const auto requests = [](const char* index) {
        return count(assembly(fmt::format(R"(
            @group(0) @binding(0) var<uniform> row: u32;
            @group(0) @binding(1) var<storage> x: array<f32>;
            @group(0) @binding(2) var<storage, read_write> y: array<f32>;
            var<workgroup> tile: array<f32, 64>;
            @compute @workgroup_size(64)
            fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {{
                var sum = 0f;
                for (var first = 0u; first < row; first += 64) {{
                    tile[lane] = x[{}];
                    workgroupBarrier();
                    sum += tile[63 - lane];
                    workgroupBarrier();
                }}
                y[id.x] = sum;
            }})",
                                          index),
                              "x86-64-v3", Precision::exact),
                     "prefetcht1");
    };
    CHECK(requests("first + lane") > 0);
    CHECK(requests("(first + 3) * row + lane") > 0);
    CHECK(requests("id.x") == 0);              // the same in each turn
    CHECK(requests("first / 7 + lane") == 0);  // not by the same amount
    CHECK(requests("first * first + lane") == 0);
}

TEST_CASE("sums that don't fit the registers together get loops one after the other") {
    const Measured matmul{"examples/kernels/matmul_tiled.wgsl"};
    for (const auto& [arch, vector, sums] :
         {std::tuple{"x86-64-v3", "%ymm", 8u}, std::tuple{"x86-64-v4", "%zmm", 16u}}) {
        const std::string code = assembly(matmul, arch, Precision::exact);
        std::size_t loops = 0;
        for (const std::string& block : blocks_of(code)) {
            if (count(block, "vmulps") != sums) continue;
            ++loops;
            const std::string turn = block.substr(0, block.find("\tj"));
            CHECK(count(turn, "vaddps") == sums);
            CHECK(count(turn, "(%rsp)") == 0);
            CHECK(count(turn, vector) > 0);
        }
        // On AVX2, each of four has 4 sums of 16 lanes. All are there twice: with and without checks.
        CHECK(loops == (sums == 8 ? 8 : 2));
    }
}
