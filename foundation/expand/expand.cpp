#include <set>
#include <string>
#include <vector>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/build/builtins_detail.hpp>
#include <muster/foundation/build/rewrite.hpp>
#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/expand/float_atomics.hpp>
#include <muster/foundation/expand/fused_double.hpp>
#include <muster/foundation/expand/subgroups.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/math/division.hpp>
#include <muster/foundation/math/functions.hpp>
#include <muster/foundation/math/fused.hpp>
#include <muster/foundation/math/halves.hpp>
#include <muster/foundation/math/ir_bits.hpp>
#include <muster/foundation/semantics/semantics.hpp>

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

/// lesser() of f64.
NodeId lesser_f64(IrBuilder& ir, NodeId a, NodeId b, bool greatest) {
    const auto is = [&](Op op, NodeId x, NodeId y) { return ir.binary(op, x, y); };
    const Op before = greatest ? Op::gt : Op::lt;
    const NodeId merged =
        is(greatest ? Op::bit_and : Op::bit_or, ir.bitcast(Scalar::u64, a), ir.bitcast(Scalar::u64, b));
    const NodeId unordered = ir.select(b, a, is(Op::eq, a, a));
    const NodeId neither = ir.select(unordered, ir.bitcast(Scalar::f64, merged), is(Op::eq, a, b));
    return ir.select(ir.select(neither, b, is(before, b, a)), a, is(before, a, b));
}

IrFloat remainder(IrFloat a, IrFloat b) { return a - b * trunc(a / b); }

bool is_f32(const Program& program, NodeId id) {
    return program.types()[program.type(id)].scalar == Scalar::f32;
}

bool is_f64(const Program& program, NodeId id) {
    return program.types()[program.type(id)].scalar == Scalar::f64;
}

bool is_composite(const Type& type) {
    return type.kind == TypeKind::array || type.kind == TypeKind::structure;
}

/// True for operations that take values of any type and change no bits.
bool moves(Op op) { return kind(op) == OpKind::composite || op == Op::bitcast; }

bool is_extreme(Op op) { return op == Op::min || op == Op::max; }

/// True for operations that expand() can replace: min and max of all numbers, packed products, those of
/// subgroups, fma of f32 and f64, the others only for f32.
bool is_replaceable(Op op) {
    return info(op).group == OpGroup::math || info(op).group == OpGroup::packed || is_extreme(op) ||
           op == Op::rem || op == Op::div || op == Op::sqrt || op == Op::fma || is_written_with_shuffles(op);
}

bool is_f16(const Program& program, NodeId id) {
    const TypeId type = program.type(id);
    return type != no_type && program.types()[type].scalar == Scalar::f16 &&
           !is_composite(program.types()[type]);
}

/// True for operations on f16 that are written with f32's, because `native` has none for f16.
bool is_widened(const Program& program, NodeId id, const OpSet& native) {
    const Op op = program.node(id).op;
    if (native.contains_f16(op) || program.operands(id).empty() || moves(op)) return false;
    const OpGroup group = info(op).group;
    if (group != OpGroup::exact && group != OpGroup::math) return false;
    const NodeId operand = program.operand(id, 0);
    if (op != Op::convert) return is_f16(program, operand);
    return is_f16(program, id) ? !is_f32(program, operand) : is_f16(program, operand) && !is_f32(program, id);
}

/// True for functions that no device has in f64.
bool is_math_of_f64(const Program& program, NodeId id) {
    return info(program.node(id).op).group == OpGroup::math && is_f64(program, id);
}

bool is_expanded(const Program& program, NodeId id, const OpSet& native) {
    const Op op = program.node(id).op;
    if (is_shuffle_of_words(program, id) || is_math_of_f64(program, id)) return true;
    if (native.contains(op) || !is_replaceable(op)) return false;
    if (is_written_with_shuffles(op) || info(op).group == OpGroup::packed) return true;
    if (op == Op::fma && is_f64(program, id)) return true;
    return !is_f16(program, id) && (is_extreme(op) || is_f32(program, id));
}

bool is_replaced(const Program& program, NodeId id, const OpSet& native) {
    return is_expanded(program, id, native) || is_widened(program, id, native);
}

/// True for atomic operations on an f32 of a variable that `as_words` has.
bool is_float_atomic(const Program& program, NodeId id, const std::vector<bool>& as_words) {
    if (as_words.empty() || info(program.node(id).op).group != OpGroup::atomic) return false;
    const NodeId place = program.operand(id, 0);
    return as_words[program.root_variable(place).index] && is_f32(program, place);
}

/// An integer, clamped to f16's range: what the operand's conversion to f32 gave.
NodeId clamped(IrBuilder& ir, NodeId integer) {
    const auto bound = [&](std::int32_t value) { return builtins::detail::number(ir, integer, value); };
    const NodeId below = ir.binary(Op::min, integer, bound(semantics::largest_f16));
    return is_signed(ir.types()[ir.type(integer)].scalar)
               ? ir.binary(Op::max, below, bound(-semantics::largest_f16))
               : below;
}

