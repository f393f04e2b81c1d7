// The analysis of ranges on typical kernels: what it finds, and what it must not find.

#include <algorithm>
#include <fstream>
#include <sstream>
#include <tuple>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/foundation/analysis/ranges/ranges.hpp>

#include "support/parse.hpp"
#include "support/run_kernel.hpp"

using namespace muster;

namespace {

ValidProgram valid(const std::string& text) {
    Result<ValidProgram> program = validate(test::parse(text));
    if (!program) FAIL(program.error().to_string());
    return *program;
}

std::string_view word(RangeProof proof) {
    switch (proof.known) {
        case RangeKnown::no: return "?";
        case RangeKnown::under_condition: return "if";
        case RangeKnown::always: return "yes";
    }
    return "";
}

bool has_steps(const Program& program, NodeId id) {
    const Op op = program.node(id).op;
    if (op == Op::extract_dynamic) return true;
    if (op != Op::load && op != Op::store && info(op).group != OpGroup::atomic) return false;
    for (NodeId at = program.operand(id, 0); program.node(at).op != Op::ref_variable;
         at = program.operand(at, 0))
        if (program.node(at).op == Op::ref_index)
            return program.node(program.operand(at, 1)).op != Op::constant ||
                   program.variable(program.root_variable(at)).is_binding();
    return false;
}

/// "x yes, y if, ...": the proof for every access with an index, in order.
std::string accesses(const Ranges& ranges, const Program& program) {
    std::string all;
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        const NodeId id{i};
        if (!has_steps(program, id)) continue;
        if (!all.empty()) all += ", ";
        if (program.node(id).op != Op::extract_dynamic)
            all += program.variable(program.root_variable(program.operand(id, 0))).name + " ";
        all += word(ranges.in_bounds(id));
    }
    return all;
}

std::string accesses(const Program& program) { return accesses(analyse_ranges(program), program); }

/// "yes/?, ...": for every if_ in order, whether it is always true / always false.
std::string branches(const Program& program) {
    const Ranges ranges = analyse_ranges(program);
    std::string all;
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        const NodeId id{i};
        if (program.node(id).op != Op::if_) continue;
        if (!all.empty()) all += ", ";
        all += fmt::format("{}/{}", word(ranges.decided(id, true)), word(ranges.decided(id, false)));
    }
    return all;
}

constexpr std::string_view bindings = R"(
struct Sizes { w: u32, h: u32, n: u32, i: i32 }
@group(0) @binding(0) var<uniform> s: Sizes;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<storage, read> table: array<u32, 16>;
var<workgroup> tile: array<u32, 256>;
)";

constexpr std::string_view builtins =
    "@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>, "
    "@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>, "
    "@builtin(num_workgroups) groups: vec3<u32>";

ValidProgram kernel(std::string_view body, std::string_view size = "64") {
    return valid(fmt::format("{}@compute @workgroup_size({}) fn main({}) {{\n{}\n}}\n", bindings, size,
                             builtins, body));
}
std::string found(std::string_view body, std::string_view size = "64") {
    return accesses(kernel(body, size));
}

/// True if every condition holds, for one workgroup or a whole launch.
bool all_hold(const ValidProgram& program, Extent3 low, Extent3 high, std::vector<std::uint32_t> sizes,
              std::size_t x, std::size_t y, std::size_t table = 16) {
    const Ranges ranges = analyse_ranges(program);
    REQUIRE(!ranges.conditions().empty());
    const std::vector<std::uint32_t> words[] = {std::move(sizes), std::vector<std::uint32_t>(x),
                                                std::vector<std::uint32_t>(y),
                                                std::vector<std::uint32_t>(table)};
    std::vector<std::span<const std::byte>> bound;
    for (const VariableId id : program->bindings())
        bound.push_back(std::as_bytes(std::span(words[program->variable(id).binding])));
    const auto values = evaluate(program, ranges,
                                 {.workgroup_low = low,
                                  .workgroup_high = high,
                                  .num_workgroups = {high.x + 1, high.y + 1, high.z + 1},
                                  .bindings = bound});
    return std::ranges::all_of(ranges.conditions(),
                               [&](const RangeCondition& one) { return holds(one, values); });
}

