// Sanitizing as a library: samples, merging over seeds, limits, what validation refuses, and the text of a finding. Planted
// faults, from the command line: cli/sanitize_test.cpp.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/foundation/sanitize/sample.hpp>
#include <muster/foundation/sanitize/sanitize.hpp>
#include <muster/foundation/wgsl/unproven.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "support/run_kernel.hpp"

using namespace muster;
using namespace muster::test;

namespace {

Program program_of(std::string_view text) {
    const auto parsed = wgsl::parse_unproven(text, {.file = "kernel.wgsl", .entry = {}, .overrides = {}});
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
    return parsed->program;
}

Result<SanitizeReport> try_sanitize(std::string_view text, std::vector<Words> memory, Extent3 grid,
                                    const SanitizeOptions& options = {}) {
    const Result<ValidProgram> valid = validate(program_of(text));
    REQUIRE_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    std::vector<BoundBytes> bound;
    for (Words& words : memory) bound.push_back({std::as_writable_bytes(std::span(words))});
    const std::vector<Words> before = memory;
    Result<SanitizeReport> report = sanitize(*valid, bound, grid, options);
    CHECK(memory == before);
    return report;
}

SanitizeReport sanitized(std::string_view text, std::vector<Words> memory, Extent3 grid,
                         const SanitizeOptions& options = {}) {
    Result<SanitizeReport> report = try_sanitize(text, std::move(memory), grid, options);
    REQUIRE_MESSAGE(report, (report ? "" : report.error().to_string()));
    return *std::move(report);
}

constexpr std::string_view exchange = R"(var<workgroup> tile: array<u32, 4>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  tile[i] = i;
  out[i] = tile[i ^ 1];
})";

// A workgroup's number is out of bounds from `length` on.
constexpr std::string_view stores_its_number = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3u) {
  out[group.x] = 1;
})";

constexpr std::string_view waits = R"(
@group(0) @binding(0) var<storage, read_write> flags: array<atomic<u32>>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3u) {
  while group.x == 7 && atomicLoad(&flags[0]) == 0 {
  }
})";

using Linear = std::set<std::uint64_t>;
Linear linear(const std::vector<Extent3>& sample, Extent3 grid) {
    Linear ids;
    for (const Extent3 id : sample) {
        CHECK(id.x < grid.x);
        CHECK(id.y < grid.y);
        CHECK(id.z < grid.z);
        ids.insert((std::uint64_t{id.z} * grid.y + id.y) * grid.x + id.x);
    }
    return ids;
}

}  // namespace

TEST_CASE(
    "a sample has the first and the last workgroup, and a neighbour of each of its own along every axis") {
    for (const Extent3 grid : {Extent3{1000, 1, 1}, Extent3{40, 50, 1}, Extent3{9, 8, 7}, Extent3{1, 1, 4096},
                               Extent3{UINT32_MAX, UINT32_MAX, UINT32_MAX}})
        for (const std::uint64_t count : {std::uint64_t{8}, std::uint64_t{9}, std::uint64_t{100}})
            for (std::uint64_t seed = 0; seed < 5; ++seed) {
                CAPTURE(grid.x);
                CAPTURE(count);
                const std::vector<Extent3> sample = sample_workgroups(grid, count, seed);
                CHECK(sample.size() == count);
                const auto has = [&](Extent3 id) { return std::ranges::find(sample, id) != sample.end(); };
                CHECK(has({0, 0, 0}));
                CHECK(has({grid.x - 1, grid.y - 1, grid.z - 1}));
                if (grid.x > 1) CHECK(has({1, 0, 0}));
                if (grid.y > 1) CHECK(has({0, 1, 0}));
                if (grid.z > 1) CHECK(has({0, 0, 1}));
                if (grid.x > 1) CHECK(has({grid.x - 2, grid.y - 1, grid.z - 1}));
                if (grid.y > 1) CHECK(has({grid.x - 1, grid.y - 2, grid.z - 1}));
                if (grid.x == 1000) CHECK(linear(sample, grid).size() == count);
            }
}

