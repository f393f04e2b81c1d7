// rewrite.hpp - copies a program node by node, with a chance to put something else in a node's place.
//
//     Result<Program> halved = rewrite(program, [](IrBuilder& ir, const RewrittenNode& node) ->
//     std::optional<NodeId> {
//         if (node.op() != Op::exp2) return std::nullopt;            // copied as it is
//         return my_exp2(ir, node.operand(0));                       // operands are those of the new program
//     });
//
// A hook is asked for every placed node that isn't control flow, in order. What it emits goes where the node
// stood; the node that it returns takes the node's place for all later users, and must have its type. Names,
// source locations and files come along. A copy that replaces nothing has the fingerprint of what it was made
// from. Threads: pure. Memory: as the new program's.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include <muster/foundation/build/ir_builder.hpp>

namespace muster {

/// A node of the old program with its operands in the new one.
struct RewrittenNode {
    const Program& program;
    NodeId id;  // in the old program
    std::span<const NodeId> operands;

    Op op() const { return program.node(id).op; }
    NodeId operand(std::size_t which) const { return operands[which]; }
};

/// nullopt: copy the node. A node without a value (a store) may be replaced by any id.
using RewriteHook = std::function<std::optional<NodeId>(IrBuilder& ir, const RewrittenNode& node)>;

/// Errors: limit_exceeded, as IrBuilder::finish.
Result<Program> rewrite(const Program& program, const RewriteHook& hook);

}  // namespace muster