ValidProgram example(const char* name) {
    std::ifstream file(std::string(MUSTER_EXAMPLES) + "/kernels/" + name);
    std::stringstream text;
    text << file.rdbuf();
    return valid(text.str());
}

}  // namespace

TEST_CASE("saxpy: a guard by a uniform or by a length") {
    const ValidProgram by_uniform = kernel("let i = id.x; if i >= s.n { return; } y[i] = 2 * x[i] + y[i];");
    CHECK(accesses(by_uniform) == "x if, y if, y if");
    CHECK(branches(by_uniform) == "?/if");
    CHECK(all_hold(by_uniform, {0, 0, 0}, {3, 0, 0}, {0, 0, 256, 0}, 256, 256));
    CHECK(all_hold(by_uniform, {2, 0, 0}, {2, 0, 0}, {0, 0, 192, 0}, 192, 999));
    CHECK_FALSE(all_hold(by_uniform, {3, 0, 0}, {3, 0, 0}, {0, 0, 255, 0}, 256, 256));
    CHECK_FALSE(all_hold(by_uniform, {0, 0, 0}, {3, 0, 0}, {0, 0, 256, 0}, 255, 256));
    CHECK_FALSE(all_hold(by_uniform, {0, 0, 0}, {3, 0, 0}, {0, 0, 256, 0}, 256, 255));

    const ValidProgram by_length =
        kernel("let i = id.x; if i >= arrayLength(&y) { return; } y[i] = 2 * x[i] + y[i];");
    CHECK(accesses(by_length) == "x if, y yes, y yes");
    CHECK(branches(by_length) == "?/if");
    CHECK(all_hold(by_length, {0, 0, 0}, {3, 0, 0}, {}, 256, 256));
    CHECK_FALSE(all_hold(by_length, {0, 0, 0}, {3, 0, 0}, {}, 255, 256));
}

TEST_CASE("the last workgroup's accesses stay proven where the guard is needed") {
    const ValidProgram program = kernel("if id.x < s.n { y[id.x] = x[id.x]; }");
    const Ranges ranges = analyse_ranges(program);
    const auto values_of = [&](std::uint32_t group, std::uint32_t n) {
        const std::vector<std::uint32_t> sizes{0, 0, n, 0}, data(100);
        const std::span<const std::byte> bound[] = {
            std::as_bytes(std::span(sizes)), std::as_bytes(std::span(data)), std::as_bytes(std::span(data))};
        return evaluate(program, ranges,
                        {.workgroup_low = {group, 0, 0},
                         .workgroup_high = {group, 0, 0},
                         .num_workgroups = {2, 1, 1},
                         .bindings = bound});
    };
    for (const RangeCondition& condition : ranges.conditions()) {
        CHECK(condition.accesses.empty() != condition.branches.empty());
        CHECK(holds(condition, values_of(0, 100)));
        CHECK(holds(condition, values_of(1, 100)) == condition.branches.empty());
    }
}

TEST_CASE("a copy without a guard") {
    const ValidProgram copy = kernel("y[id.x] = x[id.x];");
    CHECK(accesses(copy) == "x if, y if");
    CHECK(all_hold(copy, {0, 0, 0}, {3, 0, 0}, {}, 256, 256));
    CHECK_FALSE(all_hold(copy, {0, 0, 0}, {3, 0, 0}, {}, 255, 256));
}

