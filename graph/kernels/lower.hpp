// lower.hpp - turns a group of nodes into kernels.
//
// Pure: no device, no driver. Precondition: all shapes are numbers, and inputs that shapes depend on are constants (specialise()).
// Threads: pure.
#pragma once

#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {

/// The kernels of a group, in order. `outputs`: the values of the group that are needed outside of it. Errors: unsupported (the
/// operator has no kernel of this form, with the reason), invalid_program.
Result<GroupKernels> lower_group(const Graph& graph, std::span<const NodeId> nodes,
                                 std::span<const ValueId> outputs, const StorageOf& storage_of);

}  // namespace muster::graph
