// What plans say: cuts, transfers, interiors, reductions, and why a dispatch isn't cut.

#include <algorithm>
#include <array>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/cluster/decomposition/explain.hpp>
#include <muster/cluster/decomposition/planner.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::cluster;

namespace {

ValidProgram valid(std::string_view text) {
    auto program = wgsl::parse(text);
    if (!program) FAIL(program.error().to_string());
    auto checked = validate(*program);
    if (!checked) FAIL(checked.error().to_string());
    return *checked;
}

std::shared_ptr<const Plan> good(Result<std::shared_ptr<const Plan>> made) {
    if (!made) FAIL(made.error().to_string());
    return *made;
}

/// "0..2 (0..1), 2..4": each rank's workgroups, and its interior if that isn't all.
std::string parts(const Plan& plan) {
    std::string all;
    for (const RankPart& one : plan.parts) {
        all += fmt::format("{}{}..{}", all.empty() ? "" : ", ", one.begin, one.end);
        if (one.interior_begin != one.begin || one.interior_end != one.end)
            all += fmt::format(" ({}..{})", one.interior_begin, one.interior_end);
    }
    return all;
}

std::string transfers(const Plan& plan) {
    std::string all;
    for (const Transfer& one : plan.transfers)
        all += fmt::format("{}{}>{} b{} {}..{}", all.empty() ? "" : ", ", one.from, one.to, one.binding,
                           one.words.begin, one.words.end);
    return all;
}

std::string reductions(const Plan& plan) {
    std::string all;
    for (const Reduction& one : plan.reductions)
        all += fmt::format("{}b{} {}..{} {} {} of {}", all.empty() ? "" : ", ", one.binding, one.words.begin,
                           one.words.end, name(one.op), info(one.type).name, one.keeper);
    return all;
}

std::string current(const Planner& planner, DistributionId id) {
    std::string all;
    for (const WordSet& set : planner.distribution(id).current) {
        all += all.empty() ? "" : " | ";
        for (const WordRange& one : set.ranges())
            all += fmt::format("{}{}..{}", all.empty() || all.ends_with(' ') ? "" : " ", one.begin, one.end);
    }
    return all;
}

constexpr std::string_view stencil = R"(
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x == 0 || id.x + 1 >= n) { return; }
    y[id.x] = x[id.x - 1] + x[id.x + 1];
})";

/// A program whose bindings 0 to 2, or some of these, are a uniform and two buffers of n words in equal shards.
struct Sharded {
    explicit Sharded(std::string_view text, std::vector<double> weights, std::uint32_t n = 120)
        : footprint(analyse_footprint(valid(text))), planner(std::move(weights)), words{n} {
        const DistributionId shards = planner.intern(sharded(n, 1, planner.weights()));
        bindings = {PlanBinding{.value = std::as_bytes(std::span(words))},
                    PlanBinding{.bytes = 4 * n, .distribution = shards},
                    PlanBinding{.bytes = 4 * n, .distribution = shards}};
    }
    std::shared_ptr<const Plan> plan(Extent3 grid = {12, 1, 1}) {
        std::vector<PlanBinding> used;
        for (const VariableId id : footprint.program.bindings())
            used.push_back(bindings[footprint.program.variable(id).binding]);
        return good(planner.plan(footprint, {.grid = grid, .bindings = used}));
    }

    Footprint footprint;
    Planner planner;
    std::array<std::uint32_t, 1> words;
    std::array<PlanBinding, 3> bindings;
};

}  // namespace