TEST_CASE("a stencil in two dimensions, unsigned and signed") {
    const ValidProgram stencil = kernel(
        "let x0 = id.x; let y0 = id.y; let w = s.w;\n"
        "if x0 >= 1 && x0 < w - 1 && y0 >= 1 && y0 < s.h - 1 {\n"
        "  let c = y0 * w + x0;\n"
        "  y[c] = x[c] + x[c - 1] + x[c + 1] + x[c - w] + x[c + w] + x[(y0 - 1) * w + x0 + 1];\n"
        "}",
        "16, 16");
    CHECK(accesses(stencil) == "x if, x if, x if, x if, x if, x if, y if");
    CHECK(branches(stencil) == "if/?");
    // The interior workgroups of a grid of 64 x 64.
    CHECK(all_hold(stencil, {1, 1, 0}, {2, 2, 0}, {64, 64, 0, 0}, 4096, 4096));
    CHECK_FALSE(all_hold(stencil, {0, 1, 0}, {2, 2, 0}, {64, 64, 0, 0}, 4096, 4096));
    CHECK_FALSE(all_hold(stencil, {1, 1, 0}, {2, 2, 0}, {64, 64, 0, 0}, 2096, 4096));
    const ValidProgram signed_one = kernel(
        "let x0 = i32(id.x); let y0 = i32(id.y); let w = i32(s.w); let h = i32(s.h);\n"
        "if x0 < 1 || x0 >= w - 1 || y0 < 1 || y0 >= h - 1 { return; }\n"
        "y[y0 * w + x0] = x[y0 * w + x0 - 1] + x[(y0 - 1) * w + x0] + x[(y0 + 1) * w + x0];\n",
        "16, 16");
    CHECK(accesses(signed_one) == "x if, x if, x if, y if");
    CHECK(all_hold(signed_one, {1, 1, 0}, {2, 2, 0}, {64, 64, 0, 0}, 4096, 4096));
    CHECK_FALSE(all_hold(signed_one, {1, 1, 0}, {3, 2, 0}, {64, 64, 0, 0}, 4096, 4096));
}

TEST_CASE("the stencil's accesses are proven for the whole launch, borders included") {
    const ValidProgram program = kernel(
        "if id.x >= 1 && id.x + 1 < s.w && id.y >= 1 && id.y + 1 < s.h {\n"
        "  let c = id.y * s.w + id.x; y[c] = x[c - 1] + x[c + s.w];\n"
        "}",
        "16, 16");
    const Ranges ranges = analyse_ranges(program);
    const std::vector<std::uint32_t> sizes{50, 40, 0, 0}, data(50 * 40);
    const std::span<const std::byte> bound[] = {
        std::as_bytes(std::span(sizes)), std::as_bytes(std::span(data)), std::as_bytes(std::span(data))};
    const auto values = evaluate(program, ranges,
                                 {.workgroup_low = {0, 0, 0},
                                  .workgroup_high = {3, 2, 0},
                                  .num_workgroups = {4, 3, 1},
                                  .bindings = bound});
    std::size_t proven = 0;
    for (const RangeCondition& condition : ranges.conditions())
        if (holds(condition, values)) proven += condition.accesses.size();
    CHECK(proven >= 3);
}

TEST_CASE("matrix multiplication, naive and in tiles") {
    const ValidProgram naive = kernel(
        "if id.y >= s.h || id.x >= s.w { return; }\n"
        "var sum = 0u;\n"
        "for (var k = 0u; k < s.n; k++) { sum += x[id.y * s.n + k] * x[k * s.w + id.x]; }\n"
        "y[id.y * s.w + id.x] = sum;",
        "16, 16");
    CHECK(accesses(naive) == "x if, x if, y if");
    CHECK(all_hold(naive, {0, 0, 0}, {1, 1, 0}, {32, 32, 32, 0}, 1024, 1024));
    CHECK_FALSE(all_hold(naive, {0, 0, 0}, {1, 1, 0}, {32, 32, 33, 0}, 1024, 1024));

    const ValidProgram tiles = example("matmul.wgsl");
    CHECK(accesses(tiles) ==
          "a_tile yes, b_tile yes, a if, a_tile yes, b if, b_tile yes, a_tile yes, b_tile yes, c if");
}

TEST_CASE("sums in workgroup memory by halving and doubling") {
    const std::string halving =
        "tile[lane] = 1;\n"
        "for (var stride = 128u; stride > 0; stride {}) {{ workgroupBarrier(); if lane < stride {{ "
        "tile[lane] += "
        "tile[lane + stride]; }} }}";
    for (const char* step : {">>= 1", "/= 2"})
        CHECK(found(fmt::format(fmt::runtime(halving), step), "256") ==
              "tile yes, tile yes, tile yes, tile yes");
    CHECK(found("for (var d = 1u; d < 256; d <<= 1) { if lane >= d { tile[lane] += tile[lane - d]; } }",
                "256") == "tile yes, tile yes, tile yes");
    // From 256 on, it would run past the end.
    CHECK(
        found(
            "for (var stride = 256u; stride > 0; stride >>= 1) { if lane < stride { tile[lane] += tile[lane "
            "+ stride]; } }",
            "256") == "tile yes, tile ?, tile yes");
}

