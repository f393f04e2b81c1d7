// plan.hpp - how a graph whose shapes are known runs: which kernels, in which order, on which buffers.
//
//     Plan plan = TRY(make_plan(graph, groups));
//     for (const PlannedGroup& group : plan.groups)
//         for (const KernelStep& step : group.kernels.steps) ...
//
// Values that don't live at the same time share slots. A view has its input's memory, and a Concat's inputs are written where the
// output has them, so neither copies anything. What convolutions and pools make lies with the channels innermost.
//
// Pure. Threads: any.
#pragma once

#include <span>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/graph/ir/graph.hpp>
#include <muster/foundation/graph/kernel/group_kernels.hpp>

namespace muster::graph {

/// Nodes that are lowered together, in the graph's order.
struct NodeGroup {
    std::vector<NodeId> nodes;
    std::vector<ValueId> outputs;  // those that are needed outside of it
};

struct PlannedGroup {
    NodeGroup group;
    GroupKernels kernels;  // none: all its outputs are views, or there already
};

struct Plan {
    Graph graph;
    std::vector<PlannedGroup> groups;
    std::vector<std::int64_t> slot_bytes;
    std::vector<ValueId> constants;        // those that kernels read as they are
    std::vector<Storage> inputs, outputs;  // row-major
};

/// Each node by itself.
std::vector<NodeGroup> single_nodes(const Graph& graph);
/// Errors: unsupported (a node's operator has no kernel of its form), invalid_program (a size that isn't known); both name the node.
/// Precondition: the groups hold each node once, in an order in which each comes behind those whose outputs it reads.
Result<Plan> make_plan(const Graph& graph, std::vector<NodeGroup> groups);

}  // namespace muster::graph
