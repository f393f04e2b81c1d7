#include <muster/foundation/build/builtins.hpp>

namespace muster::builtins {
namespace {

NodeId ballot_differs(IrBuilder& ir, NodeId e) {
    const NodeId ballot = ir.subgroup(Op::subgroup_ballot, e);
    return ir.binary(Op::ne, ballot, ir.zero(ir.type(ballot)));
}

}  // namespace

NodeId subgroup_all(IrBuilder& ir, NodeId e) {
    return ir.unary(Op::logical_not, subgroup_any(ir, ir.unary(Op::logical_not, e)));
}

NodeId subgroup_any(IrBuilder& ir, NodeId e) { return ir.unary(Op::any, ballot_differs(ir, e)); }

NodeId subgroup_elect(IrBuilder& ir) {
    const NodeId own = ir.builtin(Builtin::subgroup_invocation_id);
    return ir.binary(Op::eq, own, ir.subgroup(Op::subgroup_broadcast_first, own));
}

NodeId quad_broadcast(IrBuilder& ir, NodeId e, NodeId id) {
    const NodeId own = ir.builtin(Builtin::subgroup_invocation_id);
    const NodeId first = ir.binary(Op::bit_and, own, ir.constant(~3u));
    return ir.subgroup(Op::subgroup_shuffle, e, ir.binary(Op::bit_or, first, ir.convert(Scalar::u32, id)));
}

NodeId quad_swap(IrBuilder& ir, NodeId e, std::uint32_t mask) {
    return ir.subgroup(Op::subgroup_shuffle_xor, e, ir.constant(mask));
}

}  // namespace muster::builtins