TEST_CASE("loops over a grid and over tiles") {
    CHECK(found("for (var i = id.x; i < arrayLength(&x); i += 64 * groups.x) { y[i] = x[i]; }") ==
          "x yes, y if");
    const ValidProgram bodies = kernel(
        "var sum = 0u;\n"
        "for (var t = 0u; t < s.n / 64; t++) {\n"
        "  tile[lane] = x[t * 64 + lane]; workgroupBarrier();\n"
        "  for (var k = 0u; k < 64; k++) { sum += tile[k]; }\n"
        "  workgroupBarrier();\n"
        "}\n"
        "y[id.x] = sum;");
    CHECK(accesses(bodies) == "x if, tile yes, tile yes, y if");
    CHECK(all_hold(bodies, {0, 0, 0}, {3, 0, 0}, {0, 0, 256, 0}, 256, 256));
    CHECK_FALSE(all_hold(bodies, {0, 0, 0}, {3, 0, 0}, {0, 0, 320, 0}, 256, 256));
    CHECK(all_hold(bodies, {0, 0, 0}, {3, 0, 0}, {0, 0, 319, 0}, 256, 256));
}

TEST_CASE("histograms: what data decides is bounded or unknown") {
    CHECK(found("tile[x[lane] & 255] = 1;") == "x if, tile yes");
    CHECK(found("tile[min(x[lane], 255)] = 1;") == "x if, tile yes");
    CHECK(found("tile[x[lane] % 256] = 1;") == "x if, tile yes");
    CHECK(found("tile[x[lane] >> 24] = 1;") == "x if, tile yes");
    CHECK(found("tile[clamp(i32(x[lane]), 0, 255)] = 1;") == "x if, tile yes");
    CHECK(found("let v = x[lane]; tile[select(255u, v, v < 255)] = 1;") == "x if, tile yes");
    CHECK(found("tile[countOneBits(x[lane])] = 1;") == "x if, tile yes");
    CHECK(found("tile[x[lane]] = 1;") == "x if, tile ?");
    CHECK(found("tile[x[lane] & 256] = 1;") == "x if, tile ?");
    CHECK(found("tile[x[lane] % 257] = 1;") == "x if, tile ?");
    CHECK(found("tile[min(i32(x[lane]), 255)] = 1;") == "x if, tile ?");
    CHECK(found("tile[i32(x[lane]) % 256] = 1;") == "x if, tile ?");
    CHECK(found("let v = x[lane]; if v < 256 { tile[v] = 1; } tile[v] = 2;") == "x if, tile yes, tile ?");
}

TEST_CASE("the examples' kernels") {
    CHECK(accesses(example("histogram.wgsl")) == "words yes, local_counts yes, local_counts yes, counts yes");
    CHECK(accesses(example("life.wgsl")) == "before if, before if, after if");
    CHECK(accesses(example("mandelbrot.wgsl")) == "steps if");
    CHECK(accesses(example("nbody.wgsl")) == "before yes, before yes, after if");
    CHECK(accesses(example("reduce.wgsl")) ==
          "values yes, values yes, partial yes, partial yes, partial yes, partial yes, sums if");
    CHECK(accesses(example("scan.wgsl")) ==
          "values yes, sums yes, sums yes, sums yes, sums yes, sums yes, values yes, sums yes, totals if");
}

