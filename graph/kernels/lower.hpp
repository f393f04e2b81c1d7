// lower.hpp - turns a group of nodes into kernels.
//
// Pure: no device, no driver. Precondition: all shapes are numbers, and inputs that shapes depend on are
// constants (specialise()). Threads: pure.
#pragma once

#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {

/// The kernels of a group, in order: those of its pattern's own lowering, if it has one. Errors: unsupported
/// (the operator has no kernel of this form, with the reason), invalid_program.
Result<GroupKernels> lower_group(const Graph& graph, const Group& group, const StorageOf& storage_of);

}  // namespace muster::graph
