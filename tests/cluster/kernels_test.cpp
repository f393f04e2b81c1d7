// Whole kernels, run on simulated ranks: the same bits as on one, for any number of them and any distribution before.

#include <algorithm>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include <muster/measuring/whole_kernels/whole_kernel.hpp>

#include "cluster/simulated_cluster.hpp"

using namespace muster;

namespace {

using Weights = std::vector<double>;

enum class Start { replicated, sharded, sharded_but_zeros };

/// Kernels with dispatches that can't be cut, on which a footprint is no interval: they scatter, or invocations read what others
/// write.
const std::set<std::string_view> uncut{"fft", "lu", "marching_squares", "radix_sort", "transpose"};

/// Kernels whose ranks get words that they don't read, and why. Of kernels that aren't cut, the words count that the one rank reads.
const std::map<std::string_view, std::string_view> sends_more{
    {"flash_attention",
     "the loop over tiles has a counter that may wrap, so nothing bounds the reads of keys and values"},
    {"lu", "a column: the words between its first and last"},
    {"marching_squares", "rows with the neighbours' next one, of which some cells aren't read"},
    {"nbody", "one word of eight in a body is padding"},
    {"sha256", "the places of a message's bytes are data"},
    {"spmv", "the places of a row's elements are data"},
};

struct RanJob {
    kernels::Arrays arrays = {};
    std::size_t not_cut = 0;  // dispatches
    test::SentBytes sent = {}, needed = {};
};

RanJob run_on_ranks(const kernels::Job& job, const std::map<std::string, test::SimulatedKernel>& programs,
                    const Weights& weights, Start start) {
    RanJob outcome;
    test::SimulatedCluster cluster(weights);
    std::map<std::string, std::size_t> buffers;
    for (const auto& [name, words] : job.arrays) {
        const bool is_sharded =
            start == Start::sharded || (start == Start::sharded_but_zeros &&
                                        std::ranges::any_of(words, [](auto word) { return word != 0; }));
        buffers[name] = cluster.add(words, is_sharded ? cluster::sharded(words.size(), 1, weights)
                                                      : cluster::replicated(words.size(), weights.size()));
    }
    for (const kernels::Step& step : job.steps) {
        const test::SimulatedKernel& kernel =
            step.entry.empty() ? programs.begin()->second : programs.at(step.entry);
        std::vector<test::SimulatedArgument> arguments;
        for (const VariableId id : kernel.program->bindings()) {
            const std::string& name = kernel.program->variable(id).name;
            if (const auto uniform = step.uniforms.find(name); uniform != step.uniforms.end())
                arguments.push_back({.value = uniform->second});
            else
                arguments.push_back(
                    {.buffer = buffers.at(step.bind.contains(name) ? step.bind.at(name) : name),
                     .reads_whole = true});
        }
        cluster.dispatch(kernel, arguments, *workgroups(step.grid, kernel.program->workgroup_size()));
        for (const auto& plan : cluster.plans) outcome.not_cut += plan->one_rank ? 1 : 0;
    }
    for (const auto& [name, buffer] : buffers) outcome.arrays[name] = cluster.read(buffer);
    outcome.sent = cluster.sent;
    outcome.needed = cluster.needed;
    return outcome;
}

std::map<std::string, test::SimulatedKernel> simulated(const kernels::WholeKernel& kernel,
                                                       const kernels::Job& job) {
    const auto programs = kernels::programs(kernel, job);
    if (!programs) FAIL(programs.error().to_string());
    std::map<std::string, test::SimulatedKernel> made;
    for (const auto& [entry, program] : *programs) made.emplace(entry, program);
    return made;
}

}  // namespace

TEST_CASE("whole kernels give the same bits on every number of ranks") {
    for (const kernels::WholeKernel& kernel : kernels::whole_kernels()) {
        const std::string name(kernel.name);
        CAPTURE(name);
        const kernels::Job job = kernel.make({.scale = 1});
        const auto expected = kernels::run_interpreted(kernel, job);
        REQUIRE(expected);
        const auto programs = simulated(kernel, job);
        std::size_t not_cut = 0;
        for (const Weights& weights :
             {Weights{1}, Weights{1, 1}, Weights{1, 2, 1}, Weights(4, 1), Weights(7, 1)})
            for (const Start start : {Start::replicated, Start::sharded}) {
                CAPTURE(weights.size());
                const RanJob outcome = run_on_ranks(job, programs, weights, start);
                not_cut += outcome.not_cut;
                for (const auto& [array, words] : *expected) {
                    CAPTURE(array);
                    CHECK(outcome.arrays.at(array) == words);
                }
            }
        CHECK((not_cut > 0) == uncut.contains(kernel.name));
    }
}

TEST_CASE(
    "whole kernels send at most 1.05 times the words that their workgroups read and that their rank lacks") {
    for (const kernels::WholeKernel& kernel : kernels::whole_kernels()) {
        const std::string name(kernel.name);
        CAPTURE(name);
        const kernels::Job job = kernel.make({.scale = 1});
        const auto programs = simulated(kernel, job);
        bool is_more = false;
        for (const std::size_t ranks : {2u, 4u}) {
            const RanJob ran = run_on_ranks(job, programs, Weights(ranks, 1), Start::sharded_but_zeros);
            CAPTURE(ran.sent.transferred);
            CAPTURE(ran.needed.transferred);
            CHECK(ran.sent.transferred >= ran.needed.transferred);
            CHECK(ran.sent.reduced == ran.needed.reduced);
            is_more |= 100 * ran.sent.transferred > 105 * ran.needed.transferred;
        }
        CHECK(is_more == sends_more.contains(kernel.name));
    }
}
