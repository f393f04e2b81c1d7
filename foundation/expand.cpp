#include <muster/foundation/expand.hpp>
#include <muster/foundation/math/functions.hpp>
#include <muster/foundation/math/ir_number.hpp>
#include <muster/foundation/rewrite.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

using math::IrFloat;

// semantics::min and max, whose zeros differ in sign and whose NaN gives way to the number. With a == b the
// bits tell -0 from +0: the larger bits are -0's.
IrFloat lesser(IrFloat a, IrFloat b, bool greatest) {
    const auto before = greatest ? a > b : a < b;
    const auto after = greatest ? b > a : b < a;
    IrBuilder& ir = *a.ir;
    const math::IrBits a_bits = math::bits_of(a), b_bits = math::bits_of(b);
    const math::IrBits merged{&ir, ir.binary(greatest ? Op::bit_and : Op::bit_or, a_bits.id, b_bits.id)};
    const IrFloat if_equal = math::float_of(merged);
    const IrFloat if_unordered = select(b, a, a == a);
    const IrFloat neither = select(if_unordered, if_equal, a == b);
    return select(select(neither, b, after), a, before);
}

IrFloat remainder(IrFloat a, IrFloat b) { return a - b * trunc(a / b); }

bool is_f32(const Program& program, NodeId id) {
    return program.types()[program.type(id)].scalar == Scalar::f32;
}

bool is_expanded(const Program& program, NodeId id, const OpSet& native) {
    const Op op = program.node(id).op;
    if (native.contains(op)) return false;
    if (info(op).group == OpGroup::math) return true;
    return (op == Op::min || op == Op::max || op == Op::rem) && is_f32(program, id);
}

NodeId expanded(IrBuilder& ir, const RewrittenNode& node) {
    const IrFloat a{&ir, node.operand(0)};
    const IrFloat b{&ir, node.operand(node.operands.size() - 1)};
    if (node.op() == Op::rem) return remainder(a, b).id;
    if (node.op() == Op::min || node.op() == Op::max) return lesser(a, b, node.op() == Op::max).id;
    return math::functions<IrFloat>[static_cast<std::size_t>(node.op())](a, b).id;
}

bool has_work(const Program& program, const OpSet& native) {
    if (native.contains(program.required_ops())) return false;
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        if (is_expanded(program, NodeId{i}, native)) return true;
    }
    return false;
}

}  // namespace

Result<ValidProgram> expand(const ValidProgram& program, const OpSet& native) {
    if (!has_work(program, native)) return program;
    Program made =
        TRY(rewrite(program, [&](IrBuilder& ir, const RewrittenNode& node) -> std::optional<NodeId> {
            if (!is_expanded(node.program, node.id, native)) return std::nullopt;
            return expanded(ir, node);
        }));
    return validate(std::move(made));
}

}  // namespace muster