TEST_CASE("word sets") {
    WordSet set(WordRange{10, 20});
    set.insert({30, 40});
    set.insert({5, 5});
    CHECK(set.size() == 20);
    set.insert({20, 25});
    CHECK(set.ranges().size() == 2);
    set.insert({24, 30});
    CHECK(set == WordSet(WordRange{10, 40}));
    WordSet holes(WordRange{0, 12});
    holes.insert({15, 16});
    holes.insert({38, 50});
    const WordSet rest = set.without(holes);
    REQUIRE(rest.ranges().size() == 2);
    CHECK(rest.ranges()[0] == WordRange{12, 15});
    CHECK(rest.ranges()[1] == WordRange{16, 38});
    CHECK(set.common(holes).size() == 2 + 1 + 2);
    CHECK(set.overlaps(holes));
    CHECK_FALSE(rest.overlaps(holes));
    CHECK(set.contains({10, 40}));
    CHECK(set.contains({12, 12}));
    CHECK_FALSE(set.contains({9, 11}));
    CHECK_FALSE(rest.contains({14, 17}));
    WordSet all = rest;  // 12..15 16..38
    all.insert(holes);   // 0..12 15..16 38..50
    CHECK(all == WordSet(WordRange{0, 50}));
    WordSet others(WordRange{1, 2});
    others.insert({60, 70});
    all.insert(others);
    CHECK(all.ranges().size() == 2);
    CHECK(all.size() == 60);
}

TEST_CASE("shards are as large as the weights say, in whole elements") {
    const std::vector<double> weights{1, 2, 1};
    const Distribution made = sharded(103, 10, weights);
    CHECK(made.current[0] == WordSet(WordRange{0, 30}));
    CHECK(made.current[1] == WordSet(WordRange{30, 80}));
    CHECK(made.current[2] == WordSet(WordRange{80, 103}));
    CHECK(cut_by_weight(2, std::vector<double>(5, 1)).back() == 2);
}

TEST_CASE("a stencil exchanges its halo, and later only what has changed") {
    Sharded two(stencil, {1, 1, 2});
    const auto plan = two.plan();
    CHECK_FALSE(plan->one_rank);
    CHECK(parts(*plan) == "0..3 (0..2), 3..6 (4..5), 6..12 (7..12)");
    CHECK(transfers(*plan) == "1>0 b1 30..31, 0>1 b1 29..30, 2>1 b1 60..61, 1>2 b1 59..60");
    CHECK(plan->bytes_transferred == 16);
    CHECK(current(two.planner, plan->after[1]) == "0..31 | 29..61 | 59..120");
    CHECK(current(two.planner, plan->after[2]) == "0..30 | 30..60 | 60..120");

    two.bindings[1].distribution = plan->after[1];
    CHECK(two.plan()->transfers.empty());
    std::swap(two.bindings[1].distribution, two.bindings[2].distribution);  // and back
    CHECK(transfers(*two.plan()) == "1>0 b1 30..31, 0>1 b1 29..30, 2>1 b1 60..61, 1>2 b1 59..60");
    CHECK(current(two.planner, two.plan()->after[2]) == "0..30 | 30..60 | 60..120");  // the halo is stale
}

TEST_CASE("a part that may not write all words gets the others first") {
    const auto moved = [](std::string_view body) {
        Sharded two(fmt::format(R"(
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ if (id.x < n) {{ {} }} }})",
                                body),
                    {1, 1});
        // The buffer's shards are those of another cut.
        two.bindings[2].distribution = two.planner.intern(sharded(120, 1, std::vector<double>{3, 1}));
        return transfers(*two.plan());
    };
    CHECK(moved("y[id.x] = x[id.x];").empty());
    CHECK(moved("if (x[id.x] > 0) { y[id.x] = n; }") == "0>1 b2 60..90");
    CHECK(moved("if (id.x % 2 == 0) { y[id.x] = x[id.x]; }") == "0>1 b2 60..90");
    CHECK(moved("y[id.x] = x[id.x] + y[id.x];") == "0>1 b2 60..90");
}