/// An f64 as the f32 that is rounded to odd, which another rounding leaves right: semantics::to_f16(double).
NodeId odd_f32(IrBuilder& ir, NodeId x) {
    const NodeId near = ir.convert(Scalar::f32, x), back = ir.convert(Scalar::f64, near);
    const NodeId bits = ir.bitcast(Scalar::u32, near);
    const auto word = [&](std::uint32_t value) { return builtins::detail::fill(ir, bits, value); };
    const NodeId above = ir.binary(Op::gt, x, back), below = ir.binary(Op::lt, x, back);
    const NodeId is_inexact = ir.binary(Op::bit_or, above, below);
    const NodeId is_even = ir.binary(Op::eq, ir.binary(Op::bit_and, bits, word(1)), word(0));
    const NodeId is_number = ir.binary(Op::ne, near, builtins::detail::number(ir, near, 0));
    const NodeId moves_on = ir.binary(Op::bit_and, is_inexact, ir.binary(Op::bit_and, is_even, is_number));
    const NodeId away =
        ir.binary(Op::eq, above, ir.binary(Op::gt, back, builtins::detail::number(ir, back, 0)));
    const NodeId moved =
        ir.select(ir.binary(Op::sub, bits, word(1)), ir.binary(Op::add, bits, word(1)), away);
    return ir.bitcast(Scalar::f32, ir.select(bits, moved, moves_on));
}

// semantics::add_to_odd.
IrFloat add_to_odd(IrFloat a, IrFloat b) {
    const IrFloat sum = a + b, second = sum - a;
    const IrFloat lost = (a - (sum - second)) + (b - second);
    const math::IrBits bits = math::bits_of(sum);
    const auto up = lost > 0.0f, down = lost < 0.0f;
    const math::IrBits away = bits + 1u, towards = bits - 1u;
    const math::IrBits odd =
        math::select(math::select(towards, away, up), math::select(away, towards, up), sum < 0.0f);
    const auto is_odd = (bits & 1u) != 0u;
    const IrFloat rounded = math::float_of(math::select(odd, bits, is_odd));
    return select(sum, rounded, either(up, down));
}

/// The operation on f16 as one on f32, whose result is rounded once. `steps` has those results, if arithmetic
/// may take them as they were before.
NodeId widened(IrBuilder& ir, const RewrittenNode& node, std::set<NodeId>* steps) {
    const bool is_arithmetic = kind(node.op()) == OpKind::arithmetic;
    const auto wide = [&](std::size_t which) {
        const NodeId operand = node.operand(which);
        if (steps != nullptr && is_arithmetic && steps->contains(operand)) return ir.operands(operand)[0];
        return ir.convert(Scalar::f32, operand);
    };
    const Scalar result = node.program.types()[node.program.type(node.id)].scalar;
    const Op op = node.op();
    if (op == Op::convert) {
        const NodeId operand = node.operand(0);
        if (ir.types()[ir.type(operand)].scalar == Scalar::f64)
            return ir.convert(result, odd_f32(ir, operand));
        const NodeId converted = ir.convert(result, wide(0));
        return is_integer(result) ? clamped(ir, converted) : converted;
    }
    NodeId value;
    if (op == Op::fma)
        value = add_to_odd(IrFloat{&ir, ir.binary(Op::mul, wide(0), wide(1))}, IrFloat{&ir, wide(2)}).id;
    else
        value = node.operands.size() == 1 ? ir.unary(op, wide(0)) : ir.binary(op, wide(0), wide(1));
    if (info(op).group == OpGroup::math)
        value = math::off_halfway(op, IrFloat{&ir, wide(0)}, IrFloat{&ir, value}).id;
    if (result != Scalar::f16) return value;
    const NodeId rounded = ir.convert(Scalar::f16, value);
    if (steps != nullptr && ir.node(rounded).op == Op::convert) steps->insert(rounded);
    return rounded;
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
        if (ir.types()[ir.type(a)].scalar == Scalar::f64) return lesser_f64(ir, a, b, op == Op::max);
        return ir.select(b, a, ir.binary(op == Op::max ? Op::gt : Op::lt, a, b));
    }
    if (op == Op::dot4_u8_packed)
        return builtins::dot(ir, builtins::unpack4x_u8(ir, node.operand(0)),
                             builtins::unpack4x_u8(ir, node.operand(1)));
    if (op == Op::dot4_i8_packed)
        return builtins::dot(ir, builtins::unpack4x_i8(ir, node.operand(0)),
                             builtins::unpack4x_i8(ir, node.operand(1)));
    if (op == Op::fma && is_f64(node.program, node.id))
        return fused_double(ir, node.operand(0), node.operand(1), node.operand(2));
    const NodeId first = node.operand(0), second = node.operand(node.operands.size() > 1 ? 1 : 0);
    if (is_math_of_f64(node.program, node.id))
        return math::functions<math::IrDouble>[static_cast<std::size_t>(op)]({&ir, first}, {&ir, second}).id;
    const IrFloat a{&ir, first}, b{&ir, second};
    if (op == Op::rem) return remainder(a, b).id;
    if (is_extreme(op)) return lesser(a, b, op == Op::max).id;
    if (op == Op::div) return quotient(a, b).id;
    if (op == Op::sqrt) return math::square_root(a).id;
    if (op == Op::fma) return math::fused_multiply_add(a, b, IrFloat{&ir, node.operand(2)}).id;
    return math::functions<IrFloat>[static_cast<std::size_t>(op)](a, b).id;
}