TEST_CASE("loops in every usual form") {
    CHECK(found("var i = 0u; while i < 16 { y[0] = table[i]; i++; }") == "table yes, y if");
    CHECK(found("var i = 0u; loop { if i >= 16 { break; } y[0] = table[i]; continuing { i += 2; } }") ==
          "table yes, y if");
    CHECK(found("for (var i = 15; i >= 0; i--) { y[0] = table[i]; }") == "table yes, y if");
    CHECK(found("for (var i = 15u; i > 0; i--) { y[0] = table[i]; }") == "table yes, y if");
    CHECK(found("for (var i = 16u; i != 0; i--) { y[0] = table[i - 1]; }") == "table yes, y if");
    CHECK(found("for (var i = 0; i <= 15; i++) { if i == 3 { continue; } y[0] = table[i]; }") ==
          "table yes, y if");
    CHECK(found("var i = 16u; while i > 0 { i -= 1; y[0] = table[i]; }") == "table yes, y if");
    CHECK(
        found("for (var i = 0u; i < 4; i++) { for (var k = 0u; k < 4; k++) { y[0] = table[4 * i + k]; } }") ==
        "table yes, y if");
    CHECK(found("for (var i = 0u; i < s.n; i++) { y[i] = x[i]; }") == "x if, y if");
    CHECK(found("for (var i = 0; i < s.i; i++) { y[i] = x[i]; }") == "x if, y if");
    CHECK(found("for (var i = 0; i < i32(s.n); i += s.i) { y[i] = x[i]; }") == "x if, y if");
    CHECK(found("var i = 0u; while i < 16 && x[i] != 0 { y[0] = table[i]; i++; }") ==
          "x if, table yes, y if");
    CHECK(found("var i = 0u; while x[0] != 0 && i < 16 { y[0] = table[i]; i++; }") ==
          "x if, table yes, y if");
}

TEST_CASE("loops that might go anywhere") {
    // There is no guard in the direction of the counter.
    CHECK(found("for (var i = 0u; i > 0; i++) { y[0] = table[i]; }") == "table ?, y if");
    CHECK(found("for (var i = 15u; i < 16; i--) { y[0] = table[i - 1]; }") == "table ?, y if");
    // The counter is set after the guard.
    CHECK(found("for (var i = 0u; i < 16; i++) { i += 1; y[0] = table[i]; }") == "table ?, y if");
    CHECK(found("for (var i = 0u; i < 16; i++) { i = x[lane]; y[0] = table[i]; }") == "x if, table ?, y if");
    CHECK(found("var t = 3u; for (var i = 0u; i < 16; i++) { y[0] = table[t]; t += 1; }") == "table ?, y if");
    CHECK(found("for (var i = 0; i < 16; i += s.i) { y[0] = table[i]; }") == "table if, y if");
    // A continue goes around the guard.
    CHECK(found("var i = 0u; loop { if i == x[lane] { continue; } if i >= 16 { break; } y[0] = table[i]; "
                "continuing { i++; } }") == "x if, table yes, y if");
    CHECK(found("var i = 0; loop { if i == i32(x[lane]) { continue; } if i >= 16 { break; } y[0] = table[i]; "
                "continuing { i++; } }") == "x if, table ?, y if");
    // A nested loop changes the counter.
    CHECK(found("for (var i = 0; i < 16; i++) { for (var k = 0u; k < x[lane]; k++) { i++; } y[0] = table[i]; "
                "}") == "x if, table ?, y if");
    CHECK(
        found("var i = 0u; loop { y[0] = table[i]; if i >= 8 { break; } for (var k = 0u; k < x[lane]; k++) { "
              "i++; } }") == "table ?, y if, x if");
    CHECK(found("var t = 0u; for (var i = 0u; i < 9; i++) { for (var k = 0u; k < 9; k++) { y[k] = 1; } "
                "var u = x[i]; t = u; } y[0] = table[t];") == "y if, x if, table ?, y if");
    CHECK(found("var t = 0u; for (var i = 0u; i < 9; i++) { var u = x[i]; t = u; } y[0] = table[t];") ==
          "x if, table ?, y if");
}