TEST_CASE("a sample depends on the seed alone, and may be nearly everything") {
    const Extent3 grid{30, 30, 1};
    CHECK(sample_workgroups(grid, 50, 3) == sample_workgroups(grid, 50, 3));
    CHECK(sample_workgroups(grid, 50, 3) != sample_workgroups(grid, 50, 4));
    CHECK(linear(sample_workgroups(grid, 899, 1), grid).size() == 899);
}

TEST_CASE("a race is one finding over all seeds and in both orders, with its times and seeds") {
    const SanitizeReport report =
        sanitized(exchange, {Words(4)}, {1, 1, 1}, {.seeds = {0, 1, 2, 3, 4, 5, 6, 7}});
    REQUIRE(report.findings.size() == 1);
    const SanitizeFinding& race = report.findings[0];
    CHECK(race.finding.kind == FindingKind::data_race);
    CHECK(race.finding.times == 8 * 4);
    CHECK(race.seeds == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(std::set{race.finding.where.line, race.finding.other_where->line} == std::set<std::uint32_t>{5, 6});
    CHECK(std::set{race.finding.access, race.finding.other_access} ==
          std::set{AccessKind::read, AccessKind::write});
    CHECK(race.finding.variable == "tile");
    CHECK(race.finding.space == AddressSpace::workgroup);
    CHECK(race.fix == "put workgroupBarrier(); between the two, or use atomics");
    CHECK(report.runs.size() == 8);
    CHECK(report.runs[7].seed == 7);
    CHECK(report.runs[7].steps > 0);
    CHECK(report.workgroups == 1);
    CHECK_FALSE(report.is_sample());
}

TEST_CASE("a seed alone repeats what it finds among others") {
    const SanitizeReport all = sanitized(exchange, {Words(4)}, {1, 1, 1}, {.seeds = {5, 9}});
    const SanitizeReport one = sanitized(exchange, {Words(4)}, {1, 1, 1}, {.seeds = {5}});
    REQUIRE(one.findings.size() == 1);
    CHECK(one.findings[0].finding.message == all.findings[0].finding.message);
    CHECK(one.findings[0].seeds == std::vector<std::uint64_t>{5});
}

TEST_CASE("a read that races may come before any write: that isn't another finding") {
    const SanitizeReport report = sanitized(exchange, {Words(4)}, {1, 1, 1}, {.seeds = {0, 1, 2, 3}});
    for (const SanitizeFinding& each : report.findings)
        CHECK(each.finding.kind != FindingKind::read_before_write);
    const SanitizeReport without =
        sanitized(exchange, {Words(4)}, {1, 1, 1}, {.ignored = {FindingKind::data_race}});
    REQUIRE(without.findings.size() == 1);
    CHECK(without.findings[0].finding.kind == FindingKind::read_before_write);
}

TEST_CASE("a finding's text has both lines, the seeds and a fix") {
    const Program program = program_of(exchange);
    const SanitizeReport report = sanitized(exchange, {Words(4)}, {1, 1, 1}, {.seeds = {1, 2}});
    std::string text = render(report.findings.at(0), report, program);
    const std::size_t sentence = text.find("Invocation (");
    const std::size_t end = text.find(" no barrier lies in between.");
    REQUIRE(end != std::string::npos);
    text.replace(sentence, end - sentence, "SENTENCE;");
    const bool read_last = report.findings[0].finding.access == AccessKind::read;
    const std::string read = "  out[i] = tile[i ^ 1];\n               ^\n", write = "  tile[i] = i;\n  ^\n";
    CHECK(text == (read_last ? "kernel.wgsl:6:16: data_race: SENTENCE; no barrier lies in between.\n" + read +
                                   "kernel.wgsl:5:3: the earlier write:\n" + write
                             : "kernel.wgsl:5:3: data_race: SENTENCE; no barrier lies in between.\n" + write +
                                   "kernel.wgsl:6:16: the earlier read:\n" + read) +
                      "Seen 8 times, with 2 of 2 seeds, seed 1 first.\n"
                      "Fix: put workgroupBarrier(); between the two, or use atomics");
}

TEST_CASE("a finding without a location is told by the entry point's name") {
    Kernel k({2, 1, 1});
    const VariableId out = k.words("out"), other = k.words("other");
    k.set_at(out, 0u, k.global_x());
    k.set_at(other, 0u, k.global_x());
    const ValidProgram program = k.finish();
    Words memory(1), more(1);
    const std::array bound{BoundBytes{std::as_writable_bytes(std::span(memory))},
                           BoundBytes{std::as_writable_bytes(std::span(more))}};
    const Result<SanitizeReport> report = sanitize(program, bound, {1, 1, 1}, {.seeds = {0}});
    REQUIRE(report);
    REQUIRE(report->findings.size() == 2);
    const std::string text = render(report->findings[0], *report, *program);
    CHECK_MESSAGE(text.starts_with("main: data_race: Invocation ("), text);
    CHECK_MESSAGE(text.find("\nSeen once, with seed 0.\nFix: ") != std::string::npos, text);
}

TEST_CASE(
    "races within a workgroup that also are between workgroups say so, and storageBarrier() isn't their "
    "fix") {
    constexpr std::string_view text = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32, @builtin(num_workgroups) groups: vec3u) {
  out[i] = i;
  storageBarrier();
  out[3 - i] = 2;
})";
    const SanitizeReport one = sanitized(text, {Words(4)}, {1, 1, 1});
    CHECK(one.findings.empty());
    const SanitizeReport two = sanitized(text, {Words(4)}, {2, 1, 1});
    CHECK_FALSE(two.findings.empty());
    for (const SanitizeFinding& each : two.findings) {
        CHECK(each.finding.between_workgroups);
        CHECK(each.fix.starts_with("let each workgroup write elements of its own"));
    }
    constexpr std::string_view both = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  out[0] = i;
})";
    const SanitizeReport report = sanitized(both, {Words(4)}, {2, 1, 1});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].finding.between_workgroups);
    CHECK(report.findings[0].finding.times == 4 * 7);
}