bool has_f16_work(const Program& program, const OpSet& native) {
    if (!contains(program.needs().scalars, Scalar::f16)) return false;
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        if (is_widened(program, NodeId{i}, native)) return true;
    }
    return false;
}

bool has_work(const Program& program, const OpSet& native) {
    if (has_f16_work(program, native) || !float_atomics_as_words(program, native).empty()) return true;
    const bool is_short = (program.needs().scalars & ~short_scalars).none();
    if (native.contains(program.required_ops()) && is_short) return false;
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
        if (!native.contains(op) && !is_replaced(program, id, native)) left.insert(op);
    }
    return left;
}

/// The operations that replacements may consist of: of those that are themselves replaced if
/// missing, the native ones.
OpSet building_blocks(const OpSet& native) {
    OpSet blocks;
    blocks.insert(OpGroup::exact).insert(Op::constant);
    for (const Op op : {Op::min, Op::max, Op::div, Op::rem, Op::sqrt, Op::fma})
        if (!native.contains(op)) blocks.core.reset(static_cast<std::size_t>(op));
    return blocks;
}

}  // namespace

bool needs_expansion(const Program& program, const OpSet& native) { return has_work(program, native); }

Result<ValidProgram> expand(const ValidProgram& program, const OpSet& native, std::uint32_t subgroup_size,
                            F16Steps steps) {
    if (!has_work(program, native)) return program;
    if (program->needs().subgroup_size != 0) subgroup_size = program->needs().subgroup_size;
    const bool writes_shuffles = has_subgroup_work(program, native);
    if (writes_shuffles && !limits::is_subgroup_size(subgroup_size))
        return fail(ErrorCode::invalid_argument,
                    "The operations over subgroups of " + std::string(program->entry()) +
                        " are to be written for subgroups of " + std::to_string(subgroup_size) +
                        " invocations, and the sizes are the powers of two from " +
                        std::to_string(limits::least_subgroup) + " to " +
                        std::to_string(limits::most_subgroup) + ".",
                    "ask for one of these (CompileOptions::subgroup_size), or have the backend's "
                    "DeviceInfo::subgroup_size "
                    "say one");
    Program made = program;
    // At most five times: sums over subgroups use f16's +, which is f32's; f16's math functions are f32's,
    // which use / and sqrt, whose replacements use integers' min and max.
    while (has_work(made, native)) {
        const std::vector<bool> as_words = float_atomics_as_words(made, native);
        std::set<NodeId> wide_steps;
        const auto hook = [&](IrBuilder& ir, const RewrittenNode& node) -> std::optional<NodeId> {
            if (is_widened(node.program, node.id, native))
                return widened(ir, node, steps == F16Steps::wide ? &wide_steps : nullptr);
            if (is_float_atomic(node.program, node.id, as_words)) return with_compare_exchange(ir, node);
            const bool is_kept = !is_expanded(node.program, node.id, native);
            if (info(node.op()).group != OpGroup::subgroup) {
                if (is_kept) return std::nullopt;
                return expanded(ir, node);
            }
            // Control flow has been proven uniform, which can't be seen from a total written with shuffles.
            const std::uint32_t flow = node.program.node(node.id).payload;
            if (!is_kept || writes_shuffles) ir.set_subgroup_flow(flow == 0 ? known_uniform : flow);
            if (!is_kept) return with_shuffles(ir, node, subgroup_size);
            const NodeId lane = node.operands.size() > 1 ? node.operand(1) : NodeId{};
            return writes_shuffles ? std::optional(ir.subgroup(node.op(), node.operand(0), lane))
                                   : std::nullopt;
        };
        made = TRY(rewrite(made, hook, [&](IrBuilder& ir, VariableId id, Variable& variable) {
            if (!as_words.empty() && as_words[id.index])
                variable.type = ir.types().with_float_atomics_as_words(variable.type);
        }));
    }
    return validate(std::move(made));
}

OpSet needed_after_expansion(const Program& program, const OpSet& native) {
    OpSet needed = program.required_ops();
    const bool has_float_atomics = !float_atomics_as_words(program, native).empty();
    const bool writes_floats = has_float_atomics || has_f16_work(program, native);
    if (!writes_floats && native.contains(needed)) return needed;
    bool integers_too = false, expands = writes_floats;
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
    if (has_float_atomics) needed.core |= float_atomic_blocks().core;
    if (has_subgroup_work(program, native)) needed.insert(Op::subgroup_ballot).insert(Op::subgroup_shuffle);
    return needed;
}

}  // namespace muster
