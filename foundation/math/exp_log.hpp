// exp_log.hpp - exp, exp2, log, log2, and the logarithm's core, which the inverse hyperbolic functions share.
//
// Coefficients here and in the other files of this folder come from Sollya's fpminimax: relative error,
// coefficients of the Number's format, on the interval stated in the comment beside them, followed by the
// greatest relative error found there, for f32 and for f64.
#pragma once

#include <muster/foundation/math/number.hpp>

namespace muster::math {

template <class F>
inline constexpr Literal<F> log2_e = literal<F>(0x1.715476p0f, 0x1.71547652b82fep0);
/// ln 2 as two numbers: the first has 14 bits (f64: 38), so that its product with an exponent is exact.
template <class F>
inline constexpr Literal<F> ln2_high = literal<F>(0x1.62e8p-1f, 0x1.62e42fefa4p-1);
template <class F>
inline constexpr Literal<F> ln2_low = literal<F>(-0x1.e8082ep-16f, -0x1.8432a1b0e2634p-43);
template <class F>
inline constexpr Literal<F> ln2 = literal<F>(0x1.62e43p-1f, 0x1.62e42fefa39efp-1);

/// r with x = n*ln 2 + r, |r| <= ln(2)/2.
template <Number F>
F minus_multiple_of_ln2(F x, F n) {
    return (x - n * ln2_high<F>)-n * ln2_low<F>;
}

/// q(r) of e^r = 1 + r + r^2 q for |r| <= 0.3476.
template <Number F>
F expm1_rest(F r) {
    // exp on [-0.3476, 0.3476]: 2^-28.2, 2^-57.8
    if constexpr (is_double<F>)
        return polynomial(r, 0x1.000000000000ap-1, 0x1.55555555554f9p-3, 0x1.5555555550619p-5,
                          0x1.1111111127d03p-7, 0x1.6c16c184af5e5p-10, 0x1.a01a012ab39c1p-13,
                          0x1.a019989f9ffadp-16, 0x1.71df22c9b6fc7p-19, 0x1.28aec8908fbb1p-22,
                          0x1.ad86418a42508p-26);
    else
        return polynomial(r, 0x1.fffffap-2f, 0x1.55549p-3f, 0x1.555a22p-5f, 0x1.123b1p-7f, 0x1.69546ap-10f);
}

/// +infinity from 88.72284 on; subnormal below -87.33654, zero below -103.97. In f64: from 709.7828,
/// below -708.3965, -745.14.
template <Number F>
F exp(F x) {
    constexpr Literal<F> least = literal<F>(-104.0f, -746.0), greatest = literal<F>(89.0f, 710.0);
    x = select(x, least, x < least);
    x = select(x, greatest, x > greatest);
    const Whole<F> n = to_whole(x * log2_e<F>);
    const F r = minus_multiple_of_ln2(x, n.value);
    const F rest = (r * r) * expm1_rest(r);
    if constexpr (is_double<F>)
        return times_power_of_two(sum(1.0, r, rest), n.bits);
    else
        return times_power_of_two((rest + r) + 1.0f, n.bits);
}

/// q(f) of 2^f = 1 + f*ln2 + f^2 q for |f| <= 0.51.
template <Number F>
F exp2_rest(F f) {
    // 2^x on [-0.51, 0.51]: 2^-27.6, 2^-57.5
    if constexpr (is_double<F>)
        return polynomial(f, 0x1.ebfbdff82c5a5p-3, 0x1.c6b08d704a02bp-5, 0x1.3b2ab6fb9fb88p-7,
                          0x1.5d87fe78c8718p-10, 0x1.4309131070f18p-13, 0x1.ffcbfbb56f001p-17,
                          0x1.62bfc2bbcbbdp-20, 0x1.b52669f8de2f9p-24, 0x1.e624e63b4437ap-28,
                          0x1.e7bbf4020ece9p-32);
    else
        return polynomial(f, 0x1.ebfbep-3f, 0x1.c6af62p-5f, 0x1.3b2a36p-7f, 0x1.5f19eep-10f, 0x1.4439fap-13f);
}

/// +infinity from 128 on; subnormal below -126, zero from -150 down. In f64: 1024, -1022,
/// -1075. Exact for integer x.
template <Number F>
F exp2(F x) {
    constexpr Literal<F> least = literal<F>(-151.0f, -1076.0), greatest = literal<F>(129.0f, 1025.0);
    x = select(x, least, x < least);
    x = select(x, greatest, x > greatest);
    const Whole<F> n = to_whole(x);
    const F f = x - n.value;
    return times_power_of_two(sum(1.0f, f * ln2<F>, (f * f) * exp2_rest(f)), n.bits);
}

/// The number whose significand is `fraction` above `lowest`: in [l, 2l), where `lowest` has the bits of l.
template <Number F>
F significand(Bits<F> bits, Word<F> lowest) {
    return float_of((bits & Format<F>::fraction) + lowest);
}
/// The exponent's bits, of a number whose sign is +.
template <Number F>
Bits<F> biased_exponent(Bits<F> bits) {
    return bits >> Format<F>::fraction_bits;
}
/// 2^fraction_bits + a biased exponent.
template <Number F>
F raised_exponent(Bits<F> biased) {
    return float_of(biased | Format<F>::bits_of_integers_from);
}
/// The amount by which raised_exponent() is above the exponent.
template <class F>
inline constexpr Literal<F> exponent_raise = Format<F>::integers_from +
                                             static_cast<Literal<F>>(Format<F>::bias);

/// A positive finite number as m * 2^exponent.
template <Number F>
struct Split {
    F m;         // lowest <= m < 2*lowest
    F exponent;  // an integer
};
/// Splits x; `lowest` has the bits of the least m. Zero, negative numbers, infinities and NaN give an
/// unspecified finite m and exponent.
template <Number F>
Split<F> split(F x, Word<F> lowest) {
    constexpr Literal<F> more = literal<F>(24.0f, 54.0);
    const auto subnormal = x < literal<F>(0x1p-126f, 0x1p-1022);
    const F normal = select(x, x * literal<F>(0x1p24f, 0x1p54), subnormal);
    const Bits<F> bits = bits_of(normal) + (Format<F>::one - lowest);
    const F raise = choose<F>(exponent_raise<F>, exponent_raise<F> + more, subnormal);
    return {significand<F>(bits, lowest), raised_exponent<F>(biased_exponent<F>(bits)) - raise};
}
template <class F>
inline constexpr Word<F> bits_of_two_thirds = is_double<F> ? Word<F>(0x3fe5555555555555u)
                                                           : Word<F>(0x3f2aaaabu);

/// p(z) of 2 artanh s = 2s + s^3 p(s^2) for |s| <= 0.2, in f64.
template <Number F>
F log_quotient_rest(F z) {
    // 2 artanh on [0, 0.2]: 2^-55.9
    return polynomial(z, 0x1.5555555555777p-1, 0x1.99999998f0626p-2, 0x1.249249b26f469p-2,
                      0x1.c71c012e18e52p-3, 0x1.7474ec1cca4cep-3, 0x1.38520f4dcc57bp-3, 0x1.3ac489bcbdb9fp-3);
}

/// log(1 + f) - f + e*ln2_low for f in [-1/3, 1/3] and an integer e. In f64 with log(1 + f) = f - f^2/2 + s
/// (f^2/2 + s^2 p), where s = f/(2 + f).
template <Number F>
F log_rest(F f, F e) {
    const F square = f * f;
    if constexpr (is_double<F>) {
        const F half_square = square * 0.5f;
        const F s = f / (f + 2.0f);
        const F z = s * s;
        return (s * (z * log_quotient_rest(z) + half_square) + e * ln2_low<F>)-half_square;
    } else {
        // log(1 + x) on [-1/3, 1/3], as x - x^2/2 + x^3 p: 2^-27.7
        const F p = polynomial(f, 0x1.555506p-2f, -0x1.fffefp-3f, 0x1.99d05ep-3f, -0x1.559de4p-3f,
                               0x1.1ed424p-3f, -0x1.f30e36p-4f, 0x1.1e73ap-3f, -0x1.080c9ep-3f);
        return ((square * f) * p + e * ln2_low<F>)-square * 0.5f;
    }
}

/// `result` if x is positive and finite, else the logarithm's special value: log(+-0) =
/// -infinity, log(x < 0) = NaN.
template <Number F>
F or_special_logarithm(F result, F x) {
    result = select(x, result, x < infinity);
    result = select(result, -infinity, x == 0.0f);
    return select(result, not_a_number, x < 0.0f);
}

template <Number F>
F log(F x) {
    const Split<F> parts = split(x, bits_of_two_thirds<F>);
    const F f = parts.m - 1.0f;
    return or_special_logarithm(sum(parts.exponent * ln2_high<F>, f, log_rest(f, parts.exponent)), x);
}

/// q of log2(1 + f) = f/ln(2) + f^2 q for f in [-1/3, 1/3].
template <Number F>
F log2_rest(F f) {
    if constexpr (is_double<F>) {
        const F inverse = 1.0f / (f + 2.0f);
        const F s = f * inverse;
        return (s * ((inverse * inverse) * log_quotient_rest(s * s) + 0.5f) - 0.5f) * log2_e<F>;
    } else {
        // log2(1 + x) on [-1/3, 1/3], as x/ln(2) + x^2 q: 2^-27.5
        return polynomial(f, -0x1.715476p-1f, 0x1.ec7024p-2f, -0x1.715404p-2f, 0x1.279f9p-2f, -0x1.ecc50ap-3f,
                          0x1.9dab04p-3f, -0x1.68ea1p-3f, 0x1.9ddbc2p-3f, -0x1.795a28p-3f);
    }
}

/// Exact for powers of two.
template <Number F>
F log2(F x) {
    // log2(e), its upper half and the rest
    constexpr Literal<F> slope_upper = literal<F>(0x1.716p0f, 0x1.715476p0);
    constexpr Literal<F> slope_lower = literal<F>(-0x1.7135a8p-13f, 0x1.4ae0bf85ddf44p-26);
    const Split<F> parts = split(x, bits_of_two_thirds<F>);
    const F f = parts.m - 1.0f;
    const F q = log2_rest(f);
    const F upper = upper_half(f);
    const F lower = f - upper;
    const F low = (f * slope_lower + lower * slope_upper) + (lower * (f + upper)) * q;
    return or_special_logarithm(sum(parts.exponent, upper * slope_upper, low, (upper * upper) * q), x);
}

}  // namespace muster::math
