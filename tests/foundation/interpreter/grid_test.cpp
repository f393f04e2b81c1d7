// The interpreter at grid barriers: all workgroups meet, in adversarial order; values kept, accesses ordered,
// errors.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "support/run_kernel.hpp"

using namespace muster;
using namespace muster::test;

namespace {

// A program: `a` and `b` are arrays of words, `word` has a single one; i is the invocation's number, n the
// number of invocations.
ValidProgram valid_in_grid(std::string_view statements, std::string_view variables = "",
                           int workgroup_size = 4) {
    const std::string text =
        "enable muster_grid_barrier;\n"
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
        "@group(0) @binding(2) var<storage, read_write> word: array<u32, 1>;\n" +
        std::string(variables) + "\n@compute @workgroup_size(" + std::to_string(workgroup_size) +
        ") fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u,\n"
        "  @builtin(local_invocation_index) lane: u32) {\n"
        "  let i = id.x; let n = groups.x * " +
        std::to_string(workgroup_size) +
        ";\n  if n == 0 { a[0] = b[0] + word[0]; }  // so that all are bound\n" + std::string(statements) +
        "\n}\n";
    const Result<Program> program = wgsl::parse(text);
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    const Result<ValidProgram> valid = validate(*program);
    REQUIRE_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    return *valid;
}

Words counted(std::uint32_t count) {
    Words words(count);
    std::iota(words.begin(), words.end(), 0u);
    return words;
}

// Runs with many seeds, and expects this result from each.
void expect(const ValidProgram& program, const std::vector<Words>& memory, std::uint32_t workgroups,
            const std::vector<Words>& expected) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        CHECK(run(program, memory, groups(workgroups), {.seed = seed}) == expected);
    }
}

std::size_t races_of(std::string_view statements, std::string_view variables = "") {
    const ValidProgram program = valid_in_grid(statements, variables);
    std::size_t found = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        std::vector<Words> memory{counted(20), Words(20), {0}};
        const auto report = try_run(program, memory, groups(5), {.seed = seed, .report_races = true});
        REQUIRE(report);
        found += report->findings.size();
    }
    return found;
}

}  // namespace

TEST_CASE("what is written before a grid barrier is read after it, whoever wrote") {
    // A prefix sum by doubling, between a and b, in a uniform loop.
    const ValidProgram program = valid_in_grid(R"(
        for (var step = 1u; step < n; step *= 2) {
            b[i] = a[i];
            if i >= step { b[i] += a[i - step]; }
            gridBarrier();
            a[i] = b[i];
            gridBarrier();
        })");
    Words sums(28);
    const Words ones = counted(28);
    std::partial_sum(ones.begin(), ones.end(), sums.begin());
    expect(program, {counted(28), Words(28), {0}}, 7, {sums, sums, {0}});
}

TEST_CASE("an invocation that has returned counts as arrived, and stays away") {
    const ValidProgram program = valid_in_grid(R"(
        if i % 3 == 0 { b[i] = 100; return; }
        a[i] += 1;
        gridBarrier();
        if i % 3 == 1 { b[i] = a[(i + 1) % n]; return; }
        gridBarrier();
        b[i] = a[i - 1] + b[i - 1];)");
    Words a = counted(20), b(20);
    for (std::uint32_t i = 0; i < 20; ++i) a[i] += i % 3 != 0;
    for (std::uint32_t i = 0; i < 20; ++i) {
        if (i % 3 == 0) b[i] = 100;
        if (i % 3 == 1) b[i] = a[(i + 1) % 20];
        if (i % 3 == 2) b[i] = a[i - 1] + b[i - 1];
    }
    expect(program, {counted(20), Words(20), {0}}, 5, {a, b, {0}});
    // A loop that all invocations leave by returning.
    const ValidProgram ends =
        valid_in_grid("var k = i; loop { gridBarrier(); if k == 0 { return; } k--; b[i]++; }");
    expect(ends, {counted(12), Words(12), {0}}, 3, {counted(12), counted(12), {0}});
}

TEST_CASE("variables, values and workgroup memory live across a grid barrier") {
    const ValidProgram program =
        valid_in_grid(R"(
        var own = array<u32, 3>(i, i * i, 7);
        let before = a[i];
        mine[1] = i + 1;
        tile[lane] = i * 10;
        gridBarrier();
        a[i] = tile[(lane + 1) % 4];
        own[2] += mine[1];
        gridBarrier();
        b[i] = before + own[0] + own[1] + own[2] + tile[(lane + 3) % 4] + mine[0];)",
                      "var<private> mine = array<u32, 2>(5, 6); var<workgroup> tile: array<u32, 4>;");
    Words a(16), b(16);
    for (std::uint32_t i = 0; i < 16; ++i) {
        const std::uint32_t group = i / 4 * 4;
        a[i] = (group + (i + 1) % 4) * 10;
        b[i] = i + i + i * i + 7 + i + 1 + (group + (i + 3) % 4) * 10 + 5;
    }
    expect(program, {counted(16), Words(16), {0}}, 4, {a, b, {0}});
}

