// within.hpp - walks a node and everything in its blocks, at any depth, in program order.
#pragma once

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Calls `holds` for `node` and each node within it until one returns true; returns whether one did.
template <class Holds>
bool any_within(const Program& program, NodeId node, Holds&& holds) {
    if (holds(node)) return true;
    for (const BlockId block : program.blocks(node))
        for (const NodeId inner : program.block(block))
            if (any_within(program, inner, holds)) return true;
    return false;
}

template <class Visit>
void for_each_within(const Program& program, NodeId node, Visit&& visit) {
    any_within(program, node, [&](NodeId inner) {
        visit(inner);
        return false;
    });
}

/// The number of nodes, with `node` itself.
inline std::size_t nodes_within(const Program& program, NodeId node) {
    std::size_t nodes = 0;
    for_each_within(program, node, [&](NodeId) { ++nodes; });
    return nodes;
}

MUSTER_API_END
}  // namespace muster
