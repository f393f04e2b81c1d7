#include <array>

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/build/builtins_detail.hpp>

namespace muster::builtins {
namespace {

using namespace detail;

/// A vector scaled by a power of two that keeps the squares of its components in range, and the factor that
/// undoes the scaling.
struct Scaled {
    NodeId vector;
    NodeId undo;  // scalar
};

/// The number as a constant of `like`'s type, f32 or f64.
NodeId real(IrBuilder& ir, NodeId like, double value) {
    return scalar(ir, like) == Scalar::f64 ? fill(ir, like, value)
                                           : fill(ir, like, static_cast<float>(value));
}

Scaled scale_for_squares(IrBuilder& ir, NodeId e) {
    const NodeId magnitude = ir.unary(Op::abs, e);
    NodeId largest = ir.extract(magnitude, 0);
    for (std::uint32_t i = 1; i < width(ir, e); ++i)
        largest = ir.binary(Op::max, largest, ir.extract(magnitude, i));
    const bool is_double = scalar(ir, e) == Scalar::f64;
    const auto constant = [&](float single, double twice) {
        return is_double ? ir.constant(twice) : ir.constant(single);
    };
    const NodeId large = ir.binary(Op::gt, largest, constant(0x1p62f, 0x1p500));
    const NodeId small = ir.binary(Op::lt, largest, constant(0x1p-40f, 0x1p-100));
    const NodeId one = constant(1.0f, 1.0);
    const auto either = [&](NodeId if_small, NodeId if_large) {
        return ir.select(ir.select(one, if_small, small), if_large, large);
    };
    const NodeId scale = either(constant(0x1p64f, 0x1p600), constant(0x1p-66f, 0x1p-600));
    const NodeId undo = either(constant(0x1p-64f, 0x1p-600), constant(0x1p66f, 0x1p600));
    return {mul(ir, e, ir.splat(scale, width(ir, e))), undo};
}

/// The bits of a number of e's type, f32 or f64.
struct Layout {
    IrBuilder& ir;
    NodeId e;
    Scalar scalar, word;
    std::uint32_t fraction_bits;
    std::int32_t special;  // the exponent's field of infinities and NaN
    std::uint64_t infinity, half, sign;

    Layout(IrBuilder& builder, NodeId number)
        : ir(builder),
          e(number),
          scalar(detail::scalar(builder, number)),
          word(scalar == Scalar::f64 ? Scalar::u64 : Scalar::u32),
          fraction_bits(scalar == Scalar::f64 ? 52 : 23),
          special(scalar == Scalar::f64 ? 2047 : 255),
          infinity(static_cast<std::uint64_t>(special) << fraction_bits),
          half(static_cast<std::uint64_t>(special / 2 - 1) << fraction_bits),
          sign(std::uint64_t{1} << (scalar == Scalar::f64 ? 63 : 31)) {}