TEST_CASE("a large grid is sampled, at its end too; the report counts the workgroups") {
    const std::uint32_t all = 100'000;
    const SanitizeReport sampled =
        sanitized(stores_its_number, {Words(all - 1)}, {all, 1, 1}, {.sample = 20});
    REQUIRE(sampled.findings.size() == 1);
    CHECK(sampled.findings[0].finding.times == 4);
    CHECK(sampled.findings[0].finding.index == all - 1);
    CHECK(sampled.findings[0].finding.length == all - 1);
    CHECK(sampled.is_sample());
    CHECK(sampled.runs[0].workgroups == 20);
    CHECK(sampled.workgroups > 20);
    CHECK(sampled.workgroups <= 80);
    CHECK(sanitized(stores_its_number, {Words(all)}, {all, 1, 1}, {.sample = 20}).findings.empty());

    const SanitizeReport usual = sanitized(stores_its_number, {Words(all)}, {all, 1, 1});
    CHECK(usual.runs[0].workgroups == 16384);
    const SanitizeReport whole = sanitized(stores_its_number, {Words(all)}, {all, 1, 1},
                                           {.seeds = {0}, .sample = SanitizeOptions::all});
    CHECK(whole.workgroups == all);
    CHECK_FALSE(whole.is_sample());
}

TEST_CASE("a program with grid barriers runs whole") {
    constexpr std::string_view text = R"(enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3u) {
  out[group.x] = 1;
  gridBarrier();
  out[group.x] += 1;
})";
    const SanitizeReport report = sanitized(text, {Words(200)}, {200, 1, 1}, {.seeds = {0}, .sample = 8});
    CHECK(report.findings.empty());
    CHECK(report.workgroups == 200);
}

