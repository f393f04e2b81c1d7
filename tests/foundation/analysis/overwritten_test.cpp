#include <muster/foundation/analysis/overwritten.hpp>

#include "support/parse.hpp"

using namespace muster;

namespace {

/// is_overwritten_first() of the variable `tile` in a kernel with this body, of 8 x 4 invocations; x and y are
/// local ids, i is the index.
bool overwritten(const std::string& body, const std::string& type = "array<u32, 32>",
                 WorkgroupOrder order = WorkgroupOrder::at_barriers) {
    const Program program = test::parse("var<workgroup> tile: " + type + R"(;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> n: u32;
@compute @workgroup_size(8, 4) fn main(
    @builtin(local_invocation_index) i: u32, @builtin(local_invocation_id) id: vec3u) {
    let x = id.x;
    let y = id.y;
)" + body + "}");
    for (std::uint32_t v = 0; v < program.variables().size(); ++v)
        if (program.variable({v}).name == "tile") return is_overwritten_first(program, {v}, order);
    FAIL("the kernel doesn't use tile");
    return false;
}

constexpr const char* use = "workgroupBarrier(); out[i] = tile[31 - i];";
constexpr const char* use_2d = "workgroupBarrier(); out[i] = tile[3 - y][7 - x];";
const std::string type_2d = "array<array<u32, 8>, 4>";

}  // namespace

TEST_CASE("each invocation's element, then a barrier: all is written before it is read") {
    CHECK(overwritten(std::string("tile[i] = 7;") + use));
    CHECK(overwritten(std::string("tile[y * 8 + x] = 7;") + use));
    CHECK(overwritten(std::string("tile[31 - i] = 7;") + use));
    CHECK(overwritten(std::string("tile[y][x] = 7;") + use_2d, type_2d));
    CHECK(overwritten(std::string("tile[i] = 7; workgroupBarrier(); tile[0] = 3;") + use));
    CHECK(
        overwritten("for (var t = 0u; t < n; t++) { tile[i] = t; workgroupBarrier(); "
                    "out[i] = tile[31 - i]; workgroupBarrier(); }"));
    CHECK(overwritten(std::string("tile[i] = 7;") + use, "array<u32, 31>"));
    // Who leaves a loop is there behind it.
    const std::string turns = "for (var k = 0u; k < i; k++) { out[i] += k; }";
    CHECK(overwritten("for (var t = 0u; t < n; t++) { " + turns + "tile[i] = t; " + turns + use + "}"));
}

TEST_CASE("what isn't sure to be written first isn't taken for it") {
    CHECK_FALSE(overwritten(std::string("tile[i] = 7;") + use, "array<u32, 33>"));  // not the last one
    CHECK_FALSE(overwritten(std::string("tile[i / 2] = 7;") + use));                // only half of them
    CHECK_FALSE(overwritten(std::string("tile[n + i] = 7;") + use));                // unknown elements
    CHECK_FALSE(overwritten(std::string("if i < 16 { tile[i] = 7; }") + use));      // only some invocations
    CHECK_FALSE(overwritten(std::string("tile[x][y] = 7;") + use_2d, type_2d));     // partly outside
    CHECK_FALSE(overwritten(std::string("tile[0] += 1; tile[i] = 7;") + use));      // read before the store
    CHECK_FALSE(overwritten(std::string("tile[i] = 7; out[n] = tile[n];") + use));  // read before the barrier
    CHECK_FALSE(
        overwritten("tile[i] = 7; storageBarrier(); out[i] = tile[31 - i];"));  // another kind of barrier
    CHECK_FALSE(overwritten(std::string("for (var t = 0u; t < n; t++) { tile[i] = t; workgroupBarrier(); }") +
                            use));  // perhaps no turn at all
    CHECK_FALSE(overwritten("if i < 16 { return; } tile[i] = 7; out[i] = tile[i];"));
    CHECK_FALSE(overwritten(std::string("tile[i].x = 7;") + "workgroupBarrier(); out[i] = tile[31 - i].y;",
                            "array<vec2u, 32>"));
}

TEST_CASE("a store by all before a construct with barriers") {
    const std::string halves =
        "for (var half = 16u; half > 0; half /= 2u) { workgroupBarrier(); if i < half { tile[i] += tile[i + "
        "half]; } }";
    const std::string type = "array<u32, 32>";
    const std::string read = "if i == 0u { out[0] = tile[0]; }";
    CHECK(overwritten("tile[i] = i;" + halves));
    CHECK_FALSE(overwritten("tile[i] = i;" + halves + read));  // without a turn there is no barrier
    CHECK(overwritten("tile[i] = i;" + halves + read, type, WorkgroupOrder::in_regions));
    CHECK(overwritten("for (var t = 0u; t < i; t++) { out[i] += t; } tile[i] = i;" + halves));
    CHECK_FALSE(overwritten("if i < n { tile[i] = i; }" + halves, type, WorkgroupOrder::in_regions));
    CHECK_FALSE(overwritten("tile[i] = i; out[i] = tile[0];" + halves, type, WorkgroupOrder::in_regions));
    CHECK_FALSE(overwritten("if n == 1u { return; } tile[i] = i;" + halves));  // not known to be uniform
}