    NodeId bits(std::uint64_t value) const {
        return word == Scalar::u64 ? fill(ir, e, value) : fill(ir, e, static_cast<std::uint32_t>(value));
    }
    /// As i32.
    NodeId exponent_field(NodeId of_bits) const {
        const NodeId field =
            bit_and(ir, shr(ir, of_bits, fraction_bits), bits(static_cast<std::uint64_t>(special)));
        return ir.bitcast(Scalar::i32, ir.convert(Scalar::u32, field));
    }
};

}  // namespace

NodeId operation(IrBuilder& ir, Op op, std::span<const NodeId> a) {
    if (op == Op::select) return ir.select(a[0], a[1], a[2]);
    if (op == Op::fma) return ir.fma(a[0], a[1], a[2]);
    if (info(op).group == OpGroup::subgroup)
        return ir.subgroup(op, a[0], a.size() > 1 ? ir.convert(Scalar::u32, a[1]) : NodeId{});
    if (a.size() == 2) return ir.binary(op, a[0], a[1]);
    const bool is_itself = (op == Op::all || op == Op::any) && ir.type(a[0]) == bool_type;
    return is_itself ? a[0] : ir.unary(op, a[0]);
}

NodeId clamp(IrBuilder& ir, NodeId e, NodeId low, NodeId high) {
    return ir.binary(Op::min, ir.binary(Op::max, e, low), high);
}

NodeId saturate(IrBuilder& ir, NodeId e) { return clamp(ir, e, number(ir, e, 0), number(ir, e, 1)); }

NodeId sign(IrBuilder& ir, NodeId e) {
    const NodeId zero = number(ir, e, 0);
    const NodeId negative = ir.select(zero, number(ir, e, -1), ir.binary(Op::lt, e, zero));
    return ir.select(negative, number(ir, e, 1), ir.binary(Op::gt, e, zero));
}

NodeId dot(IrBuilder& ir, NodeId a, NodeId b) {
    if (is_f16(ir, a)) return in_f32(ir, dot, a, b);
    const NodeId products = mul(ir, a, b);
    NodeId sum = ir.extract(products, 0);
    for (std::uint32_t i = 1; i < width(ir, a); ++i) sum = add(ir, sum, ir.extract(products, i));
    return sum;
}

NodeId step(IrBuilder& ir, NodeId edge, NodeId x) {
    if (is_f16(ir, edge)) return in_f32(ir, step, edge, x);
    return ir.select(number(ir, x, 0), number(ir, x, 1), ir.binary(Op::le, edge, x));
}

NodeId mix(IrBuilder& ir, NodeId a, NodeId b, NodeId t) {
    if (is_f16(ir, a)) return in_f32(ir, mix, a, b, t);
    const NodeId rest = ir.splat(sub(ir, number(ir, t, 1), t), width(ir, a));
    const NodeId part = ir.splat(t, width(ir, a));
    return add(ir, mul(ir, a, rest), mul(ir, b, part));
}

NodeId smoothstep(IrBuilder& ir, NodeId edge0, NodeId edge1, NodeId x) {
    if (is_f16(ir, edge0)) return in_f32(ir, smoothstep, edge0, edge1, x);
    const NodeId t = saturate(ir, div(ir, sub(ir, x, edge0), sub(ir, edge1, edge0)));
    return mul(ir, mul(ir, t, t), sub(ir, number(ir, t, 3), mul(ir, number(ir, t, 2), t)));
}

NodeId fract(IrBuilder& ir, NodeId e) {
    if (is_f16(ir, e)) return in_f32(ir, fract, e);
    return sub(ir, e, ir.unary(Op::floor, e));
}
NodeId degrees(IrBuilder& ir, NodeId e) {
    if (is_f16(ir, e)) return in_f32(ir, degrees, e);
    return mul(ir, e, real(ir, e, 57.295779513082320876798));
}
NodeId radians(IrBuilder& ir, NodeId e) {
    if (is_f16(ir, e)) return in_f32(ir, radians, e);
    return mul(ir, e, real(ir, e, 0.017453292519943295769));
}

NodeId cross(IrBuilder& ir, NodeId a, NodeId b) {
    if (is_f16(ir, a)) return in_f32(ir, cross, a, b);
    constexpr std::array<std::uint8_t, 3> next{1, 2, 0};
    constexpr std::array<std::uint8_t, 3> after{2, 0, 1};
    return sub(ir, mul(ir, ir.swizzle(a, next), ir.swizzle(b, after)),
               mul(ir, ir.swizzle(a, after), ir.swizzle(b, next)));
}

NodeId length(IrBuilder& ir, NodeId e) {
    if (is_f16(ir, e)) return in_f32(ir, length, e);
    if (width(ir, e) == 1) return ir.unary(Op::abs, e);
    const Scaled scaled = scale_for_squares(ir, e);
    return mul(ir, ir.unary(Op::sqrt, dot(ir, scaled.vector, scaled.vector)), scaled.undo);
}

NodeId distance(IrBuilder& ir, NodeId a, NodeId b) {
    if (is_f16(ir, a)) return in_f32(ir, distance, a, b);
    return length(ir, sub(ir, a, b));
}

NodeId normalize(IrBuilder& ir, NodeId e) {
    if (is_f16(ir, e)) return in_f32(ir, normalize, e);
    const NodeId scaled = scale_for_squares(ir, e).vector;
    return div(ir, scaled, ir.splat(ir.unary(Op::sqrt, dot(ir, scaled, scaled)), width(ir, e)));
}

NodeId face_forward(IrBuilder& ir, NodeId e, NodeId incident, NodeId reference) {
    if (is_f16(ir, e)) return in_f32(ir, face_forward, e, incident, reference);
    const NodeId product = dot(ir, incident, reference);
    const NodeId towards = ir.binary(Op::lt, product, number(ir, product, 0));
    return choose(ir, ir.unary(Op::neg, e), e, towards);
}

NodeId reflect(IrBuilder& ir, NodeId e, NodeId normal) {
    if (is_f16(ir, e)) return in_f32(ir, reflect, e, normal);
    const NodeId product = dot(ir, normal, e);
    const NodeId twice = mul(ir, number(ir, product, 2), product);
    return sub(ir, e, mul(ir, ir.splat(twice, width(ir, e)), normal));
}

NodeId refract(IrBuilder& ir, NodeId e, NodeId normal, NodeId eta) {
    if (is_f16(ir, e)) return in_f32(ir, refract, e, normal, eta);
    const NodeId d = dot(ir, normal, e), one = number(ir, d, 1);
    const NodeId k = sub(ir, one, mul(ir, mul(ir, eta, eta), sub(ir, one, mul(ir, d, d))));
    const NodeId along = add(ir, mul(ir, eta, d), ir.unary(Op::sqrt, k));
    const std::uint32_t n = width(ir, e);
    const NodeId bent = sub(ir, mul(ir, ir.splat(eta, n), e), mul(ir, ir.splat(along, n), normal));
    return choose(ir, bent, ir.zero(ir.type(e)), ir.binary(Op::lt, k, number(ir, k, 0)));
}

Frexp frexp(IrBuilder& ir, NodeId e) {
    if (is_f16(ir, e)) {
        const Frexp wide = frexp(ir, widen(ir, e));
        return {ir.convert(Scalar::f16, wide.fract), wide.exp};
    }
    const Layout layout(ir, e);
    const NodeId bits = ir.bitcast(layout.word, e);
    const NodeId sign_bit = bit_and(ir, bits, layout.bits(layout.sign));
    const NodeId field = layout.exponent_field(bits);
    const NodeId half =
        bit_or(ir, bit_and(ir, bits, layout.bits(~layout.infinity)), layout.bits(layout.half));
    const NodeId is_zero = ir.binary(Op::eq, field, fill(ir, e, 0));
    const NodeId is_special = ir.binary(Op::eq, field, fill(ir, e, layout.special));
    const NodeId fraction =
        ir.select(ir.bitcast(layout.scalar, half), ir.bitcast(layout.scalar, sign_bit), is_zero);
    const NodeId exponent = sub(ir, field, fill(ir, e, layout.special / 2 - 1));
    const NodeId none = ir.binary(Op::bit_or, is_zero, is_special);
    return {ir.select(fraction, e, is_special), ir.select(exponent, fill(ir, e, 0), none)};
}

NodeId workgroup_uniform_load(IrBuilder& ir, NodeId place) {
    ir.barrier(Op::workgroup_barrier);
    const bool is_atomic = type_of_node(ir, place).kind == TypeKind::atomic;
    const NodeId value = is_atomic ? ir.atomic(Op::atomic_load, place) : ir.load(place);
    ir.barrier(Op::workgroup_barrier);
    return value;
}

Modf modf(IrBuilder& ir, NodeId e) {
    if (is_f16(ir, e)) {
        const Modf wide = modf(ir, widen(ir, e));
        return {ir.convert(Scalar::f16, wide.fract), ir.convert(Scalar::f16, wide.whole)};
    }
    const NodeId whole = ir.unary(Op::trunc, e);
    return {sub(ir, e, whole), whole};
}

NodeId ldexp(IrBuilder& ir, NodeId e, NodeId exponent) {
    if (is_f16(ir, e)) return in_f32(ir, ldexp, e, exponent);
    const Layout layout(ir, e);
    const NodeId bits = ir.bitcast(layout.word, e);
    const NodeId sign_bit = bit_and(ir, bits, layout.bits(layout.sign));
    const NodeId field = layout.exponent_field(bits);
    // A step beyond twice the exponents leaves the range whatever e is, so clamping changes no
    // result and the sum can't wrap.
    const std::int32_t far = 2 * (layout.special + 1);
    const NodeId moved = add(ir, field, clamp(ir, exponent, fill(ir, e, -far), fill(ir, e, far)));
    const NodeId moved_bits = ir.convert(layout.word, ir.bitcast(Scalar::u32, moved));
    const NodeId in_range = bit_or(ir, bit_and(ir, bits, layout.bits(~layout.infinity)),
                                   shl(ir, moved_bits, layout.fraction_bits));
    const NodeId too_small = ir.binary(Op::bit_or, ir.binary(Op::le, moved, fill(ir, e, 0)),
                                       ir.binary(Op::eq, field, fill(ir, e, 0)));
    const NodeId too_large = ir.binary(Op::ge, moved, fill(ir, e, layout.special));
    const NodeId infinite = bit_or(ir, sign_bit, layout.bits(layout.infinity));
    const NodeId result = ir.select(ir.select(in_range, infinite, too_large), sign_bit, too_small);
    return ir.select(ir.bitcast(layout.scalar, result), e,
                     ir.binary(Op::eq, field, fill(ir, e, layout.special)));
}

}  // namespace muster::builtins
