// The product's 106 bits and c's 53 are aligned in 128 bits (two words) and summed exactly; bits that a long
// shift cuts off are kept as one sticky bit; then the sum is rounded. Zeros, infinities and NaN are selected
// at the end from the device's own a * b + c, which is exact for them.
#include <muster/foundation/build/builtins_detail.hpp>
#include <muster/foundation/expand/fused_double.hpp>

namespace muster {
namespace {

/// A u64, or a vector of them.
struct Bits {
    IrBuilder* ir;
    NodeId id;

    Bits literal(std::uint64_t value) const { return {ir, builtins::detail::fill(*ir, id, value)}; }
    Bits with(Op op, NodeId other) const { return {ir, ir->binary(op, id, other)}; }
    NodeId is(Op comparison, Bits other) const { return ir->binary(comparison, id, other.id); }
    NodeId is(Op comparison, std::uint64_t other) const { return is(comparison, literal(other)); }
};

Bits operator+(Bits a, Bits b) { return a.with(Op::add, b.id); }
Bits operator+(Bits a, std::uint64_t b) { return a + a.literal(b); }
Bits operator-(Bits a, Bits b) { return a.with(Op::sub, b.id); }
Bits operator-(Bits a, std::uint64_t b) { return a - a.literal(b); }
Bits operator-(std::uint64_t a, Bits b) { return b.literal(a) - b; }
Bits operator*(Bits a, Bits b) { return a.with(Op::mul, b.id); }
Bits operator&(Bits a, std::uint64_t b) { return a.with(Op::bit_and, a.literal(b).id); }
Bits operator|(Bits a, Bits b) { return a.with(Op::bit_or, b.id); }
Bits operator|(Bits a, std::uint64_t b) { return a | a.literal(b); }
Bits operator^(Bits a, Bits b) { return a.with(Op::bit_xor, b.id); }
Bits operator<<(Bits a, Bits count) { return a.with(Op::shift_left, a.ir->convert(Scalar::u32, count.id)); }
Bits operator<<(Bits a, std::uint32_t count) {
    return a.with(Op::shift_left, builtins::detail::fill(*a.ir, a.id, count));
}
Bits operator>>(Bits a, Bits count) { return a.with(Op::shift_right, a.ir->convert(Scalar::u32, count.id)); }
Bits operator>>(Bits a, std::uint32_t count) {
    return a.with(Op::shift_right, builtins::detail::fill(*a.ir, a.id, count));
}

Bits select(Bits if_false, Bits if_true, NodeId condition) {
    return {if_true.ir, if_true.ir->select(if_false.id, if_true.id, condition)};
}
Bits select(Bits if_false, std::uint64_t if_true, NodeId condition) {
    return select(if_false, if_false.literal(if_true), condition);
}
Bits one_if(Bits beside, NodeId condition) { return {beside.ir, beside.ir->convert(Scalar::u64, condition)}; }
Bits leading_zeros(Bits x) { return {x.ir, x.ir->unary(Op::count_leading_zeros, x.id)}; }

/// high * 2^64 + low.
struct Pair {
    Bits high, low;
};
Pair select(Pair if_false, Pair if_true, NodeId condition) {
    return {select(if_false.high, if_true.high, condition), select(if_false.low, if_true.low, condition)};
}

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63, implicit_bit = std::uint64_t{1} << 52;
constexpr std::uint64_t infinity = std::uint64_t{0x7ff} << 52;
/// Added to exponents, so that none is negative.
constexpr std::uint64_t offset = 8192;

/// A finite number that isn't zero: significand * 2^(exponent - 1075), where bit 52
/// of the significand is set.
struct Unpacked {
    Bits significand, exponent;
};
Unpacked unpack(Bits magnitude) {
    const Bits exponent = magnitude >> 52, fraction = magnitude & (implicit_bit - 1);
    const NodeId is_subnormal = exponent.is(Op::eq, 0);
    const Bits shift = leading_zeros(fraction) - 11;
    return {select(fraction | implicit_bit, fraction << shift, is_subnormal),
            select(exponent, 1 - shift, is_subnormal)};
}

/// The product of two significands, times 2^20: at most 126 bits.
Pair product(Bits a, Bits b) {
    const auto low = [](Bits x) { return x & UINT32_MAX; };
    const Bits lowest = low(a) * low(b);
    const Bits middle = low(a) * (b >> 32) + (a >> 32) * low(b) + (lowest >> 32);
    const Bits high = (a >> 32) * (b >> 32) + (middle >> 32), all_low = (middle << 32) | low(lowest);
    return {(high << 20) | (all_low >> 44), all_low << 20};
}

/// Shifts right by 0 to 127, and sets the result's last bit if any set bit was lost.
Pair shift_right_keeping_trace(Pair x, Bits count) {
    const NodeId is_far = count.is(Op::gt, 63);
    const Bits high = select(x.high, 0, is_far), low = select(x.low, x.high, is_far);
    const Bits rest = 63 - (count & 63);
    const Bits lost = ((low << 1) << rest) | select(x.low.literal(0), x.low, is_far);
    return {high >> count, (low >> count) | ((high << 1) << rest) | one_if(lost, lost.is(Op::ne, 0))};
}

/// x + y, or x - y if `opposite` is 1 and not 0, modulo 2^128.
Pair sum(Pair x, Pair y, Bits opposite) {
    const Bits flip = 0 - opposite;
    const Bits part = x.low + (y.low ^ flip), low = part + opposite;
    const Bits carry = one_if(low, part.is(Op::lt, x.low)) + one_if(low, low.is(Op::lt, opposite));
    return {x.high + (y.high ^ flip) + carry, low};
}

Pair magnitude(Pair x) {
    const Pair zero{x.high.literal(0), x.low.literal(0)};
    return select(x, sum(zero, x, x.high.literal(1)), x.high.is(Op::ge, sign_bit));
}

/// The bits of x * 2^(exponent - offset), rounded. x isn't zero.
Bits rounded(Pair x, Bits exponent) {
    const NodeId is_short = x.high.is(Op::eq, 0);
    const Bits high = select(x.high, x.low, is_short), low = select(x.low, 0, is_short);
    const Bits zeros = leading_zeros(high), lost = low << zeros;
    const Bits significand =
        (high << zeros) | ((low >> 1) >> (63 - zeros)) | one_if(lost, lost.is(Op::ne, 0));
    // The significand's first bit is now bit 63. Of a subnormal result, more bits are lost.
    const Bits biased = exponent + 1150 - zeros - (one_if(zeros, is_short) << 6);
    const NodeId is_subnormal = biased.is(Op::le, offset);
    const Bits missing = offset + 1 - biased;
    const Bits shift = select(missing.literal(0), select(missing, 63, missing.is(Op::gt, 63)), is_subnormal);
    const Bits cut = (significand << 1) << (63 - shift);
    const Bits kept = (significand >> shift) | one_if(cut, cut.is(Op::ne, 0));
    const Bits even = kept >> 11;
    const Bits up = one_if(even, ((kept & 0x7ff) + (even & 1)).is(Op::gt, 0x400));
    const Bits before = select(biased - (offset + 1), 0, is_subnormal) << 52;
    const Bits result = before + even + up;
    return select(result, infinity, result.is(Op::gt, infinity));
}

}  // namespace

NodeId fused_double(IrBuilder& ir, NodeId a, NodeId b, NodeId c) {
    const auto bits = [&](NodeId x) { return Bits{&ir, ir.bitcast(Scalar::u64, x)}; };
    const Bits a_bits = bits(a), b_bits = bits(b), c_bits = bits(c);
    const Bits a_size = a_bits & ~sign_bit, b_size = b_bits & ~sign_bit, c_size = c_bits & ~sign_bit;
    const Unpacked x = unpack(a_size), y = unpack(b_size), z = unpack(c_size);

    // Both with their exponents. Where c is 0, its exponent is so small that only products that
    // round to 0 are below it.
    const Pair xy = product(x.significand, y.significand);
    const Pair wide_z{z.significand << 8, z.significand.literal(0)};
    const Bits xy_exponent = x.exponent + y.exponent + (offset - 2170);
    const Bits z_exponent = z.exponent + (offset - 1147);

    // `first` has the greater exponent. A shift by more than 20 bits loses some, and then
    // the sum has at least 123.
    const NodeId z_first = z_exponent.is(Op::gt, xy_exponent);
    const Bits exponent = select(xy_exponent, z_exponent, z_first);
    const Bits apart = exponent - select(z_exponent, xy_exponent, z_first);
    const Bits distance = select(apart, 127, apart.is(Op::gt, 127));
    const Bits xy_sign = a_bits ^ b_bits;
    const Pair total =
        sum(select(xy, wide_z, z_first), shift_right_keeping_trace(select(wide_z, xy, z_first), distance),
            (xy_sign ^ c_bits) >> 63);
    const Pair size = magnitude(total);
    const Bits sign = (select(xy_sign, c_bits, z_first) ^ total.high) & sign_bit;
    // x - x gives +0.
    const Bits result = select(sign | rounded(size, exponent), 0, (size.high | size.low).is(Op::eq, 0));

    // True for zero, infinity and NaN: subtracting 1 wraps zero to the top.
    const auto is_special = [](Bits magnitude) { return (magnitude - 1).is(Op::ge, infinity - 1); };
    const NodeId special_product = ir.binary(Op::bit_or, is_special(a_size), is_special(b_size));
    const NodeId special = ir.binary(Op::bit_or, special_product, c_size.is(Op::ge, infinity));
    const NodeId zero = builtins::detail::number(ir, a, 0);
    const NodeId plain = ir.binary(Op::add, ir.select(zero, ir.binary(Op::mul, a, b), special_product), c);
    return ir.select(ir.bitcast(Scalar::f64, result.id), plain, special);
}

}  // namespace muster
