// rewrite.hpp - copies a program node by node; a hook may replace nodes.
//
//     Result<Program> halved =
//         rewrite(program, [](IrBuilder& ir, const RewrittenNode& node) -> std::optional<NodeId> {
//             if (node.op() != Op::exp2) return std::nullopt;        // copied unchanged
//             return my_exp2(ir, node.operand(0));                   // operands are those of the new program
//         });
//
// The hook is called for every placed node that isn't control flow, in order. The nodes that it emits go to
// that node's position; the node that it returns replaces it for all later users and must have its type.
// Names, source locations and files are copied. A copy that replaces nothing has the fingerprint of the
// original. Threads: pure. Memory: that of the new program.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/build/node_copier.hpp>

namespace muster {

/// A node of the old program with its operands in the new one.
struct RewrittenNode {
    const Program& program;
    NodeId id;  // in the old program
    std::span<const NodeId> operands;

    Op op() const { return program.node(id).op; }
    NodeId operand(std::size_t which) const { return operands[which]; }
};

/// Returns nullopt to copy the node. A node without a value (a store) may be replaced by any id.
using RewriteHook = std::function<std::optional<NodeId>(IrBuilder& ir, const RewrittenNode& node)>;

/// `variable_hook` may change the types of variables; `hook` then replaces every access to them.
/// Errors: as IrBuilder::finish.
Result<Program> rewrite(const Program& program, const RewriteHook& hook,
                        const VariableHook& variable_hook = {});

}  // namespace muster
