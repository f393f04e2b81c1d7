// lower_group.hpp - groups of nodes that become one kernel or a few, and the function that lowers one.
#pragma once

#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/graph/ir/graph.hpp>

namespace muster::graph {

struct FusionPattern;  // pack.hpp
struct GroupKernels;   // the kernels of a group, with their launches; execution defines it
struct LowerOptions;   // what the kernels are made for; execution defines it

/// Nodes of a graph that one or a few kernels compute together. They stay the operators that they are: the evaluator defines
/// the result. What lies between them is used by no other node.
struct Group {
    std::vector<NodeId> nodes;  // in the graph's order
    std::vector<ValueId> inputs,
        outputs;  // inputs: each once, in the order of first use, constants among them
    const FusionPattern* pattern = nullptr;  // null: one node by itself
};

using LowerGroup = Result<GroupKernels> (*)(const Graph&, const Group&, const LowerOptions&);

}  // namespace muster::graph
