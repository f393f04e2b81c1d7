// Random programs on simulated ranks give the same bits as on one. MUSTER_RANDOM_PROGRAMS sets the number (default 200, --all
// 5,000), MUSTER_RANDOM_SEED the first seed.

#include <cstdlib>

#include <doctest/doctest.h>
#include <support/text.hpp>

#include <muster/foundation/wgsl/wgsl.hpp>

#include "cluster/simulated_cluster.hpp"
#include "random/random_case.hpp"

using namespace muster;
using muster::test::number_in_environment;

namespace {

// The dispatch's plans; nothing if the interpreter gave up.
std::vector<std::shared_ptr<const cluster::Plan>> check(std::uint64_t seed, testing::RandomKind kind,
                                                        std::size_t ranks) {
    const std::string text = testing::random_program(seed, kind).text();
    CAPTURE(seed);
    CAPTURE(ranks);
    const auto parsed = wgsl::parse(text);
    REQUIRE(parsed);
    const auto program = validate(*parsed);
    REQUIRE(program);
    const auto values = conformance::inputs_of(testing::random_case(text), **program);
    REQUIRE(values);
    constexpr Extent3 grid{testing::random_workgroups, 1, 1};

    std::vector<double> weights;
    for (std::size_t i = 0; i < ranks; ++i) weights.push_back(static_cast<double>(1 + (seed + i) % 3));
    test::SimulatedCluster cluster(weights);
    std::vector<test::SimulatedArgument> arguments;
    std::vector<test::Words> memory;
    for (std::size_t i = 0; i < values->size(); ++i) {
        const test::Words& words = memory.emplace_back((*values)[i].words);
        if ((*program)->variable((*program)->bindings()[i]).space == AddressSpace::uniform)
            arguments.push_back({.value = words});
        else
            arguments.push_back({.buffer = cluster.add(
                                     words, (seed + i) % 2 == 0 ? cluster::replicated(words.size(), ranks)
                                                                : cluster::sharded(words.size(), 1, weights)),
                                 .reads_whole = true});
    }
    std::vector<BoundBytes> bound;
    for (test::Words& words : memory) bound.push_back({std::as_writable_bytes(std::span(words))});
    const auto report = interpret(*program, bound, {.extent = grid, .grid = grid}, {.threads = 1});
    REQUIRE(report);
    cluster.dispatch(test::SimulatedKernel(*program), arguments, grid);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (arguments[i].buffer != SIZE_MAX)
            CHECK_MESSAGE(cluster.read(arguments[i].buffer) == memory[i], i, "\n", text);
    return cluster.plans;
}

}  // namespace

TEST_CASE("random programs give the same bits on every number of ranks") {
    const std::uint64_t first = number_in_environment("MUSTER_RANDOM_SEED", 1);
    const std::uint64_t count = number_in_environment(
        "MUSTER_RANDOM_PROGRAMS", std::getenv("MUSTER_TEST_ALL") != nullptr ? 5'000 : 200);
    constexpr std::size_t all_ranks[] = {2, 3, 4, 7};
    std::size_t cut = 0, moved = 0, reduced = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const auto kind = seed % 4 == 0 ? testing::RandomKind::grid_barriers : testing::RandomKind::usual;
        for (const auto& plan : check(seed, kind, all_ranks[seed % 4])) {
            cut += plan->one_rank ? 0 : 1;
            moved += plan->one_rank || plan->transfers.empty() ? 0 : 1;
            reduced += plan->reductions.empty() ? 0 : 1;
        }
    }
    CHECK(cut > count / 4);
    CHECK(moved > count / 8);
    CHECK(reduced > count / 16);
}