TEST_CASE("what might wrap is bounded only under the condition that it doesn't") {
    const ValidProgram below = kernel("y[0] = table[id.x - 4294967280u];", "16");
    CHECK(accesses(below) == "table ?, y if");
    const ValidProgram product = kernel("if id.x < s.n { y[0] = table[id.x * s.w]; }", "16");
    CHECK(all_hold(product, {0, 0, 0}, {0, 0, 0}, {1, 0, 16, 0}, 0, 1));
    CHECK_FALSE(all_hold(product, {0, 0, 0}, {0, 0, 0}, {0x10000000, 0, 16, 0}, 0, 1));
    CHECK_FALSE(all_hold(product, {0, 0, 0}, {0, 0, 0}, {UINT32_MAX, 0, UINT32_MAX, 0}, 0, 1));
    const ValidProgram sum = kernel("y[0] = table[lane + s.n];", "16");
    CHECK(all_hold(sum, {0, 0, 0}, {0, 0, 0}, {0, 0, 0, 0}, 0, 1));
    CHECK_FALSE(all_hold(sum, {0, 0, 0}, {0, 0, 0}, {0, 0, 1, 0}, 0, 1));
    CHECK_FALSE(all_hold(sum, {0, 0, 0}, {0, 0, 0}, {0, 0, UINT32_MAX, 0}, 0, 1));
    const ValidProgram global = kernel("y[id.x] = 1;");
    CHECK_FALSE(all_hold(global, {0x4000000, 0, 0}, {0x4000000, 0, 0}, {}, 0, 100));
    CHECK(found("if i32(lane) < s.i { y[i32(lane) - 1] = 1; }", "16") == "y ?");
    const ValidProgram count = kernel("for (var i = 0; i < s.i; i += 1000000000) { y[i] = 1; }");
    CHECK_FALSE(all_hold(count, {0, 0, 0}, {0, 0, 0}, {0, 0, 0, 0x7fffffff}, 0, 100));
    const ValidProgram least = kernel("y[abs(s.i)] = 1; y[-s.i] = 1; y[s.i / -1] = 1;");
    CHECK_FALSE(all_hold(least, {0, 0, 0}, {0, 0, 0}, {0, 0, 0, 0x80000000}, 0, 100));
}

TEST_CASE("facts hold where a branch leads, and no further") {
    CHECK(found("let i = x[lane]; if i < 16 { y[0] = table[i]; } else { y[1] = table[i]; }") ==
          "x if, table yes, y if, table ?, y if");
    CHECK(found("let i = x[lane]; if i >= 16 { y[0] = 1; } y[1] = table[i];") == "x if, y if, table ?, y if");
    CHECK(found("let i = x[lane]; if !(i < 16) { return; } y[1] = table[i];") == "x if, table yes, y if");
    CHECK(found("let i = x[lane]; if i >= 16 || x[1] == 0 { return; } y[1] = table[i];") ==
          "x if, x if, table yes, y if");
    CHECK(found("let i = x[lane]; if i >= 16 && x[1] == 0 { return; } y[1] = table[i];") ==
          "x if, x if, table ?, y if");
    CHECK(found("let i = x[lane]; if i < 16 || x[1] == 0 { y[1] = table[i]; }") ==
          "x if, x if, table ?, y if");
    CHECK(found("switch x[lane] { case 3, 7: { y[0] = table[x[lane]]; } default: { y[0] = 2; } }") ==
          "x if, x if, table ?, y if, y if");
    CHECK(
        found(
            "let i = x[lane]; switch i { case 3, 7: { y[0] = table[i]; } default: { y[0] = table[i]; } }") ==
        "x if, table yes, y if, table ?, y if");
    CHECK(found("var i = x[lane]; if i >= 16 { i = 0; } y[0] = table[i];") == "x if, table yes, y if");
    CHECK(found("var i = x[lane]; if i < 16 { i = i + 1; y[0] = table[i]; }") == "x if, table ?, y if");
    CHECK(found("var v = vec2(x[lane], 3u); v.x &= 15; y[0] = table[v.x] + table[v.y];") ==
          "x if, table yes, table yes, y if");
    CHECK(found("var v = vec2(1u, 3u); v[x[lane]] = 99; y[0] = table[v.x];") == "x if, v ?, table ?, y if");
    // Written memory that is read twice may give different values.
    CHECK(found("if y[0] < 16 { y[1] = table[y[0]]; }") == "y if, y if, table ?, y if");
    // A fixed element of memory that isn't written always gives the same value.
    CHECK(found("if s.n < 16 { y[1] = table[s.n]; }") == "table yes, y if");
    CHECK(found("if x[3] < 16 { y[1] = table[x[3]]; }") == "x if, x if, table yes, y if");
}

