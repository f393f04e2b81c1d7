// The examples that come with muster, on simulated ranks: which of their phases are cut, what they exchange, and the same bits as
// on one rank.

#include <bit>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/foundation/wgsl/wgsl.hpp>

#include "cluster/simulated_cluster.hpp"

using namespace muster;
using test::Words;

namespace {

test::SimulatedKernel example(const std::string& path) {
    std::ifstream file(std::string(MUSTER_EXAMPLES) + "/" + path);
    std::stringstream text;
    text << file.rdbuf();
    auto program = wgsl::parse(text.str(), {.file = path});
    if (!program) FAIL(program.error().to_string());
    auto checked = validate(*program);
    if (!checked) FAIL(checked.error().to_string());
    return test::SimulatedKernel(*checked);
}

/// An argument: a uniform, or a buffer whose elements of so many words are sharded.
struct Given {
    Words words;
    std::uint64_t element_words = 0;  // 0: a uniform
};

Words floats(std::size_t count) {
    Words words;
    for (std::size_t i = 0; i < count; ++i)
        words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(i * 37 % 101) * 0.01f));
    return words;
}

struct Ran {
    test::SentBytes sent, needed;
    std::vector<std::shared_ptr<const cluster::Plan>> plans;
    std::vector<Words> after;
};

Ran run(const test::SimulatedKernel& kernel, const std::vector<Given>& given, Extent3 grid,
        std::size_t ranks) {
    const std::vector<double> weights(ranks, 1);
    test::SimulatedCluster cluster(weights);
    std::vector<test::SimulatedArgument> arguments;
    for (const Given& one : given)
        if (one.element_words == 0)
            arguments.push_back({.value = one.words});
        else
            arguments.push_back(
                {.buffer =
                     cluster.add(one.words, cluster::sharded(one.words.size(), one.element_words, weights))});
    cluster.dispatch(kernel, arguments, grid);
    Ran ran{cluster.sent, cluster.needed, cluster.plans, {}};
    for (const test::SimulatedArgument& one : arguments)
        if (one.buffer != SIZE_MAX) ran.after.push_back(cluster.read(one.buffer));
    return ran;
}

/// Runs on 1, 2, 3, 4 and 7 ranks, compares, and returns the plans for 4. `most`: the bytes sent, over the least that are needed.
std::vector<std::shared_ptr<const cluster::Plan>> check(const test::SimulatedKernel& kernel,
                                                        const std::vector<Given>& given, Extent3 grid,
                                                        double most = 1.05) {
    std::vector<BoundBytes> bound;
    std::vector<Words> memory;
    for (const Given& one : given) memory.push_back(one.words);
    for (Words& words : memory) bound.push_back({std::as_writable_bytes(std::span(words))});
    const auto report = interpret(kernel.program, bound, {.extent = grid, .grid = grid}, {.threads = 1});
    if (!report) FAIL(report.error().to_string());
    std::vector<Words> expected;
    for (std::size_t i = 0; i < given.size(); ++i)
        if (given[i].element_words != 0) expected.push_back(memory[i]);
    std::vector<std::shared_ptr<const cluster::Plan>> plans;
    for (const std::size_t ranks : {1u, 2u, 3u, 4u, 7u}) {
        CAPTURE(ranks);
        const Ran ran = run(kernel, given, grid, ranks);
        CHECK(ran.after == expected);
        CAPTURE(ran.needed.transferred);
        const bool is_aligned = ranks == 2 || ranks == 4;  // each rank's workgroups write its own shard
        if (is_aligned)
            CHECK(static_cast<double>(ran.sent.transferred) <=
                  most * static_cast<double>(ran.needed.transferred));
        if (ranks == 4) plans = ran.plans;
    }
    return plans;
}

std::size_t cut_phases(const std::vector<std::shared_ptr<const cluster::Plan>>& plans) {
    return static_cast<std::size_t>(
        std::ranges::count_if(plans, [](const auto& plan) { return !plan->one_rank; }));
}

}  // namespace

TEST_CASE("Jacobi with grid barriers exchanges two rows between neighbours in each sweep") {
    constexpr std::uint32_t width = 40, height = 256, sweeps = 5;
    const Words start = floats(width * height);
    const auto plans = check(example("jacobi/jacobi.wgsl"),
                             {{{width, height, sweeps}}, {start, width}, {start, width}}, {2, height / 8, 1});
    CHECK(cut_phases(plans) == plans.size());
    CHECK(plans.size() == sweeps);
    for (const auto& plan : plans) {
        CHECK(plan->axis == 1);
        CHECK(plan->transfers.size() == 2 * 3);
        constexpr double needed = 2 * 3 * (width - 2) * 4;  // a row's inner points each way, between 4 ranks
        CHECK(static_cast<double>(plan->bytes_transferred) <= 1.05 * needed);
        for (std::size_t rank = 1; rank + 1 < 4; ++rank)
            CHECK(plan->parts[rank].interior_begin == plan->parts[rank].begin + 1);
    }
}

TEST_CASE("the photo filter cuts rows, and exchanges those that the filter reaches") {
    constexpr std::uint32_t width = 50, height = 128;
    const auto plans = check(
        example("photo/photo.wgsl"),
        {{floats(width * height * 4), 4 * width}, {Words(width * height * 4), 4 * width}, {{width, height}}},
        {4, height / 16, 1});
    REQUIRE(cut_phases(plans) == 1);
    CHECK(plans[0]->axis == 1);
    CHECK(plans[0]->bytes_transferred == 2 * 3 * 2 * width * 16);
}

TEST_CASE("the filter of pixels that are words exchanges the two rows that it reaches") {
    constexpr std::uint32_t width = 50, height = 128;
    Words pixels(width * height);
    for (std::uint32_t i = 0; i < pixels.size(); ++i) pixels[i] = i * 2654435761u;
    const auto plans =
        check(example("cluster/photo.wgsl"),
              {{pixels, width}, {Words(pixels.size()), width}, {{width, height}}}, {4, height / 16, 1});
    REQUIRE(cut_phases(plans) == 1);
    CHECK(plans[0]->axis == 1);
    CHECK(plans[0]->bytes_transferred == 2 * 3 * 2 * width * 4);
}

TEST_CASE("breadth-first search runs on one rank, and the reason names the line") {
    constexpr std::uint32_t vertices = 1000;
    Words first{0}, targets;
    for (std::uint32_t v = 0; v < vertices; ++v) {
        for (std::uint32_t k = 1; k < 3; ++k) targets.push_back((v * 7 + k * 13) % vertices);
        first.push_back(static_cast<std::uint32_t>(targets.size()));
    }
    const auto plans = check(example("bfs/bfs.wgsl"),
                             {{{3}}, {first, 1}, {targets, 1}, {Words(vertices), 1}, {{0}, 1}}, {4, 1, 1},
                             5);      // the edges of a vertex, and their targets, are at places that are data
    CHECK_FALSE(plans[0]->one_rank);  // sets all distances
    std::size_t searches = 0;
    for (const auto& plan : plans) {
        if (!plan->one_rank) continue;
        ++searches;
        CHECK(plan->one_rank->place == "bfs/bfs.wgsl:25:12");
        CHECK(plan->one_rank->message.ends_with(" at bfs/bfs.wgsl:30:21."));
    }
    CHECK(searches > 1);
}