TEST_CASE("a gridUniformLoad is fixed at the barrier, whatever the swift write next") {
    const ValidProgram program = valid_in_grid(R"(
        var sum = 0u;
        loop {
            gridBarrier();
            let turn = gridUniformLoad(&word[0]);
            let again = gridUniformLoad(&word[turn - turn]);
            if i == n / 2 { word[0] = turn + 1; }
            sum = sum * 3 + turn + again - turn;
            if turn == 5 { break; }
        }
        b[i] = sum;
        gridBarrier();
        a[i] = gridUniformLoad(&word[n]) + 1;  // out of bounds)");
    std::uint32_t sum = 0;
    for (std::uint32_t turn = 0; turn <= 5; ++turn) sum = sum * 3 + turn;
    expect(program, {counted(12), Words(12), {0}}, 3, {Words(12, 1), Words(12, sum), {6}});
}

TEST_CASE("a grid barrier orders all accesses; without one they race") {
    CHECK(races_of("b[i] = a[i]; gridBarrier(); a[i] = b[(i + 5) % n]; gridBarrier(); b[i] = 1;") == 0);
    CHECK(races_of("b[i] = a[i]; storageBarrier(); a[i] = b[(i + 5) % n];") != 0);
    CHECK(races_of("b[i] = a[(i + 1) % n]; gridBarrier(); b[i] += a[(i + 2) % n]; a[i] = 1;") != 0);
    CHECK(races_of("tile[lane] = i; gridBarrier(); a[i] = tile[3 - lane]; gridBarrier(); tile[3 - lane] = 1;",
                   "var<workgroup> tile: array<u32, 4>;") == 0);
    CHECK(races_of("tile[lane] = i; gridBarrier(); a[i] = tile[3 - lane]; tile[lane] = 1;",
                   "var<workgroup> tile: array<u32, 4>;") != 0);
    // Reads before a barrier don't hide those after it.
    CHECK(races_of("b[i] = a[0]; gridBarrier(); b[i] += a[0]; if i == 7 { a[0] = 1; }") != 0);
    CHECK(races_of(
              "b[i] = a[0]; gridBarrier(); b[i] += a[1]; gridBarrier(); if i == 7 { a[0] = a[1]; a[1] = 2; "
              "}") == 0);
    // The race is found in every order, also if the writer reads last, after the other.
    CHECK(
        races_of(
            "b[i] = a[0]; gridBarrier(); if i == 6 { b[i] = a[0]; } if i == 7 { b[i] = a[0]; a[0] = 1; }") >=
        4);
    // A gridUniformLoad is never part of a race, and orders no accesses.
    CHECK(races_of("if i == 3 { word[0] = 1; } gridBarrier(); let w = gridUniformLoad(&word[0]); if i == 4 { "
                   "word[0] = w; }") == 0);
    CHECK(
        races_of("gridBarrier(); let next = a[(i + 1) % n]; let w = gridUniformLoad(&word[0]); a[i] = next + "
                 "w;") != 0);
}

TEST_CASE("what can't be run at a grid barrier is refused") {
    const ValidProgram program = valid_in_grid("gridBarrier(); a[i] = 1;");
    std::vector<Words> memory{Words(16), Words(16), {0}};
    const auto part = try_run(program, memory, {.origin = {1, 0, 0}, .extent = {2, 1, 1}, .grid = {4, 1, 1}});
    REQUIRE(!part);
    CHECK(part.error().code == ErrorCode::invalid_argument);
    CHECK(part.error().message ==
          "The launch has 2 x 1 x 1 workgroups of a grid of 4 x 1 x 1; \"main\" has grid barriers, at which "
          "all meet.");
    const auto large = try_run(program, memory, groups(65535, 65535));
    REQUIRE(!large);
    CHECK(large.error().code == ErrorCode::limit_exceeded);
    CHECK(large.error().message.find("The 4294836225 workgroups of \"main\"") == 0);
    const auto endless =
        try_run(valid_in_grid("loop { gridBarrier(); if gridUniformLoad(&word[0]) == 1 { break; } }"), memory,
                groups(3), {.max_steps = 100000});
    REQUIRE(!endless);
    CHECK(endless.error().code == ErrorCode::timed_out);
    std::stop_source stop;
    stop.request_stop();
    CHECK(!try_run(program, memory, groups(3), {.stop = stop.get_token()}));
}

TEST_CASE("workgroups at different grid barriers are an error") {
    // If memory is bound twice, a value that validation considers uniform may differ.
    const ValidProgram program =
        valid_in_grid("a[0] = i; if fixed[0] < 2 { gridBarrier(); } else { gridBarrier(); }",
                      "@group(0) @binding(3) var<storage, read> fixed: array<u32>;", 1);
    std::vector<Words> memory{{0}, {0}, {0}};
    std::vector<BoundBytes> bound;
    for (Words& words : memory) bound.push_back({std::as_writable_bytes(std::span(words))});
    bound.push_back(bound[0]);
    const auto report = interpret(program, bound, groups(4), {.seed = 1});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::invalid_program);
    CHECK(report.error().message == "Workgroups of \"main\" wait at different grid barriers.");
}
