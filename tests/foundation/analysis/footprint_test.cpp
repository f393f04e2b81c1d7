// The words that boxes of workgroups access, on typical kernels.

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/foundation/analysis/footprint/footprint.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/validate/validate.hpp>

#include "support/parse.hpp"

using namespace muster;

namespace {

struct Argument {
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t> words = {};  // the contents, if they are known
};

/// "read x 0..64, write y 64..128": what a box of workgroups accesses, in program order; `?` marks an unbounded access, "fill" a
/// store to all words, "write y 0..8 (1..7)" one that certainly reaches those in parentheses.
std::string accesses(const Program& given, const std::vector<Argument>& arguments, Extent3 grid, Extent3 low,
                     Extent3 high) {
    const Result<ValidProgram> program = validate(given);
    if (!program) return program.error().to_string();
    std::vector<KnownBinding> bindings;
    for (const Argument& one : arguments)
        bindings.push_back(
            {one.words.empty() ? one.bytes : 4 * one.words.size(), std::as_bytes(std::span(one.words))});
    const Footprint footprint = analyse_footprint(*program);
    FootprintValues values(footprint, {.grid = grid, .bindings = bindings});
    values.set_box(low, high);
    std::string all;
    for (std::size_t i = 0; i < footprint.accesses.size(); ++i) {
        const FootprintAccess& one = footprint.accesses[i];
        const auto [begin, end] = values.words(i);
        const Variable& variable = footprint.program.variable(footprint.program.bindings()[one.binding]);
        if (variable.space == AddressSpace::uniform) continue;
        const auto [filled, filled_end] = values.filled(i);
        const bool is_full = filled == begin && filled_end == end && begin < end;
        const std::string_view kind = one.is_reducible          ? "reduce"
                                      : one.reads && one.writes ? "read+write"
                                      : one.reads               ? "read"
                                      : is_full                 ? "fill"
                                                                : "write";
        all += fmt::format("{}{}{} {} {}..{}", all.empty() ? "" : ", ", kind, values.is_bounded(i) ? "" : "?",
                           variable.name, begin, end);
        if (!is_full && filled < filled_end) all += fmt::format(" ({}..{})", filled, filled_end);
    }
    return all;
}

std::string accesses(std::string_view text, const std::vector<Argument>& arguments, Extent3 grid, Extent3 low,
                     Extent3 high) {
    return accesses(test::parse(std::string(text)), arguments, grid, low, high);
}

constexpr std::string_view saxpy = R"(
struct Params { n: u32, a: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.n) { return; }
    y[id.x] = params.a * x[id.x] + y[id.x];
})";

}  // namespace

TEST_CASE("an access at the invocation's own id takes the workgroups' own words, up to the guard") {
    const std::vector<Argument> arguments{{.words = {200, 0}}, {.bytes = 4096}, {.bytes = 4096}};
    CHECK(accesses(saxpy, arguments, {4, 1, 1}, {1, 0, 0}, {2, 0, 0}) ==
          "read x 64..192, read y 64..192, fill y 64..192");
    CHECK(accesses(saxpy, arguments, {4, 1, 1}, {3, 0, 0}, {3, 0, 0}) ==
          "read x 192..200, read y 192..200, fill y 192..200");
    const std::vector<Argument> short_ones{{.words = {200, 0}}, {.bytes = 4 * 100}, {.bytes = 4 * 100}};
    CHECK(accesses(saxpy, short_ones, {4, 1, 1}, {1, 0, 0}, {1, 0, 0}) ==
          "read x 64..100, read y 64..100, fill y 64..100");
}

TEST_CASE("a value that the host doesn't know leaves the whole binding") {
    const std::vector<Argument> arguments{{.bytes = 8}, {.bytes = 4096}, {.bytes = 4096}};
    CHECK(accesses(saxpy, arguments, {4, 1, 1}, {1, 0, 0}, {1, 0, 0}) ==
          "read? x 0..1024, read? y 0..1024, write? y 0..1024");
}