TEST_CASE("each word comes from the nearest rank that has it") {
    Sharded four(stencil, {1, 1, 1, 1});
    Distribution two_have_it = sharded(120, 1, four.planner.weights());
    two_have_it.current[0] = WordSet(WordRange{0, 120});
    four.bindings[1].distribution = four.planner.intern(two_have_it);
    CHECK(transfers(*four.plan()) ==
          "0>1 b1 29..30, 0>1 b1 60..61, 1>2 b1 59..60, 3>2 b1 90..91, 2>3 b1 89..90");
}

TEST_CASE("the grid is cut along the axis that keeps words together") {
    Sharded product(R"(
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(5, 5)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < 20 && id.y * 20 < n) {
        var sum = 0.0;
        for (var k = 0u; k < 20; k++) { sum += a[id.y * 20 + k]; }
        c[id.y * 20 + id.x] = sum;
    }
})",
                    {1, 1}, 400);
    const auto plan = product.plan({4, 4, 1});
    CHECK(plan->axis == 1);
    CHECK(parts(*plan) == "0..2, 2..4");
    CHECK(plan->transfers.empty());
    CHECK(plan->origin(2) == Extent3{0, 2, 0});
    CHECK(plan->extent(2, 4) == Extent3{4, 2, 1});
}

TEST_CASE("atomics on words of several ranks are reduced, those on a rank's own words aren't") {
    Sharded counts(R"(
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if (id.x < n) {
        atomicAdd(&counts[x[id.x] % 16], 1);
        atomicSub(&counts[x[id.x] % 8], 1);
        atomicMax(&counts[100 + group.x], x[id.x]);
    }
})",
                   {1, 1});
    const auto plan = counts.plan();
    CHECK_FALSE(plan->one_rank);
    CHECK(reductions(*plan) == "b2 0..16 add u32 of 0");
    CHECK(plan->bytes_reduced == 2 * 16 * 4);
    CHECK(transfers(*plan) == "1>0 b2 100..106");
    CHECK(current(counts.planner, plan->after[2]) == "0..60 100..106 | 0..16 60..100 106..120");
}

TEST_CASE("reductions of other types or operations are apart") {
    Sharded mixed(R"(
struct Y { least: atomic<i32>, least_u: atomic<u32>, most: atomic<i32>, rest: array<u32> }
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: Y;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicMin(&y.least, i32(x[id.x]));
    atomicMin(&y.least_u, x[id.x]);
    atomicMax(&y.most, i32(x[id.x]));
})",
                  {1, 1});
    CHECK(reductions(*mixed.plan()) == "b1 0..1 min i32 of 0, b1 1..2 min u32 of 0, b1 2..3 max i32 of 0");
}

TEST_CASE("identities and combinations of reductions") {
    using enum ReductionOp;
    for (const ReductionOp op : {add, min, max, bit_and, bit_or, bit_xor})
        for (const Scalar type : {Scalar::i32, Scalar::u32})
            for (const std::uint32_t word : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu})
                CHECK(combine(op, type, identity(op, type), word) == word);
    CHECK(combine(min, Scalar::i32, 1, UINT32_MAX) == UINT32_MAX);
    CHECK(combine(min, Scalar::u32, 1, UINT32_MAX) == 1);
    CHECK(combine(max, Scalar::i32, 1, UINT32_MAX) == 1);
}

