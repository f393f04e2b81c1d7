// The interpreter on WGSL text: whole kernels compared with plain C++, and findings with their lines.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "support/run_kernel.hpp"

using namespace muster;
using namespace muster::test;

namespace {

ValidProgram parsed(std::string_view text) {
    const Result<Program> program = wgsl::parse(text);
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    const Result<ValidProgram> valid = validate(*program);
    REQUIRE_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    return *valid;
}

const InterpretOptions everything{
    .report_races = true, .report_reads_before_write = true, .report_out_of_bounds = true};

std::vector<Finding> findings(std::string_view text, std::vector<Words> memory, const LaunchGrid& grid,
                              std::uint64_t seed = 0) {
    InterpretOptions options = everything;
    options.seed = seed;
    const Result<InterpretReport> report = try_run(parsed(text), memory, grid, options);
    REQUIRE_MESSAGE(report, (report ? "" : report.error().to_string()));
    return report->findings;
}

Words floats(std::uint32_t count, std::uint32_t seed) {
    Words words(count);
    for (std::uint32_t& word : words) {
        seed = seed * 1664525u + 1013904223u;
        word = bits(static_cast<float>(seed >> 8) * 0x1p-24f - 0.5f);
    }
    return words;
}
float value(std::uint32_t word) { return std::bit_cast<float>(word); }

constexpr std::string_view matmul = R"(
struct Sizes { rows: u32, columns: u32, inner: u32 }
@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
var<workgroup> a_tile: array<array<f32, 4>, 4>;
var<workgroup> b_tile: array<array<f32, 4>, 4>;
@compute @workgroup_size(4, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) place: vec3<u32>) {
    var sum = 0f;
    for (var first = 0u; first < sizes.inner; first += 4) {
        a_tile[place.y][place.x] = a[id.y * sizes.inner + first + place.x];
        b_tile[place.y][place.x] = b[(first + place.y) * sizes.columns + id.x];
        workgroupBarrier();
        for (var k = 0u; k < 4; k++) { sum += a_tile[place.y][k] * b_tile[k][place.x]; }
        workgroupBarrier();
    }
    c[id.y * sizes.columns + id.x] = sum;
}
)";

}  // namespace

TEST_CASE("a tiled matrix product has the bits of plain loops, and no findings") {
    const std::uint32_t n = 12;
    const std::vector<Words> memory{{n, n, n}, floats(n * n, 1), floats(n * n, 2), Words(n * n)};
    const Words got = run(parsed(matmul), memory, groups(3, 3), {.seed = 5})[3];
    for (std::uint32_t y = 0; y < n; ++y)
        for (std::uint32_t x = 0; x < n; ++x) {
            float sum = 0;
            for (std::uint32_t k = 0; k < n; ++k)
                sum += value(memory[1][y * n + k]) * value(memory[2][k * n + x]);
            CHECK(got[y * n + x] == bits(sum));
        }
    CHECK(findings(matmul, memory, groups(3, 3)).empty());
}

TEST_CASE("a matrix product without its second barrier races at the lines of its tiles") {
    std::string text(matmul);
    text.erase(text.rfind("        workgroupBarrier();\n"),
               std::string("        workgroupBarrier();\n").size());
    const std::uint32_t n = 12;
    const std::vector<Words> memory{{n, n, n}, floats(n * n, 1), floats(n * n, 2), Words(n * n)};
    const std::vector<Finding> found = findings(text, memory, groups(1), 3);
    REQUIRE_FALSE(found.empty());
    for (const Finding& f : found) {
        CHECK(f.kind == FindingKind::data_race);
        CHECK((f.variable == "a_tile" || f.variable == "b_tile"));
        const auto is_line = [](std::uint32_t line) { return line == 13 || line == 14 || line == 16; };
        CHECK(is_line(f.where.line));
        CHECK(is_line(f.other_where->line));
    }
}

TEST_CASE("a filter on vectors has the bits of plain loops, on any number of threads") {
    constexpr std::string_view text = R"(
        @group(0) @binding(0) var<storage, read> image: array<vec4<f32>>;
        @group(0) @binding(1) var<storage, read_write> result: array<vec4<f32>>;
        const width = 16; const height = 16;
        const weights = array(0.25, 0.5, 0.25);
        @compute @workgroup_size(4, 4)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            var sum = vec4<f32>();
            for (var d = -1; d <= 1; d++) {
                let x = clamp(i32(id.x) + d, 0, width - 1);
                sum += weights[d + 1] * image[i32(id.y) * width + x];
            }
            result[id.y * u32(width) + id.x] = vec4(sqrt(sum.rgb + 1), sum.a);
        })";
    const std::vector<Words> memory{floats(16 * 16 * 4, 3), Words(16 * 16 * 4)};
    Words expected(memory[1].size());
    const auto at = [](int pixel, int channel) {
        return static_cast<std::size_t>(pixel) * 4 + static_cast<std::size_t>(channel);
    };
    for (int i = 0; i < 256; ++i)
        for (int c = 0; c < 4; ++c) {
            float sum = 0;
            for (int d = -1; d <= 1; ++d) {
                const int x = std::clamp(i % 16 + d, 0, 15);
                sum += (d == 0 ? 0.5f : 0.25f) * value(memory[0][at(i / 16 * 16 + x, c)]);
            }
            expected[at(i, c)] = bits(c < 3 ? std::sqrt(sum + 1) : sum);
        }
    const ValidProgram program = parsed(text);
    for (const std::uint32_t threads : {1u, 3u})
        CHECK(run(program, memory, groups(4, 4), {.seed = threads, .threads = threads})[1] == expected);
    CHECK(findings(text, memory, groups(4, 4)).empty());
}

