// plan.hpp - how a graph whose shapes are known runs: which kernels, in which order, on which buffers.
//
//     Plan plan = TRY(make_plan(graph, groups));
//     for (const PlannedGroup& group : plan.groups)
//         for (const KernelStep& step : group.kernels.steps) ...
//
// Values that don't live at the same time share slots. A view has its input's memory, and a Concat's inputs
// are written where the output has them, so neither copies anything. What convolutions and pools make lies
// with the channels innermost.
//
// Pure. Threads: any.
#pragma once

#include <set>
#include <span>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>
#include <muster/graph/kernel_text/group_kernels.hpp>
#include <muster/graph/pack/lower_group.hpp>

namespace muster::graph {

struct PlannedGroup {
    Group group;
    GroupKernels kernels;  // none: all its outputs are views, or there already
    bool is_outside = false;
    std::vector<Storage> inputs, outputs;  // of a group that is outside: without constants; row-major
};

struct Plan {
    Graph graph;
    std::vector<PlannedGroup> groups;
    std::vector<std::int64_t> slot_bytes;
    std::vector<ValueId> constants;        // those that kernels read as they are
    std::vector<Storage> inputs, outputs;  // row-major
};

/// The groups, where those with several nodes that aren't element-wise, and no lowering of their own, are cut
/// so that each has at most one such node, its first.
std::vector<Group> lowerable_groups(const Graph& graph, std::span<const Group> groups);
/// Errors: unsupported (a node's operator has no kernel of its form), invalid_program (a size that isn't
/// known); both name the node. Precondition: lowerable_groups() gave them, in an order in which each
/// comes behind those whose outputs it reads. `outside`: numbers of groups that something else than
/// kernels computes, of any nodes.
Result<Plan> make_plan(const Graph& graph, std::vector<Group> groups,
                       const std::set<std::size_t>& outside = {});

/// Groups of these nodes, with inputs and outputs.
std::vector<Group> with_ends(const Graph& graph, std::vector<Group> groups);

}  // namespace muster::graph
