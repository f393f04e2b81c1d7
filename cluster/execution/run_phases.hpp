// run_phases.hpp - runs a program with grid barriers: the parts that it is split into, each as a dispatch of
// the cluster by itself. Internal to cluster/.
#pragma once

#include <span>

#include <muster/cluster/execution/run_part.hpp>

namespace muster {

/// Errors, the same in every process: those of ClusterRun::plan, of memory for the data between parts. After
/// one, earlier parts may have run. Precondition: kernel.split.
Result<void> run_phases(ClusterKernel::State& kernel, std::span<const ClusterBound> bound, Extent3 grid,
                        ClusterTicket::State& ticket);
/// Makes the data between parts for a grid, if the kernel has none of its size. Not collective.
Result<void> make_scratch(ClusterKernel::State& kernel, Extent3 grid);

/// A part's bindings: the program's, the scratch, the host's values.
std::vector<ClusterBound> bound_of_part(const ClusterKernel::State& kernel, std::size_t part,
                                        std::span<const ClusterBound> bound,
                                        std::span<const std::uint32_t> host_values);

}  // namespace muster