TEST_CASE("out-of-bounds accesses and early reads are found at their columns") {
    constexpr std::string_view text = R"(@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 8>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = data[i * 2];
    workgroupBarrier();
    data[i] = tile[i + 1];
})";
    const std::vector<Finding> found = findings(text, {Words(6)}, groups(1), 1);
    REQUIRE(found.size() == 3);
    for (const Finding& f : found) {
        if (f.kind == FindingKind::out_of_bounds) {
            CHECK(f.where.line == 5);
            CHECK(f.place == "data[6]");
            CHECK(f.invocation.local.x == 3);
        } else if (f.kind == FindingKind::read_before_write) {
            CHECK(f.where.line == 7);
            CHECK(f.place == "tile[4]");
            CHECK(f.invocation.local.x == 3);
        } else {
            // One invocation reads data[i * 2] and another writes it; a workgroup barrier isn't for storage.
            CHECK(f.kind == FindingKind::data_race);
            CHECK(f.variable == "data");
        }
    }
}

TEST_CASE("an index out of bounds is named with those in front of it, and with the length") {
    constexpr std::string_view text = R"(
struct Particle { position: vec3<f32>, history: array<vec2<f32>, 3> }
struct Head { count: u32, particles: array<Particle> }
@group(0) @binding(0) var<storage, read_write> data: Head;
@group(0) @binding(1) var<uniform> k: u32;
var<workgroup> tile: array<array<u32, 8>, 4>;
@compute @workgroup_size(1)
fn main() {
    data.particles[k - 1].history[k + 1].y = 1;
    tile[1][k + 6] = 1;
    tile[k][k + 7] = 1;
    var own: array<array<u32, 5>, 6>;
    own[2][k + 3] = tile[k + 2][0];
    let copied = own[k];
    own[0][0] = copied[k + 40];
    data.particles[k].position[k * 2] = f32(own[k + 4][k + 4]);
})";
    const std::vector<Finding> found = findings(text, {Words(2 * 12 + 4), {2}}, groups(1));
    std::vector<std::string> places;
    for (const Finding& f : found)
        if (f.kind == FindingKind::out_of_bounds)
            places.push_back(std::to_string(f.where.line) + " " + f.place + " of " +
                             std::to_string(f.length));
    std::ranges::sort(places);
    CHECK(places == std::vector<std::string>{"10 tile[1][8] of 8", "11 tile[2][9] of 8", "13 own[2][5] of 5",
                                             "13 tile[4] of 4", "15 copied[42] of 5",
                                             "16 data.particles[2] of 2", "16 own[6] of 6",
                                             "9 data.particles[1].history[3] of 3"});
    const auto first = std::ranges::find(found, 9u, [](const Finding& f) { return f.where.line; });
    CHECK(first->message ==
          "Invocation (0, 0, 0) of workgroup (0, 0, 0) writes \"data.particles[1].history[3]\", and "
          "\"data.particles[1].history\" has 3 elements.");
    CHECK(first->variable == "data");
    CHECK(first->access == AccessKind::write);
    CHECK(first->index == 3);
}

TEST_CASE("a finding is counted once for each access, however many words it has") {
    constexpr std::string_view text =
        R"(@group(0) @binding(0) var<storage, read_write> data: array<vec4<u32>>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    data[0] = vec4(i);
    data[i + 2] = vec4(i);
})";
    const std::vector<Finding> found = findings(text, {Words(16)}, groups(1));
    REQUIRE(found.size() == 2);
    CHECK(found[0].times + found[1].times == 3 + 2);
    for (const Finding& f : found) CHECK(f.times == (f.kind == FindingKind::data_race ? 3 : 2));
}

TEST_CASE("the place of a whole vector has no component, that of one in it has") {
    constexpr std::string_view text = R"(
struct Particle { position: vec3<f32>, velocity: vec3<f32> }
@group(0) @binding(0) var<storage, read_write> data: array<Particle>;
var<workgroup> tile: array<vec2<f32>, 4>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    data[1].velocity = vec3f(f32(i));
    data[0].velocity.y = 1;
    data[2] = Particle();
    tile[3] = vec2f(0);
})";
    std::vector<std::string> places;
    for (const Finding& f : findings(text, {Words(24)}, groups(1))) places.push_back(f.place);
    std::ranges::sort(places);
    CHECK(places == std::vector<std::string>{"data[0].velocity.y", "data[1].velocity", "data[2].position.x",
                                             "tile[3]"});
}
