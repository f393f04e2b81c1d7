// access.hpp - the values that a node uses, and the variable that it reads or writes. Threads: pure.
#pragma once

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Calls `see` for each placed node whose value a node uses, directly or through free nodes.
template <class See>
void for_each_value(const Program& program, NodeId node, const See& see) {
    for (const NodeId operand : program.operands(node)) {
        if (info(program.node(operand).op).group == OpGroup::free)
            for_each_value(program, operand, see);
        else
            see(operand);
    }
}

/// The variable that a node declares or stores to; invalid for other nodes.
inline VariableId assigned(const Program& program, NodeId node) {
    const Op op = program.node(node).op;
    if (op == Op::declare) return VariableId{program.node(node).payload};
    return op == Op::store ? program.root_variable(program.operand(node, 0)) : VariableId{};
}
/// Also that which it loads from or accesses atomically.
inline VariableId accessed(const Program& program, NodeId node) {
    const Op op = program.node(node).op;
    const bool reads = op == Op::load || info(op).group == OpGroup::atomic;
    return reads ? program.root_variable(program.operand(node, 0)) : assigned(program, node);
}

MUSTER_API_END
}  // namespace muster
