// fuse.hpp - joins the nodes of a graph to groups, each of which becomes one kernel or a few.
//
//     const Fused fused = TRY(fuse(graph, portable_pack()));
//     for (const Group& group : fused.groups) lower(graph, group);      // in an order in which each has its inputs
//
// One pass in the order of the pack's fusion patterns, of each over the nodes in order. A node is in the
// first group that takes it; that another pattern would have it, too, is told. Nodes that no pattern takes
// are groups by themselves.
//
// A group's result is what its last node makes; it stands at that node's place, where all its inputs are
// there. Pure. Threads: any.
#pragma once

#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/pack/pack.hpp>
#include <muster/graph/rewrite/rewrite.hpp>

namespace muster::graph {

struct Fused {
    std::vector<Group> groups;  // all nodes, each once; ordered by their last nodes
    PatternReport report;
};

/// Errors: invalid_program (a pattern that can't be read: a fault of the pack). The groups
/// refer to the pack's patterns.
Result<Fused> fuse(const Graph& graph, const Pack& pack);

}  // namespace muster::graph