TEST_CASE("vectors are indexed within their width") {
    CHECK(found("let v = vec4(1u, 2, 3, 4); y[0] = v[lane & 3];") == "yes, y if");
    CHECK(found("let v = vec4(1u, 2, 3, 4); y[0] = v[lane];") == "?, y if");
}

TEST_CASE("entry values: words that the program can't change; 0 beyond a binding's end") {
    const ValidProgram program = kernel("let n = x[2]; if id.x >= n { return; } y[id.x] = table[n];");
    const Ranges ranges = analyse_ranges(program);
    REQUIRE(ranges.entries().size() == 1);
    CHECK(ranges.entries()[0].offset == 8);
    CHECK(ranges.entries()[0].bytes_needed == 12);
    const Ranges none = analyse_ranges(kernel("let n = y[2]; if id.x < n { y[id.x] = n; }"));
    CHECK(none.entries().empty());
}

TEST_CASE("sizes and arrays in every usual dress") {
    const auto found_with = [](std::string_view globals, std::string_view body,
                               std::string_view size = "8, 8") {
        return accesses(valid(fmt::format("{}\n@compute @workgroup_size({}) fn main({}) {{\n{}\n}}\n",
                                          globals, size, builtins, body)));
    };
    constexpr std::string_view image =
        "struct Image { size: vec2<u32>, offset: array<vec4<i32>, 2>, pixels: array<vec4<f32>> }\n"
        "@group(0) @binding(0) var<storage, read> a: Image;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<array<f32, 4>>;\n"
        "@group(1) @binding(0) var<uniform> dims: vec3<u32>;\n"
        "var<workgroup> cells: array<array<f32, 8>, 8>;";
    CHECK(
        found_with(
            image,
            "if any(id.xy >= dims.xy) { return; } b[id.y * dims.x + id.x][3] = a.pixels[id.x][lane & 3];") ==
        "dims yes, a if, b if");
    CHECK(found_with(image, "if all(id.xy < a.size) { b[id.y * a.size.x + id.x][0] = 1; }") == "a yes, b if");
    CHECK(found_with(image, "let d = dims; if id.x < d.z { b[id.x][id.x % 4] = 1; }") == "b if");
    CHECK(found_with(image, "for (var i = a.offset[1].y; i < 3; i++) { b[0][i] = 1; }") == "a yes, b if");
    CHECK(found_with(image,
                     "cells[lid.y][lid.x] = 1; workgroupBarrier(); b[0][0] = cells[7 - lid.y][lid.x ^ 7];") ==
          "cells yes, cells yes, b if");
    CHECK(found_with(image, "if id.x < arrayLength(&a.pixels) { b[0][0] = a.pixels[id.x].x; }") ==
          "a yes, b if");
    CHECK(found_with(image,
                     "var sums: array<f32, 4>; for (var k = 0; k < 4; k++) { for (var j = 0; j < 3; j++) { "
                     "sums[k] += f32(j); sums[j + 1] *= 2; } } b[0][0] = sums[0];") ==
          "sums yes, sums yes, sums yes, sums yes, b if");
    CHECK(found_with("fn at(p: ptr<function, array<u32, 4>>, i: u32) -> u32 { return (*p)[min(i, 3)]; }\n"
                     "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
                     "var<private> seen: u32;",
                     "var v = array(1u, 2, 3, 4); seen = at(&v, y[lane]) & 3; y[lane] = v[seen];") ==
          "y if, v yes, v yes, y if");
}