TEST_CASE("neighbours out of bounds add nothing, whatever the sign of the index") {
    constexpr std::string_view shift = R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = x[id.x - 1u] + x[id.x + 2u] + x[i32(id.x) - 3]; })";
    const std::vector<Argument> arguments{{.bytes = 4 * 256}, {.bytes = 4 * 256}};
    CHECK(accesses(shift, arguments, {4, 1, 1}, {0, 0, 0}, {1, 0, 0}) ==
          "read x 0..127, read x 2..130, read x 0..125, fill y 0..128");
    CHECK(accesses(shift, arguments, {4, 1, 1}, {3, 0, 0}, {3, 0, 0}) ==
          "read x 191..255, read x 194..256, read x 189..253, fill y 192..256");
}

TEST_CASE("rows of a picture, with clamped neighbours") {
    constexpr std::string_view blur = R"(
struct Size { w: u32, h: u32 }
@group(0) @binding(0) var<uniform> size: Size;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
fn at(col: i32, row: i32) -> f32 {
    return x[clamp(row, 0, i32(size.h) - 1) * i32(size.w) + clamp(col, 0, i32(size.w) - 1)];
}
@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= size.w || id.y >= size.h) { return; }
    var sum = 0.0;
    for (var k = -2; k <= 2; k++) { sum += at(i32(id.x), i32(id.y) + k); }
    y[id.y * size.w + id.x] = sum;
})";
    const std::vector<Argument> arguments{{.words = {100, 50}}, {.bytes = 4 * 5000}, {.bytes = 4 * 5000}};
    CHECK(accesses(blur, arguments, {13, 13, 1}, {0, 2, 0}, {12, 3, 0}) ==
          "read x 600..1800, fill y 800..1600");
    CHECK(accesses(blur, arguments, {13, 13, 1}, {0, 12, 0}, {12, 12, 0}) ==
          "read x 4600..5000, fill y 4800..5000");
}

TEST_CASE("a matrix product reads rows of one matrix and all of the other") {
    constexpr std::string_view product = R"(
struct Size { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<uniform> size: Size;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= size.n || id.y >= size.m) { return; }
    var sum = 0.0;
    for (var k = 0u; k < size.k; k++) { sum += a[id.y * size.k + k] * b[k * size.n + id.x]; }
    c[id.y * size.n + id.x] = sum;
})";
    const std::vector<Argument> arguments{
        {.words = {32, 16, 10}}, {.bytes = 4 * 320}, {.bytes = 4 * 160}, {.bytes = 4 * 512}};
    CHECK(accesses(product, arguments, {2, 4, 1}, {0, 1, 0}, {1, 1, 0}) ==
          "read a 80..160, read b 0..160, fill c 128..256");
}

TEST_CASE("atomics whose results nobody uses are reductions") {
    constexpr std::string_view histogram = R"(
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 16>;
@group(0) @binding(2) var<storage, read_write> order: array<u32>;
@group(0) @binding(3) var<storage, read_write> next: atomic<i32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicAdd(&bins[x[id.x] % 16], 1);
    order[atomicAdd(&next, 1)] = id.x;
})";
    const std::vector<Argument> arguments{{.bytes = 1024}, {.bytes = 64}, {.bytes = 1024}, {.bytes = 4}};
    CHECK(accesses(histogram, arguments, {4, 1, 1}, {1, 0, 0}, {1, 0, 0}) ==
          "read x 64..128, reduce bins 0..16, read+write next 0..1, write? order 0..256");
}

TEST_CASE("members, vectors and small scalars take the words that they touch") {
    constexpr std::string_view particles = R"(
enable f16;
struct Particle { position: vec3<f32>, mass: f32, velocity: vec3<f32> }
@group(0) @binding(0) var<storage, read_write> all: array<Particle>;
@group(0) @binding(1) var<storage, read_write> halves: array<f16>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    all[id.x].velocity = all[id.x].position * all[id.x].mass;
    all[id.x].position.y = 0;
    halves[id.x + 1] = 0;
})";
    const std::vector<Argument> arguments{{.bytes = 32 * 16}, {.bytes = 32}};
    CHECK(accesses(particles, arguments, {4, 1, 1}, {1, 0, 0}, {1, 0, 0}) ==
          "read all 32..59, read all 35..60, write all 36..63, write all 33..58, write halves 2..5");
}