TEST_CASE("what can't be cut runs on one rank, with the line that prevents it") {
    const auto reason = [](std::string_view body) {
        Sharded two(fmt::format(R"(struct S {{ a: atomic<u32>, f: atomic<u32>, rest: array<u32> }}
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: S;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {{
{}
}})",
                                body),
                    {1, 2});
        const auto plan = two.plan();
        if (!plan->one_rank) return std::string("cut");
        CHECK(plan->one_rank->where.line == 8);
        CHECK(std::ranges::count_if(plan->parts, [](const RankPart& one) { return one.begin < one.end; }) ==
              1);
        CHECK(std::ranges::count_if(plan->parts,
                                    [](const RankPart& one) { return one.end - one.begin == 12; }) == 1);
        return plan->one_rank->message;
    };
    CHECK(reason("\ny.rest[id.x] = x[id.x];") == "cut");
    CHECK(reason("\ny.rest[id.x / 2] = 1;") == "cut");
    CHECK(reason("\ny.rest[id.x % 2] = 1;") ==
          "Workgroups of different ranks may write the same words of \"y\".");
    CHECK(reason("\ny.rest[x[id.x]] = 1;") == "Nothing bounds the words of \"y\" that are written here.");
    CHECK(reason("y.rest[id.x] =\ny.rest[id.x + 1];") ==
          "Words of \"y\" are read here that workgroups of another rank may write at kernel.wgsl:7:1.");
    CHECK(reason("\nif (atomicAdd(&y.a, 1) == 5) { y.rest[id.x] = 1; }") ==
          "Atomics of several ranks change the same words of \"y\", and their results depend on each other.");
    CHECK(reason("atomicAdd(&y.a, 1);\natomicXor(&y.a, 1);") ==
          "Words of \"y\" that atomics of several ranks change are also accessed otherwise.");
    CHECK(reason("\ny.rest[id.x] = x[x[id.x]];") ==
          "Nothing bounds the words of \"x\" that are read here, and not every rank has all of them.");
}

TEST_CASE("a read that nothing bounds is allowed if every rank has all words, or may get them") {
    Sharded two(R"(
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = x[x[id.x]]; })",
                {1, 1});
    CHECK(two.plan()->one_rank);
    two.bindings[1].reads_whole = true;
    const auto gathered = two.plan();
    CHECK_FALSE(gathered->one_rank);
    CHECK(transfers(*gathered) == "1>0 b0 60..120, 0>1 b0 0..60");
    CHECK(parts(*gathered) == "0..6 (0..0), 6..12 (6..6)");
    two.bindings[1].reads_whole = false;
    two.bindings[1].distribution = two.planner.replicated(120);
    CHECK_FALSE(two.plan()->one_rank);
}

TEST_CASE("workgroups that write nothing don't run, and an empty grid moves nothing") {
    Sharded two(R"(
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { if (id.x < 40) { y[id.x] = x[id.x]; } })",
                {1, 1});
    CHECK(parts(*two.plan()) == "0..2, 2..4 (2..2)");
    CHECK(transfers(*two.plan()) == "0>1 b0 20..40");
    const auto nothing = two.plan({0, 1, 1});
    CHECK(parts(*nothing) == "0..0, 0..0");
    CHECK(nothing->transfers.empty());
    CHECK(nothing->after == std::vector{two.bindings[1].distribution, two.bindings[2].distribution});
}

TEST_CASE("wrong arguments are refused") {
    Sharded two(stencil, {1, 1});
    const auto message = [&](std::span<const PlanBinding> bindings) {
        const auto made = two.planner.plan(two.footprint, {.grid = {12, 1, 1}, .bindings = bindings});
        return made ? "" : made.error().message;
    };
    CHECK(message(std::span(two.bindings).first(2)) ==
          "The program has 3 bindings, and 2 arguments are given.");
    two.bindings[2].bytes = 400;
    CHECK(message(two.bindings) == "Binding 2 (\"y\") holds 100 words, and its distribution has 120.");
    two.bindings[2].bytes = 399;
    CHECK(message(two.bindings) == "Binding 2 (\"y\") holds 399 bytes, which isn't a multiple of 4.");
    two.bindings[2] = {.bytes = 480};
    CHECK(message(two.bindings) ==
          "Binding 2 (\"y\") is written, and it isn't said which ranks have its words.");
    two.bindings[2].distribution = two.planner.intern(replicated(120, 3));
    CHECK(message(two.bindings) == "Binding 2 (\"y\") is distributed over 3 ranks, and there are 2.");
}