TEST_CASE("what is known of a part of a workgroup is what is known of a workgroup of its size") {
    const std::string body =
        "if (id.x == 0 || id.y == 0 || id.x >= s.w - 1 || id.y >= s.h - 1) { return; }\n"
        "let i = id.y * s.w + id.x;\n"
        "y[i] = x[i - 1] + x[i + 1] + x[i - s.w] + x[i + s.w];";
    const Ranges of_box = analyse_ranges(kernel(body, "64, 4"), {16, 2, 1}),
                 of_workgroup = analyse_ranges(kernel(body, "16, 2"));
    REQUIRE(!of_box.conditions().empty());
    REQUIRE(of_box.conditions().size() == of_workgroup.conditions().size());
    for (std::size_t i = 0; i < of_box.conditions().size(); ++i)
        CHECK(of_box.conditions()[i].all_of == of_workgroup.conditions()[i].all_of);
    REQUIRE(of_box.expressions().size() == of_workgroup.expressions().size());
    for (std::size_t i = 0; i < of_box.expressions().size(); ++i) {
        const RangeExpression &a = of_box.expressions()[i], &b = of_workgroup.expressions()[i];
        CHECK(std::tie(a.op, a.index, a.operands, a.value, a.low, a.high) ==
              std::tie(b.op, b.index, b.operands, b.value, b.low, b.high));
    }
}

TEST_CASE(
    "of a part of a workgroup, its place in the workgroup isn't known, along the axes that it divides") {
    const auto found_of_box = [](std::string_view body) {
        return accesses(analyse_ranges(kernel(body, "64, 4"), {16, 4, 1}), *kernel(body, "64, 4"));
    };
    CHECK(found_of_box("tile[lid.x] = 0;") == "tile ?");
    CHECK(found_of_box("tile[lane] = 0;") == "tile ?");
    CHECK(found_of_box("tile[group.x & 255] = 0;") == "tile yes");
    CHECK(found_of_box("tile[group.x] = 0;") == "tile ?");
    CHECK(found_of_box("tile[lid.y] = 0;") == "tile yes");
    CHECK(found_of_box("tile[group.y] = 0;") == "tile if");
}

// No time is asserted: an analysis that grows with the square of the program or worse reaches the runner's time
// limit, or makes more expressions than a linear one.
TEST_CASE("large programs are analysed") {
    const auto analyse = [](test::Kernel& k, std::uint32_t at_least) {
        const ValidProgram program = k.finish();
        REQUIRE(program->node_count() > at_least);
        const Ranges ranges = analyse_ranges(program);
        CHECK(ranges.expressions().size() < 10 * std::size_t{program->node_count()});
    };
    test::Kernel k;
    const VariableId data = k.words("data");
    SUBCASE("accesses at 20,000 places behind as many guards") {
        for (std::uint32_t i = 0; i < 20'000; ++i) {
            const NodeId index = k.add(k.get(data, i), k.u(i));
            k.ir.begin_if(k.ir.binary(Op::lt, index, k.u(i)));
            k.set_at(data, index, index);
            k.ir.end_if();
        }
        analyse(k, 100'000);
    }
    SUBCASE("a chain of 100,000 operations in 100 nested loops") {
        const VariableId x = k.local(u32_type);
        for (int depth = 0; depth < 100; ++depth) {
            k.ir.begin_loop();
            for (int i = 0; i < 300; ++i) k.set(x, k.add(k.get(x), k.get(data, k.get(x))));
        }
        for (int depth = 0; depth < 100; ++depth) {
            k.ir.begin_continuing();
            k.ir.break_if(k.ir.binary(Op::gt, k.get(x), k.u(3)));
            k.ir.end_loop();
        }
        analyse(k, 100'000);
    }
    SUBCASE("3,000 variables and 3,000 jumps in one loop") {
        std::vector<VariableId> variables;
        for (int i = 0; i < 3'000; ++i) variables.push_back(k.local(u32_type));
        k.ir.begin_loop();
        for (const VariableId variable : variables) {
            k.set(variable, k.add(k.get(variables[0]), k.get(variable)));
            k.ir.begin_if(k.ir.binary(Op::gt, k.get(variable), k.u(3)));
            k.ir.break_();
            k.ir.end_if();
        }
        k.ir.end_loop();
        for (const VariableId variable : variables) k.set_at(data, k.get(variable), k.u(1));
        analyse(k, 20'000);
    }
    SUBCASE("choices of choices") {
        NodeId value = k.get(data, 0u);
        for (int i = 0; i < 1'000; ++i) {
            const NodeId more = k.add(value, k.u(1));
            value = k.ir.select(value, more, k.ir.binary(Op::lt, more, k.get(data, more)));
        }
        k.set_at(data, value, value);
        analyse(k, 3'000);
    }
}
