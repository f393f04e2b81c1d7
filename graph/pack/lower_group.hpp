// lower_group.hpp - groups of nodes that become one kernel or a few, and the function that lowers one.
#pragma once

#include <functional>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>
#include <muster/graph/kernel_text/group_kernels.hpp>

namespace muster::graph {

struct FusionPattern;  // pack.hpp

/// Nodes of a graph that one or a few kernels compute together. They stay the operators that they are: the
/// evaluator defines the result. What lies between them is used by no other node.
struct Group {
    std::vector<NodeId> nodes;  // in the graph's order
    std::vector<ValueId> inputs,
        outputs;  // inputs: each once, in the order of first use, constants among them
    const FusionPattern* pattern = nullptr;  // null: one node by itself
};

/// The storage of each value of a graph. Precondition: the value isn't within a group.
using StorageOf = std::function<Storage(ValueId)>;

/// Makes the kernels of a group, all of whose shapes are numbers. Errors: unsupported, with
/// the reason as a sentence.
using LowerGroup = Result<GroupKernels> (*)(const Graph& graph, const Group& group,
                                            const StorageOf& storage_of);

}  // namespace muster::graph
