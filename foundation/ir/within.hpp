// within.hpp - walks a node, or a block, and everything in its blocks, at any depth, in program order.
#pragma once

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

template <class Holds>
bool any_within(const Program& program, BlockId block, Holds&& holds);

/// Calls `holds` for `node` and each node within it until one returns true; returns whether one did.
template <class Holds>
bool any_within(const Program& program, NodeId node, Holds&& holds) {
    if (holds(node)) return true;
    for (const BlockId block : program.blocks(node))
        if (any_within(program, block, holds)) return true;
    return false;
}
template <class Holds>
bool any_within(const Program& program, BlockId block, Holds&& holds) {
    for (const NodeId node : program.block(block))
        if (any_within(program, node, holds)) return true;
    return false;
}

template <class Visit>
void for_each_within(const Program& program, auto node_or_block, Visit&& visit) {
    any_within(program, node_or_block, [&](NodeId inner) {
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