TEST_CASE("rows of constant length") {
    constexpr std::string_view picture = R"(
override width: u32 = 100;
override height: u32 = 50;
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= width || id.y >= height { return; }
    y[id.y * width + id.x] = 1;
})";
    const std::vector<Argument> arguments{{.bytes = 4 * 5000}};
    CHECK(accesses(picture, arguments, {13, 13, 1}, {0, 2, 0}, {12, 3, 0}) == "fill y 800..1600");
    CHECK(accesses(picture, arguments, {13, 13, 1}, {0, 12, 0}, {12, 12, 0}) == "fill y 4800..5000");
}

TEST_CASE("a transposed tile, without a guard") {
    constexpr std::string_view transposed = R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(32, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) place: vec3u) {
    for (var k = 0u; k < 32; k += 8) {
        y[(group.x * 32 + place.y + k) * 64 + group.y * 32 + place.x] = x[(group.y * 32 + place.y + k) * 64 + group.x * 32 + place.x];
    }
})";
    const std::vector<Argument> arguments{{.bytes = 4 * 4096}, {.bytes = 4 * 4096}};
    CHECK(accesses(transposed, arguments, {2, 2, 1}, {1, 0, 0}, {1, 1, 0}) ==
          "read x 32..4096, write y 2048..4096");
}

TEST_CASE("an access that a condition keeps to some workgroups isn't the others'") {
    constexpr std::string_view first = R"(
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x == 0) { y[100] = 1; }
    if (id.x == n) { y[101] = 1; }
    y[id.x] = 2;
})";
    const std::vector<Argument> arguments{{.words = {20}}, {.bytes = 800}};
    CHECK(accesses(first, arguments, {8, 1, 1}, {0, 0, 0}, {1, 0, 0}) ==
          "fill y 100..101, write y 0..0, fill y 0..16");
    CHECK(accesses(first, arguments, {8, 1, 1}, {2, 0, 0}, {7, 0, 0}) ==
          "write y 0..0, fill y 101..102, fill y 16..64");
    CHECK(accesses(first, {{.bytes = 4}, {.bytes = 800}}, {8, 1, 1}, {7, 0, 0}, {7, 0, 0}) ==
          "write y 0..0, write y 101..102, fill y 56..64");
}

TEST_CASE("a branch that a known number doesn't take accesses nothing") {
    constexpr std::string_view text = R"(
@group(0) @binding(0) var<uniform> mode: vec2i;
@group(0) @binding(1) var<storage, read_write> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(4) fn choose(@builtin(global_invocation_id) id: vec3u) {
  if (mode.y == 3) { x[id.x] = 1; } else { y[id.x] = 1; }
}
)";
    for (const std::uint32_t mode : {2u, 3u, 4u})
        CHECK(accesses(text, {{0, {9, mode}}, {64}, {64}}, {4, 1, 1}, {1, 0, 0}, {2, 0, 0}) ==
              (mode == 3 ? "write x 4..12, write y 0..0" : "write x 0..0, write y 4..12"));
    CHECK(accesses(text, {{8}, {64}, {64}}, {4, 1, 1}, {1, 0, 0}, {2, 0, 0}) ==
          "write x 4..12, write y 4..12");
}