TEST_CASE("a loop that doesn't end is a finding, after which nothing more is run") {
    SanitizeOptions options{.max_steps = 100'000};
    const SanitizeReport whole = sanitized(waits, {Words(1)}, {8, 1, 1}, options);
    REQUIRE(whole.findings.size() == 1);
    const Finding& loop = whole.findings[0].finding;
    CHECK(loop.kind == FindingKind::step_limit);
    CHECK(loop.where.line == 5);
    CHECK(loop.invocation.workgroup == Extent3{7, 0, 0});
    CHECK(loop.message ==
          "Invocation (0, 0, 0) of workgroup (7, 0, 0) is still in this loop after 100000 steps.");
    CHECK(whole.runs.size() == 1);
    CHECK_FALSE(whole.runs[0].ended);
    CHECK(whole.findings[0].fix.find("run all of them") == std::string::npos);

    options.sample = 8;
    const SanitizeReport sampled = sanitized(waits, {Words(1)}, {9, 1, 1}, options);
    REQUIRE(sampled.findings.size() == 1);
    CHECK(sampled.findings[0].fix.find("run all of them") != std::string::npos);
}

TEST_CASE("findings before an endless loop are kept") {
    constexpr std::string_view text = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1)
fn main() {
  out[9] = 1;
  for (;;) {
    if out[0] == 1 { break; }
  }
})";
    const SanitizeReport report = sanitized(text, {Words(1)}, {1, 1, 1}, {.max_steps = 1'000'000});
    REQUIRE(report.findings.size() == 2);
    CHECK(report.findings[0].finding.kind == FindingKind::out_of_bounds);
    CHECK(report.findings[1].finding.kind == FindingKind::step_limit);
    CHECK(report.findings[1].finding.where.line == 6);
}

TEST_CASE("of many findings the first by source location are given, and the others counted") {
    std::string text =
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
        "@compute @workgroup_size(1)\nfn main() {\n";
    for (int i = 0; i < 10; ++i) text += "  out[9] = 1;\n";
    const SanitizeReport report = sanitized(text + "}", {Words(1)}, {1, 1, 1}, {.max_findings = 3});
    REQUIRE(report.findings.size() == 3);
    CHECK(report.findings[0].finding.where.line == 4);
    CHECK(report.findings[2].finding.where.line == 6);
    CHECK(report.findings_left_out == 7);
}

TEST_CASE("progress is told for each seed") {
    constexpr std::string_view text = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3u) {
  var sum = 0u;
  for (var k = 0u; k < 300000; k++) { sum += k; }
  out[group.x] = sum;
})";
    std::vector<SanitizeProgress> told;
    SanitizeOptions options{.seeds = {7, 8}};
    options.progress = [&](const SanitizeProgress& now) { told.push_back(now); };
    sanitized(text, {Words(3)}, {3, 1, 1}, options);
    REQUIRE(told.size() > 4);
    CHECK(told.front().run == 0);
    CHECK(told.back().run == 1);
    CHECK(told.back().runs == 2);
    CHECK(told.back().begun == 3);
    CHECK(told.back().workgroups == 3);
}

TEST_CASE("what can't be run is an error") {
    const auto error_of = [](const SanitizeOptions& options, std::size_t words = 4) {
        const Result<SanitizeReport> report = try_sanitize(exchange, {Words(words)}, {1, 1, 1}, options);
        REQUIRE_FALSE(report);
        return report.error().to_string();
    };
    CHECK(error_of({.seeds = {}}) == "No seed is given.\nFix: give at least one.");
    CHECK(error_of({.sample = 7}) ==
          "A sample of 7 workgroups has no room for the first and the last one with their "
          "neighbours.\nFix: sample at least 8 workgroups.");
    CHECK(error_of({.subgroup_size = 3}).starts_with("A subgroup can't have 3 invocations."));
    std::stop_source source;
    source.request_stop();
    CHECK(error_of({.stop = source.get_token()}) == "\"main\" is stopped before its end, as requested.");
    const Result<ValidProgram> valid = validate(program_of(exchange));
    const Result<SanitizeReport> unbound = sanitize(*valid, {}, {1, 1, 1});
    REQUIRE_FALSE(unbound);
    CHECK(unbound.error().code == ErrorCode::invalid_argument);
}

TEST_CASE("an empty grid has no findings") {
    const SanitizeReport report = sanitized(exchange, {Words(4)}, {0, 1, 1});
    CHECK(report.findings.empty());
    CHECK_FALSE(report.is_sample());
}

