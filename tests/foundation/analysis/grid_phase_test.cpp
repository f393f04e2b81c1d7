// may_be_overwritten(): writes that may happen before the next grid barrier.
#include <doctest/doctest.h>

#include <muster/foundation/analysis/grid_phase.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/validate/validate.hpp>

#include "support/parse.hpp"

using namespace muster;
using muster::test::parse;

namespace {

Program program_of(const std::string& statements) {
    const Program program = parse(
        "enable muster_grid_barrier;\n"
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> word: atomic<u32>;\n"
        "@group(0) @binding(2) var<uniform> n: u32;\n"
        "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
        "  let i = id.x;\n" +
        statements + "\n}\n");
    const Result<ValidProgram> valid = validate(program);
    REQUIRE_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    return program;
}

/// may_be_overwritten() for the program's first gridUniformLoad.
bool is_written_behind(const std::string& statements) {
    const Program program = program_of(statements);
    for (NodeId id{0}; id.index < program.node_count(); ++id.index)
        if (is_grid_uniform_load(program, id)) return may_be_overwritten(program, id);
    FAIL("no load");
    return false;
}

}  // namespace

TEST_CASE("a word that is written behind its load, before the next grid barrier") {
    for (const char* const body : {
             "gridBarrier(); _ = gridUniformLoad(&word); atomicAdd(&word, 1);",
             "gridBarrier(); _ = gridUniformLoad(&data[2]); data[i] = 1;",
             "gridBarrier(); let a = gridUniformLoad(&word); if a > 3 { if i == 2 { atomicStore(&word, 1); } "
             "}",
             // In the next turn, or after the loop.
             "loop { atomicAdd(&word, 1); gridBarrier(); if gridUniformLoad(&word) > 9 { break; } }",
             "loop { gridBarrier(); if gridUniformLoad(&word) > 9 { break; } continuing { atomicAdd(&word, "
             "1); } }",
             "loop { gridBarrier(); if gridUniformLoad(&word) > 9 { break; } } atomicAdd(&word, 1);",
             "loop { gridBarrier(); if gridUniformLoad(&word) > 9 { break; } gridBarrier(); } "
             "atomicAdd(&word, 1);",
             "loop { gridBarrier(); if gridUniformLoad(&word) > 9 { continue; } gridBarrier(); break; "
             "continuing { atomicAdd(&word, 1); } }",
             // Past a barrier that isn't reached.
             "gridBarrier(); let a = gridUniformLoad(&word); if a > 3 { gridBarrier(); } atomicAdd(&word, "
             "1);",
             "gridBarrier(); let a = gridUniformLoad(&word); loop { if a > 3 { break; } gridBarrier(); } "
             "atomicAdd(&word, 1);",
             "gridBarrier(); let a = gridUniformLoad(&word); switch a { case 1: { gridBarrier(); } default: "
             "{ } } "
             "atomicAdd(&word, 1);",
             "gridBarrier(); let a = gridUniformLoad(&word); loop { loop { if a > 3 { break; } "
             "gridBarrier(); } "
             "break; } atomicAdd(&word, 1);",
         }) {
        CAPTURE(body);
        CHECK(is_written_behind(body));
    }
}

TEST_CASE("a word that isn't") {
    for (const char* const body : {
             "gridBarrier(); _ = gridUniformLoad(&word);",
             "atomicAdd(&word, 1); gridBarrier(); _ = gridUniformLoad(&word); data[i] = atomicLoad(&word);",
             "gridBarrier(); _ = gridUniformLoad(&word); gridBarrier(); atomicAdd(&word, 1);",
             "gridBarrier(); if gridUniformLoad(&word) > 3 { return; } gridBarrier(); atomicAdd(&word, 1);",
             "gridBarrier(); if gridUniformLoad(&word) > 3 { gridBarrier(); } else { gridBarrier(); } "
             "atomicAdd(&word, 1);",
             "loop { gridBarrier(); atomicAdd(&word, 1); gridBarrier(); if gridUniformLoad(&word) > 9 { "
             "break; } }",
             "gridBarrier(); if gridUniformLoad(&word) > 3 { data[i] = 1; }",
             // Each jump leads to the end of its own construct.
             "gridBarrier(); let a = gridUniformLoad(&word); loop { loop { if a > 3 { break; } "
             "gridBarrier(); "
             "break; } gridBarrier(); break; } atomicAdd(&word, 1);",
         }) {
        CAPTURE(body);
        CHECK_FALSE(is_written_behind(body));
    }
}

TEST_CASE("loops within loops are followed in no time") {
    std::string begin, end;
    for (int depth = 0; depth < 60; ++depth) {
        begin += "loop { gridBarrier(); ";
        end += " if n > 2 { break; } }";
    }
    CHECK_FALSE(is_written_behind(begin + "if gridUniformLoad(&word) > 9 { break; }" + end));
    CHECK(
        is_written_behind(begin + "if gridUniformLoad(&word) > 9 { break; }" + end + "atomicAdd(&word, 1);"));
}

TEST_CASE("returns that others' grid barriers come after") {
    for (const char* const body : {
             "if i >= n { return; } gridBarrier();",
             "loop { gridBarrier(); if data[i] == 0 { return; } }",
             "for (var k = 0u; k < n; k++) { if data[i] == k { return; } for (var j = 0u; j < n; j++) { "
             "gridBarrier(); } }",
             "if n > 2 { if i > 3 { return; } } gridBarrier(); if i == 3 { return; }",
         }) {
        CAPTURE(body);
        CHECK(may_return_before_grid_barrier(program_of(body)));
    }
    for (const char* const body : {
             "gridBarrier();",
             "gridBarrier(); if i >= n { return; } data[i] = 1;",
             "for (var k = 0u; k < n; k++) { gridBarrier(); } loop { data[i] += 1; if data[i] > 7 { return; "
             "} }",
             "if i >= n { return; } data[i] = 1;",
         }) {
        CAPTURE(body);
        CHECK_FALSE(may_return_before_grid_barrier(program_of(body)));
    }
}