TEST_CASE("a store fills what its invocations are shown to cover") {
    const auto filled = [](std::string_view declarations, std::string_view body, Extent3 grid, Extent3 low,
                           Extent3 high) {
        const std::string text = fmt::format(R"({}
@group(0) @binding(0) var<uniform> size: vec2<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>,
        @builtin(workgroup_id) group: vec3<u32>) {{
    {}
}})",
                                             declarations, body);
        const bool reads = body.contains("x[");
        std::vector<Argument> arguments{{.words = {20, 10}}};
        if (reads) arguments.push_back({.bytes = 4096});
        arguments.push_back({.bytes = 4096});
        if (!body.contains("size")) arguments.erase(arguments.begin());
        const std::string all = accesses(text, arguments, grid, low, high);
        return all.substr(all.rfind(',') == std::string::npos ? 0 : all.rfind(',') + 2);
    };
    const auto rows = [&](std::string_view body) {
        return filled("@group(0) @binding(2) var<storage, read_write> y: array<u32>;", body, {3, 3, 1},
                      {0, 1, 0}, {2, 2, 0});
    };
    CHECK(rows("if (id.x < size.x && id.y < size.y) { y[id.y * size.x + id.x] = 1; }") == "fill y 80..200");
    CHECK(rows("if (id.x >= size.x || id.y >= size.y) { return; } y[id.y * size.x + id.x] = 1;") ==
          "fill y 80..200");
    CHECK(rows("if (id.x >= size.x) { return; } if (id.y < size.y) { y[id.y * size.x + id.x] = 1; }") ==
          "fill y 80..200");
    CHECK(rows("if (id.x >= size.x) { if (x[0] == 0) { return; } else { return; } } if (id.y < size.y) { "
               "y[id.y * size.x + id.x] = 1; }") == "fill y 80..200");
    CHECK(rows("if (id.x < 20 && id.y < 10) { y[id.y * 20 + id.x] = 1; }") == "fill y 80..200");
    CHECK(rows("y[id.y * 24 + id.x] = 1;") == "fill y 96..288");
    CHECK(rows("y[id.y * 25 + id.x] = 1;") == "write y 100..299");  // a hole in each row
    CHECK(rows("if (id.x < size.x) { y[id.y * 21 + id.x] = 1; }") == "write y 84..251");
    CHECK(
        rows("if (id.x == 0 || id.y == 0 || id.x + 1 >= size.x) { return; } y[id.y * size.x + id.x] = 1;") ==
        "write y 80..239");
    CHECK(rows("if (id.x < size.x) { y[id.x] = id.y; }") == "fill y 0..20");
    CHECK(rows("if (local.x == 2 && local.y == 0) { y[group.y] = 1; }") == "fill y 1..3");
    CHECK(rows("if (local.x == 8) { y[group.y] = 1; }") == "write y 0..0");
    // Each condition holds somewhere, and no invocation keeps both.
    CHECK(rows("if (id.y < 8 && local.y + 2 * group.y > 5) { y[id.x] = 1; }") == "write y 0..24");
    CHECK(rows("if (x[id.x] == 0) { y[group.y] = 1; }") == "write y 1..3");
    CHECK(rows("if (id.x == group.x) { y[id.y] = 1; }") == "write y 4..12");
    CHECK(rows("if (id.x < size.x || id.y < size.y) { y[id.y] = 1; }") == "write y 4..12");
    CHECK(rows("for (var i = 0u; i < size.x; i++) { if (i == 30) { return; } } y[id.y] = 1;") ==
          "write y 4..12");
    CHECK(rows("if (size.x == 7) { y[id.y] = 1; }") == "write y 0..0");
    CHECK(rows("if (id.x < 9) { if (x[id.x] == 0) { return; } } y[id.y] = 1;") == "write y 4..12");
    CHECK(rows("if (id.x != 1) { y[id.y] = 1; }") == "fill y 4..12");
    CHECK(rows("if (id.y != 5) { y[id.y] = 1; }") == "write y 4..12 (6..12)");
    CHECK(rows("y[2 * id.y] = 1;") == "write y 8..23");
    CHECK(rows("y[i32(id.y) - 5] = 1;") == "fill y 0..7");
    CHECK(filled("@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;", "y[id.y].x = 1;",
                 {3, 3, 1}, {0, 1, 0}, {2, 2, 0}) == "write y 16..45");
    CHECK(filled("@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;", "y[id.y] = vec4f();",
                 {3, 3, 1}, {0, 1, 0}, {2, 2, 0}) == "fill y 16..48");
    CHECK(filled("@group(0) @binding(2) var<storage, read_write> y: array<vec3f>;", "y[id.y] = vec3f();",
                 {3, 3, 1}, {0, 1, 0}, {2, 2, 0}) == "write y 16..47");
}

TEST_CASE("an extension accesses all of a binding, wherever in it the reference leads") {
    for (const bool is_element : {false, true}) {
        IrBuilder ir("main", {64, 1, 1});
        const TypeId array = ir.types().runtime_array(u32_type);
        const VariableId data = ir.variable(
            {.name = "data", .type = array, .space = AddressSpace::storage, .access = Access::read_write});
        const NodeId place = ir.ref(data);
        const NodeId id = ir.builtin(Builtin::local_invocation_index);
        ir.extension("muster.example", no_type, std::array{is_element ? ir.ref_index(place, id) : place});
        const Result<Program> program = std::move(ir).finish();
        REQUIRE(program);
        CHECK(accesses(*program, {{.bytes = 400}}, {2, 1, 1}, {1, 0, 0}, {1, 0, 0}) ==
              "read+write? data 0..100");
    }
}

