// run_whole_kernel.hpp - whole kernels (measuring/whole_kernels) on a cluster.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <muster/cluster/execution/cluster_session.hpp>
#include <muster/foundation/analysis/footprint/footprint.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/measuring/whole_kernels/whole_kernel.hpp>

namespace muster::test {

/// The arrays after a job ran on the cluster, and what it sent.
struct ClusterOutcome {
    kernels::Arrays arrays;
    ClusterWork work;
};

/// True for each binding that needs a hint: the places of some loads are data.
inline std::vector<bool> loads_anywhere(const Program& program) {
    std::vector<bool> is_so(program.bindings().size());
    for (const FootprintAccess& each : analyse_footprint(program).accesses)
        if (each.reads && !each.writes && !each.is_bounded) is_so[each.binding] = true;
    return is_so;
}

/// Runs a job whose arrays all begin with the same sharding.
inline Result<ClusterOutcome> run_on_cluster(ClusterSession& cluster, const kernels::WholeKernel& kernel,
                                             const kernels::Job& job, const Sharding& sharding) {
    std::map<std::string, ClusterKernel> prepared;
    for (const auto& [entry, program] : TRY(kernels::programs(kernel, job)))
        prepared.emplace(entry, TRY(cluster.prepare(program)));
    std::map<std::string, ClusterBuffer> buffers;
    for (const auto& [name, words] : job.arrays) {
        const auto bytes = std::as_bytes(std::span(words));  // without a type: a binding may have any
        ClusterBuffer& made =
            buffers.emplace(name, TRY(cluster.buffer(bytes.size(), sharding))).first->second;
        TRY(made.write_bytes(bytes));
    }
    ClusterOutcome outcome;
    for (const kernels::Step& step : job.steps) {
        const ClusterKernel& to_run = step.entry.empty() ? prepared.begin()->second : prepared.at(step.entry);
        const Program& program = *to_run.program();
        const std::vector<bool> needs_hint = loads_anywhere(program);
        std::vector<ClusterArgument> arguments;
        for (std::size_t i = 0; i < program.bindings().size(); ++i) {
            const Variable& variable = program.variable(program.bindings()[i]);
            const GroupBinding at{variable.group, variable.binding};
            if (const auto value = step.uniforms.find(variable.name); value != step.uniforms.end()) {
                const auto bytes = std::as_bytes(std::span(value->second));
                arguments.emplace_back(at, ArgumentValue{InlineVector<std::byte, 64>(bytes), {}});
                continue;
            }
            const auto bound = step.bind.find(variable.name);
            const ClusterBuffer& buffer =
                buffers.at(bound == step.bind.end() ? variable.name : bound->second);
            if (needs_hint[i] && !variable.is_written)
                arguments.emplace_back(at, reads_whole(buffer));
            else
                arguments.emplace_back(at, buffer);
        }
        const ClusterTicket ticket = TRY(cluster.dispatch(to_run, arguments, step.grid));
        (void)TRY(ticket.wait());
        outcome.work.bytes_sent += ticket.work().bytes_sent;
        outcome.work.bytes_reduced += ticket.work().bytes_reduced;
        outcome.work.is_cut &= ticket.work().is_cut;
    }
    for (const auto& [name, buffer] : buffers)
        outcome.arrays.emplace(name, TRY(buffer.read_all<std::uint32_t>()));
    return outcome;
}

}  // namespace muster::test
