// Whole kernels, run on simulated ranks: the same bits as on one, for any number of them and any distribution before.

#include <map>
#include <set>

#include <doctest/doctest.h>

#include <muster/bench/kernels/whole_kernel.hpp>

#include "cluster/simulated_cluster.hpp"

using namespace muster;

namespace {

using Weights = std::vector<double>;

enum class Start { replicated, sharded };

/// Kernels with dispatches that can't be cut, on which a footprint is no interval: they scatter, or invocations read what others
/// write.
const std::set<std::string_view> uncut{"fft", "lu", "marching_squares", "radix_sort", "transpose"};

// The arrays after the job ran on simulated ranks; counts the dispatches that weren't cut.
kernels::Arrays run_on_ranks(const kernels::Job& job,
                             const std::map<std::string, test::SimulatedKernel>& programs,
                             const Weights& weights, Start start, std::size_t& not_cut) {
    test::SimulatedCluster cluster(weights);
    std::map<std::string, std::size_t> buffers;
    for (const auto& [name, words] : job.arrays)
        buffers[name] =
            cluster.add(words, start == Start::sharded ? cluster::sharded(words.size(), 1, weights)
                                                       : cluster::replicated(words.size(), weights.size()));
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
        for (const auto& plan : cluster.plans) not_cut += plan->one_rank ? 1 : 0;
    }
    kernels::Arrays after;
    for (const auto& [name, buffer] : buffers) after[name] = cluster.read(buffer);
    return after;
}

}  // namespace

TEST_CASE("whole kernels give the same bits on every number of ranks") {
    for (const kernels::WholeKernel& kernel : kernels::whole_kernels()) {
        const std::string name(kernel.name);
        CAPTURE(name);
        const kernels::Job job = kernel.make({.scale = 1});
        const auto expected = kernels::run_interpreted(kernel, job);
        const auto programs = kernels::programs(kernel, job);
        REQUIRE(expected);
        REQUIRE(programs);
        std::map<std::string, test::SimulatedKernel> simulated;
        for (const auto& [entry, program] : *programs) simulated.emplace(entry, program);
        std::size_t not_cut = 0;
        for (const Weights& weights :
             {Weights{1}, Weights{1, 1}, Weights{1, 2, 1}, Weights(4, 1), Weights(7, 1)})
            for (const Start start : {Start::replicated, Start::sharded}) {
                CAPTURE(weights.size());
                const kernels::Arrays after = run_on_ranks(job, simulated, weights, start, not_cut);
                for (const auto& [array, words] : *expected) {
                    CAPTURE(array);
                    CHECK(after.at(array) == words);
                }
            }
        CHECK((not_cut > 0) == uncut.contains(kernel.name));
    }
}
