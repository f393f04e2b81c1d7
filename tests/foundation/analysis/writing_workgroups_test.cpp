#include <muster/foundation/analysis/writing_workgroups.hpp>

#include "support/parse.hpp"

using namespace muster;

namespace {

constexpr std::uint32_t any = UINT32_MAX;

/// writing_workgroups() of a kernel with this body and workgroups of 8 x 4.
Extent3 writing(const std::string& body) {
    return writing_workgroups(test::parse(R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(2) var<uniform> n: u32;
var<workgroup> tile: array<u32, 32>;
@compute @workgroup_size(8, 4) fn main(
    @builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32) {
)" + body + "}"));
}

}  // namespace

TEST_CASE("conditions on ids around all writes say which workgroups there are") {
    CHECK(writing("if group.x == 0 { out[i] = 1; }") == Extent3{1, any, any});
    CHECK(writing("if group.y == 6 { atomicAdd(&count, 1); }") == Extent3{any, 7, any});
    CHECK(writing("if group.x != 0 { return; } out[i] = 1;") == Extent3{1, any, any});
    CHECK(writing("if id.x < 16 && id.y <= 16 { out[i] = 1; }") == Extent3{2, 5, any});
    CHECK(writing("if id.x >= 17 || id.y > 3 { return; } out[i] = 1;") == Extent3{3, 1, any});
    CHECK(writing("if !(group.z == 0) { } else { out[i] = 1; }") == Extent3{any, any, 1});
    CHECK(writing("if group.x == 0 { if id.y == 0 { out[i] = 1; } if id.y < 9 { out[i] = 2; } }") ==
          Extent3{1, 3, any});
    CHECK(writing("for (var k = 0u; k < n; k++) { if group.x != 1 { continue; } out[k] = 1; }") ==
          Extent3{2, any, any});
    CHECK(writing("tile[i] = i; workgroupBarrier(); if id.x == 0 { out[i] = tile[31 - i]; }") ==
          Extent3{1, any, any});
    CHECK(writing("if group.x == 0 { out[0] = 1; } if group.x == 3 { out[1] = 1; }") == Extent3{4, any, any});
    CHECK(writing("if group.x != 0 { if n == 0 { return; } else { return; } } out[0] = 1;") ==
          Extent3{1, any, any});
    CHECK(writing("loop { if group.x == 0 { break; } if n == i { return; } } out[0] = 1;") ==
          Extent3{1, any, any});
}

TEST_CASE("a program that writes nothing needs no workgroup") {
    CHECK(writing("tile[i] = n; out[0] = out[0];") == Extent3{any, any, any});
    CHECK(writing("tile[i] = n;") == Extent3{0, 0, 0});
    CHECK(writing("if id.x < 0 { out[0] = 1; }").count() == 0);
}

TEST_CASE("where one write may be anywhere, all are needed") {
    const Extent3 all{any, any, any};
    CHECK(writing("out[i] = 1;") == all);
    CHECK(writing("if group.x == 0 { out[0] = 1; } out[1] = 1;") == all);
    CHECK(writing("out[1] = 1; if group.x != 0 { return; } out[0] = 1;") == all);
    CHECK(writing("if group.x == n { out[0] = 1; }") == all);
    CHECK(writing("if group.x == 0 || n == 1 { out[0] = 1; }") == all);
    CHECK(writing("if group.x > 0 { out[0] = 1; }") == all);
    CHECK(writing("if group.x == 0 { out[0] = 1; } else { atomicStore(&count, 1); }") == all);
    CHECK(writing("if i == 0 { out[0] = 1; }") == all);
    CHECK(writing("if group.x != 0 { if n == 0 { return; } } out[0] = 1;") == all);
    CHECK(writing("for (var k = 0u; k < n; k++) { if group.x != 0 { break; } } out[0] = 1;") == all);
}