TEST_CASE("in a loop over the grid, each turn has words of its own") {
    // The words of workgroup 1 of 4, of 10 invocations each, in its first store.
    const auto words = [](std::string_view loop, std::string_view body, std::uint32_t n, std::uint32_t stride,
                          std::size_t most = 100) {
        const Result<ValidProgram> program = validate(test::parse(fmt::format(
            R"(struct Sizes {{ n: u32, stride: u32 }}
@group(0) @binding(0) var<uniform> size: Sizes;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {{
    for ({}) {{ {} }}
}})",
            loop, body)));
        REQUIRE(program);
        const std::array<std::uint32_t, 2> sizes{n, stride};
        const std::array bindings{KnownBinding{8, std::as_bytes(std::span(sizes))},
                                  KnownBinding{.bytes = 4 * 120}};
        const Footprint footprint = analyse_footprint(*program);
        FootprintValues values(footprint, {.grid = {4, 1, 1}, .bindings = bindings});
        values.set_box({1, 0, 0}, {1, 0, 0});
        const auto write = std::ranges::find(footprint.accesses, true, &FootprintAccess::writes);
        std::string all;
        for (const auto& [begin, end] :
             values.parts(static_cast<std::size_t>(write - footprint.accesses.begin()), most))
            all += fmt::format("{}{}..{}", all.empty() ? "" : " ", begin, end);
        return all;
    };
    constexpr std::string_view usual = "var i = id.x; i < size.n; i += groups.x * 10";
    CHECK(words(usual, "y[i] = 1;", 100, 0) == "10..20 50..60 90..100");
    CHECK(words(usual, "y[i] = 1;", 95, 0) == "10..20 50..60 90..95");
    CHECK(words(usual, "y[i + 35] = 1;", 100, 0) == "45..55 85..95");
    CHECK(words(usual, "y[i - 15] = 1;", 100, 0) == "0..5 35..45 75..85");
    CHECK(words(usual, "for (var k = 0u; k < 3; k++) { y[3 * i + k] = 1; }", 100, 0) == "30..60");
    CHECK(words("var i = 1 + 2 * id.x; i < size.n; i += groups.x * 20", "y[i] = 1;", 120, 0) ==
          "21..40 101..120");
    CHECK(words("var i = i32(id.x); i < i32(size.n); i += i32(groups.x * 10)", "y[i] = 1;", 100, 0) ==
          "10..20 50..60 90..100");
    constexpr std::string_view given = "var i = id.x; i < size.n; i += size.stride";
    CHECK(words(given, "y[i] = 1;", 100, 25) == "10..20 35..45 60..70 85..95");
    CHECK(words(given, "y[i] = 1;", 100, 10) == "10..100");
    CHECK(words(given, "y[i] = 1;", 100, 9) == "10..100");
    CHECK(words(given, "y[i] = 1;", 100, 0) == "10..100");
    CHECK(words(given, "y[i] = 1;", 100, UINT32_MAX) == "0..100");  // it counts down, and wraps
    CHECK(words(given, "y[i] = 1;", 100, 25, 4) == "10..20 35..45 60..70 85..95");
    CHECK(words(given, "y[i] = 1;", 100, 25, 3) == "10..100");
    // What changes the counter otherwise, or turns it by what isn't the same everywhere, leaves the interval.
    CHECK(words(usual, "y[i] = 1; if (i == 17) { i += size.n; }", 100, 0) == "10..100");
    CHECK(words("var i = id.x; i < size.n; i += groups.x * 10 + id.x", "y[i] = 1;", 100, 0) == "10..100");
    CHECK(words("var i = id.x; i < size.n; i += y[0] + 0 * size.n", "y[i] = 1;", 100, 0) == "0..100");
    CHECK(words("var i = 99 - id.x; i < size.n; i -= groups.x * 10", "y[i] = 1;", 100, 0) == "0..100");
    CHECK(words(usual, "y[99 - i] = 1;", 100, 0) == "0..90");
    CHECK(words(usual, "y[i * 0x40000000u] = 1;", 100, 0) == "0..120");
}