TEST_CASE("non-uniform control flow alone makes a report of a refused program") {
    constexpr std::string_view barrier = R"(
var<workgroup> tile: u32;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0 {
    tile = 1;
    workgroupBarrier();
  }
})";
    const SanitizeReport refused = sanitize_invalid(program_of(barrier));
    REQUIRE(refused.findings.size() == 1);
    CHECK(refused.runs.empty());
    const Finding& found = refused.findings[0].finding;
    CHECK(found.kind == FindingKind::non_uniform_barrier);
    CHECK(found.where.line == 7);
    CHECK(found.other_where->line == 5);
    const std::string text = render(refused.findings[0], refused, program_of(barrier));
    CHECK_MESSAGE(
        text.starts_with("kernel.wgsl:7:5: non_uniform_barrier: The workgroup barrier stands in non-uniform "
                         "control flow: "),
        text);
    CHECK_MESSAGE(
        text.find(
            "\n    workgroupBarrier();\n    ^\nkernel.wgsl:5:3: the branch:\n  if i == 0 {\n  ^\nFix: move "
            "the barrier out of that branch or loop") != std::string::npos,
        text);

    constexpr std::string_view grid_barrier = R"(enable muster_grid_barrier;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0 { gridBarrier(); }
})";
    CHECK(sanitize_invalid(program_of(grid_barrier)).findings.at(0).finding.kind ==
          FindingKind::non_uniform_barrier);
    constexpr std::string_view subgroup = R"(enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0 { out[0] = subgroupAdd(i); }
})";
    CHECK(sanitize_invalid(program_of(subgroup)).findings.at(0).finding.kind ==
          FindingKind::divergent_subgroup);
    CHECK(sanitize_invalid(program_of(exchange)).findings.empty());

    // A gridUniformLoad without its barrier is a fault of another kind.
    constexpr std::string_view other = R"(enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  if i == 0 { gridBarrier(); }
  out[1] = gridUniformLoad(&out[0]);
})";
    CHECK_FALSE(validate(program_of(other)));
    CHECK(sanitize_invalid(program_of(other)).findings.empty());
}

namespace {

/// Allows no access of one kind.
struct Forbids final : WordGuard {
    explicit Forbids(AccessKind of) : kind(of) {}
    bool allows(std::uint32_t binding, std::uint64_t word, AccessKind access) override {
        return binding != 0 || word != 1 || access != kind;
    }
    std::string owner() const override { return "member 1"; }
    AccessKind kind;
};

std::string foreign_in(std::string_view type, std::string_view statement, AccessKind forbidden) {
    const ValidProgram program = *validate(program_of(fmt::format(
        "enable muster_int8_int16;\n@group(0) @binding(0) var<storage, read_write> data: array<{}>;\n"
        "@compute @workgroup_size(1) fn main() {{\n{}\n}}",
        type, statement)));
    Forbids guard(forbidden);
    Words words(4);
    const std::array bindings{BoundBytes{std::as_writable_bytes(std::span(words))}};
    const auto report = sanitize_part(
        program, bindings, {.extent = {1, 1, 1}, .grid = {1, 1, 1}, .guard = &guard}, {.seeds = {0}});
    REQUIRE(report);
    std::string all;
    for (const SanitizeFinding& each : report->findings)
        all += fmt::format("{} {}; ", name(each.finding.kind), each.finding.message.substr(44));
    return all;
}

}  // namespace

TEST_CASE("an access that a guard forbids is a finding, by what it does to the word") {
    using enum AccessKind;
    const std::string
        reads = "foreign_word reads word 1 of \"data\", \"data[1]\", which member 1 doesn't have.; ",
        writes = "foreign_word writes word 1 of \"data\", \"data[1]\", which isn't for member 1 to change.; ",
        changes =
            "foreign_word accesses word 1 of \"data\", \"data[1]\", which isn't for member 1 to change.; ";
    for (const auto& [type, statement, kind, expected] :
         {std::tuple("u32", "data[0] = data[1];", read, reads),
          {"u32", "data[1] = data[0];", write, writes},
          {"atomic<u32>", "atomicMax(&data[0], atomicLoad(&data[1]));", read, reads},
          {"atomic<u32>", "atomicStore(&data[1], 2);", write, writes},
          {"atomic<u32>", "atomicAdd(&data[1], 2);", atomic, changes}}) {
        CAPTURE(statement);
        for (const AccessKind forbidden : {read, write, atomic})
            CHECK(foreign_in(type, statement, forbidden) == (forbidden == kind ? expected : ""));
    }
    CHECK(foreign_in("u8", "data[7] = u8(1);", write).find("word 1 of \"data\", \"data[7]\"") !=
          std::string::npos);
    CHECK(foreign_in("vec2u", "data[0].y = 1;", write).find("\"data[0].y\"") != std::string::npos);
}