TEST_CASE("a plan depends on the uniform's words that matter, and is made once") {
    Sharded two(stencil, {1, 1});
    const auto first = two.plan();
    CHECK(two.plan() == first);
    two.words[0] = 61;
    const auto shorter = two.plan();
    CHECK(shorter != first);
    CHECK(transfers(*shorter) == "1>0 b1 60..61");
    two.words[0] = 120;
    CHECK(two.plan() == first);
}

TEST_CASE("kernels with weights of their own keep their plans when they are dispatched in turn") {
    Sharded two(stencil, {1, 1});
    const auto plan = [&](WeightsId weights) {
        return good(two.planner.plan(two.footprint,
                                     {.grid = {12, 1, 1}, .bindings = two.bindings, .weights = weights}));
    };
    const auto equal = two.plan();
    const WeightsId given = two.planner.intern(std::vector<double>{1, 3});
    const auto other = plan(given);
    CHECK(parts(*equal) == "0..6 (0..5), 6..12 (7..12)");
    CHECK(parts(*other) == "0..3, 3..12 (7..12)");
    for (int i = 0; i < 3; ++i) {
        CHECK(two.plan() == equal);
        CHECK(plan(two.planner.intern(std::vector<double>{1, 3})) == other);
    }
    CHECK(two.planner.intern(std::vector<double>{1, 1}).index == WeightsId().index);
    CHECK(two.planner.weights()[1] == 1);
}

TEST_CASE("a plan as text") {
    Sharded two(stencil, {1, 1, 2});
    const std::vector<std::string> members{"cpu:0", "cuda:0", "cuda:1"};
    CHECK(explain(*two.plan(), two.footprint.program, members) ==
          R"(main: 12 workgroups, cut along x over 3 ranks
  cpu:0: workgroups 0 to 2, 0 to 1 while words come in; receives 4 bytes from cuda:0
  cuda:0: workgroups 3 to 5, 4 while words come in; receives 4 bytes from cpu:0, 4 bytes from cuda:1
  cuda:1: workgroups 6 to 11, 7 to 11 while words come in; receives 4 bytes from cuda:0
  16 bytes are exchanged: "x" 16)");
    Sharded scattered(R"(
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<atomic<u32>>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    atomicAdd(&y[5], x[id.x]);
    atomicOr(&y[6 + id.x % 2], x[id.x]);
    atomicStore(&y[x[id.x]], 1);
})",
                      {1, 1});
    CHECK(
        explain(*scattered.plan({12, 3, 1}), scattered.footprint.program) ==
        R"(main: 12 x 3 workgroups, on one rank: kernel.wgsl:8:5: Nothing bounds the words of "y" that are written here.
  rank 0: workgroups 0 to 11; receives 480 bytes from rank 1
  rank 1: nothing
  480 bytes are exchanged: "x" 240, "y" 240
  Fix: index it by the workgroup's own ids)");
    Sharded counted(R"(
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<atomic<u32>>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { atomicOr(&y[x[id.x] % 8], 1); })",
                    {1, 1});
    CHECK(explain(*counted.plan(), counted.footprint.program) ==
          R"(main: 12 workgroups, cut along x over 2 ranks
  rank 0: workgroups 0 to 5
  rank 1: workgroups 6 to 11
  words 0 to 7 of "y" are combined by or)");
    CHECK(explain(*counted.plan({1, 1, 1}), counted.footprint.program) ==
          R"(main: 1 workgroup, on one rank
  rank 0: workgroup 0
  rank 1: nothing)");
    Sharded single(R"(
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<atomic<u32>>;
@compute @workgroup_size(10)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { atomicMax(&y[3], x[id.x]); })",
                   {1, 1});
    CHECK(explain(*single.plan({3, 1, 1}), single.footprint.program) ==
          R"(main: 3 workgroups, cut along x over 2 ranks
  rank 0: workgroups 0 to 1
  rank 1: workgroup 2; receives 40 bytes from rank 0
  40 bytes are exchanged: "x" 40
  word 3 of "y" is combined by max)");
}
