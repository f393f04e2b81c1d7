#include <cassert>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/build/rewrite.hpp>
#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/expand/subgroups.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/math/division.hpp>
#include <muster/foundation/math/functions.hpp>
#include <muster/foundation/math/fused.hpp>
#include <muster/foundation/math/ir_bits.hpp>

namespace muster {
namespace {

using math::IrFloat;

// semantics::min and max: if one operand is NaN the result is the other, and -0 < +0. If a == b the bits tell
// -0 from +0: -0 has the larger bits.
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

bool is_extreme(Op op) { return op == Op::min || op == Op::max; }

/// True for operations that expand() can replace: min and max of all numbers, those of subgroups, the others only for f32.
bool is_replaceable(Op op) {
    return info(op).group == OpGroup::math || is_extreme(op) || op == Op::rem || op == Op::div ||
           op == Op::sqrt || op == Op::fma || is_written_with_shuffles(op);
}

bool is_expanded(const Program& program, NodeId id, const OpSet& native) {
    const Op op = program.node(id).op;
    return !native.contains(op) && is_replaceable(op) &&
           (is_extreme(op) || is_written_with_shuffles(op) || is_f32(program, id));
}

/// The reciprocals of a constant's components, if all of them are powers of two with exact reciprocals: then
/// the quotient is the dividend times the reciprocal, with the same rounding.
std::optional<IrFloat> exact_reciprocal(IrFloat divisor) {
    if (!divisor.ir->is_constant(divisor.id)) return std::nullopt;
    std::vector<std::uint32_t> words = divisor.ir->constant_words(divisor.id);
    for (std::uint32_t& word : words) {
        const std::uint32_t exponent = (word >> 23) & 255u;
        if ((word & 0x007fffffu) != 0 || exponent < 1 || exponent > 253) return std::nullopt;
        word = (word & math::sign_bit) | ((254u - exponent) << 23);
    }
    return IrFloat{divisor.ir, divisor.ir->constant(divisor.ir->type(divisor.id), words)};
}

IrFloat quotient(IrFloat a, IrFloat b) {
    if (const auto reciprocal = exact_reciprocal(b)) return a * *reciprocal;
    return math::divide(a, b);
}

NodeId expanded(IrBuilder& ir, const RewrittenNode& node) {
    const Op op = node.op();
    if (is_extreme(op) && !is_f32(node.program, node.id)) {
        const NodeId a = node.operand(0), b = node.operand(1);
        return ir.select(b, a, ir.binary(op == Op::max ? Op::gt : Op::lt, a, b));
    }
    const IrFloat a{&ir, node.operand(0)};
    const IrFloat b{&ir, node.operand(node.operands.size() > 1 ? 1 : 0)};
    if (op == Op::rem) return remainder(a, b).id;
    if (is_extreme(op)) return lesser(a, b, op == Op::max).id;
    if (op == Op::div) return quotient(a, b).id;
    if (op == Op::sqrt) return math::square_root(a).id;
    if (op == Op::fma) return math::fused_multiply_add(a, b, IrFloat{&ir, node.operand(2)}).id;
    return math::functions<IrFloat>[static_cast<std::size_t>(op)](a, b).id;
}

bool has_work(const Program& program, const OpSet& native) {
    if (native.contains(program.required_ops())) return false;
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        if (is_expanded(program, NodeId{i}, native)) return true;
    }
    return false;
}

bool has_subgroup_work(const Program& program, const OpSet& native) {
    for (std::size_t i = 0; i < op_count; ++i) {
        const Op op = static_cast<Op>(i);
        if (is_written_with_shuffles(op) && program.required_ops().contains(op) && !native.contains(op))
            return true;
    }
    return false;
}

/// The operations that `native` lacks and expand() leaves in the program.
OpSet left_over(const Program& program, const OpSet& native) {
    OpSet left;
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        const NodeId id{i};
        const Op op = program.node(id).op;
        if (!native.contains(op) && !is_expanded(program, id, native)) left.insert(op);
    }
    return left;
}

/// The operations that replacements may consist of: of those that are themselves replaced if missing, the native ones.
OpSet building_blocks(const OpSet& native) {
    OpSet blocks;
    blocks.insert(OpGroup::exact);
    for (const Op op : {Op::min, Op::max, Op::div, Op::rem, Op::sqrt, Op::fma})
        if (!native.contains(op)) blocks.core.reset(static_cast<std::size_t>(op));
    return blocks;
}

}  // namespace

Result<ValidProgram> expand(const ValidProgram& program, const OpSet& native, std::uint32_t subgroup_size) {
    if (!has_work(program, native)) return program;
    if (program->needs().subgroup_size != 0) subgroup_size = program->needs().subgroup_size;
    assert(limits::is_subgroup_size(subgroup_size) || !has_subgroup_work(*program, native));
    const bool writes_shuffles = has_subgroup_work(program, native);
    Program made = program;
    // At most three times: math functions and rem use / and sqrt, whose replacements use integers' min and max.
    while (has_work(made, native)) {
        made = TRY(rewrite(made, [&](IrBuilder& ir, const RewrittenNode& node) -> std::optional<NodeId> {
            const bool is_kept = !is_expanded(node.program, node.id, native);
            if (info(node.op()).group != OpGroup::subgroup) {
                if (is_kept) return std::nullopt;
                return expanded(ir, node);
            }
            // That control flow is uniform has been proven, and can't be seen from a total written with shuffles.
            const std::uint32_t flow = node.program.node(node.id).payload;
            if (!is_kept || writes_shuffles) ir.set_subgroup_flow(flow == 0 ? known_uniform : flow);
            if (!is_kept) return with_shuffles(ir, node, subgroup_size);
            const NodeId lane = node.operands.size() > 1 ? node.operand(1) : NodeId{};
            return writes_shuffles ? std::optional(ir.subgroup(node.op(), node.operand(0), lane))
                                   : std::nullopt;
        }));
    }
    return validate(std::move(made));
}

OpSet needed_after_expansion(const Program& program, const OpSet& native) {
    OpSet needed = program.required_ops();
    if (native.contains(needed)) return needed;
    bool integers_too = false, expands = false;
    for (std::size_t i = 0; i < op_count; ++i) {
        const Op op = static_cast<Op>(i);
        if (!needed.contains(op) || native.contains(op) || !is_replaceable(op)) continue;
        integers_too |= op == Op::rem || op == Op::div;
        needed.core.reset(i);
        expands = true;
    }
    if (integers_too) {
        needed.core |= left_over(program, native).core;
        expands = has_work(program, native);
    }
    if (expands) needed.core |= building_blocks(native).core;
    if (has_subgroup_work(program, native)) needed.insert(Op::subgroup_ballot).insert(Op::subgroup_shuffle);
    return needed;
}

}  // namespace muster
