// Loops over the whole grid with a stride, on simulated ranks: ranks get the words of their turns, with the same bits as on one.

#include <array>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/foundation/wgsl/wgsl.hpp>

#include "cluster/simulated_cluster.hpp"

using namespace muster;
using test::Words;

namespace {

constexpr std::uint32_t words = 600;

/// A program with a loop; two buffers of so many words, and a uniform with a limit and a stride (also as an i32, `step`).
struct Loop {
    std::string head, body;
    std::uint32_t limit = words, stride = 0;
    std::uint32_t groups = 12;  // of 8 invocations

    std::string text() const {
        return fmt::format(R"(struct Sizes {{ n: u32, stride: u32, step: i32 }}
@group(0) @binding(0) var<uniform> size: Sizes;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u,
        @builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {{
    for ({}) {{ {} }}
}})",
                           head, body);
    }
};

struct LoopRun {
    bool is_cut = false;
    std::uint64_t sent = 0, needed = 0;  // bytes
};

/// Runs on ranks, and compares with one.
LoopRun run(const Loop& loop, std::size_t ranks, bool is_sharded) {
    const std::string text = loop.text();
    CAPTURE(text);
    CAPTURE(loop.limit);
    CAPTURE(loop.stride);
    CAPTURE(ranks);
    const auto parsed = wgsl::parse(text);
    if (!parsed) FAIL(parsed.error().to_string());
    const auto program = validate(*parsed);
    if (!program) FAIL(program.error().to_string());
    Words sizes{loop.limit, loop.stride, loop.stride}, x, y;
    for (std::uint32_t i = 0; i < words; ++i) {
        x.push_back(i * 2654435761u);
        y.push_back(i);
    }
    const Extent3 grid{loop.groups, 1, 1};
    const std::vector<double> weights(ranks, 1);
    test::SimulatedCluster cluster(weights);
    const auto buffer = [&](const Words& of) {
        return cluster.add(
            of, is_sharded ? cluster::sharded(words, 1, weights) : cluster::replicated(words, ranks));
    };
    std::vector<test::SimulatedArgument> arguments;
    std::vector<BoundBytes> bound;
    for (const VariableId id : (*program)->bindings()) {
        Words& of = std::array{&sizes, &x, &y}[(*program)->variable(id).binding][0];
        if (&of == &sizes)
            arguments.push_back({.value = of});
        else
            arguments.push_back({.buffer = buffer(of)});
        bound.push_back({std::as_writable_bytes(std::span(of))});
    }
    const test::SimulatedKernel kernel(*program);
    cluster.dispatch(kernel, arguments, grid);
    const auto report = interpret(*program, bound, {.extent = grid, .grid = grid}, {.threads = 1});
    if (!report) FAIL(report.error().to_string());
    CHECK(cluster.read(arguments.back().buffer) == y);
    return {!cluster.plans[0]->one_rank, cluster.sent.transferred, cluster.needed.transferred};
}

}  // namespace

TEST_CASE("a loop over the grid is cut, and each rank gets the words of its turns") {
    const std::string usual = "var i = id.x; i < size.n; i += groups.x * 8";
    for (const std::size_t ranks : {2u, 3u, 4u, 7u}) {
        CAPTURE(ranks);
        const LoopRun saxpy = run({usual, "y[i] = 3 * x[i] + y[i];"}, ranks, true);
        CHECK(saxpy.is_cut);
        CHECK(saxpy.sent > 0);
        CHECK(saxpy.sent == saxpy.needed);
        const LoopRun here = run({usual, "y[i] = 3 * x[i] + y[i];"}, ranks, false);
        CHECK(here.is_cut);
        CHECK(here.sent == 0);
        CHECK(run({usual, "y[i] = x[i + 1] - x[i - 1] * x[i];"}, ranks, true).is_cut);
    }
    // Turns that overlap, a stride or a start that is data, two workgroups' ids.
    CHECK_FALSE(run({"var i = id.x; i < size.n; i += size.stride", "y[i] = i;", words, 40}, 2, true).is_cut);
    CHECK_FALSE(run({"var i = id.x; i < size.n; i += 1 + x[1] % 512", "y[i] = i;"}, 2, true).is_cut);
    CHECK_FALSE(run({"var i = x[id.x] % 8; i < size.n; i += groups.x * 8", "y[i] = i;"}, 2, true).is_cut);
    // A counter that goes down and wraps: after three turns it is 2 less.
    const std::string wraps =
        "var i = -1 - i32(id.x); for (var k = 0; k < 4; k++) { let e = u32(-1 - i); "
        "y[e] = 7 * e; i += size.step; }";
    CHECK_FALSE(run({"var once = 0; once < 1; once++", wraps, words, 0xaaaaaaaa}, 2, true).is_cut);
}

TEST_CASE("random loops over the grid give the same bits on every number of ranks") {
    std::mt19937 random(1);
    const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
    const auto one_of = [&](std::initializer_list<std::string> all) {
        return *(all.begin() + below(static_cast<std::uint32_t>(all.size())));
    };
    std::size_t cut = 0, uncut = 0;
    for (int i = 0; i < 400; ++i) {
        const std::string start = one_of({"id.x", "id.x", "id.x + 5", "2 * id.x", "3 + 4 * id.x",
                                          "group.x * 12 + lane", "8 * group.x", "id.x - 3"}),
                          step = one_of({"groups.x * 8", "groups.x * 8", "groups.x * 16",
                                         "4 * (groups.x * 8)", "groups.x * 12", "size.stride", "16",
                                         "groups.x * 8 + 4", "96", "groups.x * 8 + lane % 2"}),
                          limit = one_of({"size.n", "arrayLength(&x)", "size.n / 2", "500", "size.n - 1"});
        const bool is_signed = below(4) == 0;
        const auto typed = [&](const std::string& of) { return is_signed ? "i32(" + of + ")" : of; };
        // What is written depends on its place alone, so that turns which overlap are no fault of the program.
        const std::string index = one_of({"i", "i", "i + 1", "i - 1", "2 * i", "i + i", "3 * i + k",
                                          "i + 7 * k", "i / 2", "i % 50", "200 - i"}),
                          read = one_of({"x[e]", "x[e] + x[e + 1]", "x[e + size.stride]", "x[e / 3]", "1"}),
                          guard = one_of({"", "", "if (i % 3 != 0) ", "if (e < 300) ",
                                          "if (i == 40) { i += " + typed("size.n / 4") + "; } else "});
        const Loop loop{
            .head = fmt::format("var i = {}; i < {}; i += {}", typed(start), typed(limit), typed(step)),
            .body =
                fmt::format("for (var k = {}; k < 2; k++) {{ let e = u32({}); {}{{ y[e] = 7 * e + {}; }} }}",
                            typed("0u"), index, guard, read),
            .limit = 1 + below(words),
            .stride = 1 + below(200),
            .groups = 1 + below(16)};
        const LoopRun ran = run(loop, 2 + below(5), below(2) == 0);
        ++(ran.is_cut ? cut : uncut);
    }
    CHECK(cut > 120);
    CHECK(uncut > 40);
}
