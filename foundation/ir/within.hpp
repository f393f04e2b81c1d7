// within.hpp - a node and what lies in its blocks, at any depth, in the order of the program.
#pragma once

#include <muster/foundation/ir/program.hpp>

namespace muster {

/// Asks `holds` of `node` and of each node within it, until one says yes.
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

}  // namespace muster
