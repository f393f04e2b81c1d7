// exp_log.hpp - exp, exp2, log, log2, and the logarithm's core, which the inverse hyperbolic functions share.
//
// Coefficients here and in the other files of this folder come from Sollya's fpminimax: relative error,
// single-precision coefficients, on the interval stated in the comment beside them, followed by the greatest
// relative error found there.
#pragma once

#include <muster/foundation/math/number.hpp>

namespace muster::math {

inline constexpr float log2_e = 0x1.715476p0f;
inline constexpr float ln2_high = 0x1.62e8p-1f;  // 14 bits: times an integer of up to 10 bits, exact
inline constexpr float ln2_low = -0x1.e8082ep-16f;

/// r with x = n*ln 2 + r, |r| <= ln(2)/2.
template <Number F>
F minus_multiple_of_ln2(F x, F n) {
    return (x - n * ln2_high) - n * ln2_low;
}

/// q(r) of e^r = 1 + r + r^2 q for |r| <= 0.3476.
template <Number F>
F expm1_rest(F r) {
    // exp on [-0.3476, 0.3476]: 2^-28.2
    return polynomial(r, 0x1.fffffap-2f, 0x1.55549p-3f, 0x1.555a22p-5f, 0x1.123b1p-7f, 0x1.69546ap-10f);
}

/// +infinity from 88.72284 on; subnormal below -87.33654, zero below -103.97.
template <Number F>
F exp(F x) {
    x = select(x, -104.0f, x < -104.0f);
    x = select(x, 89.0f, x > 89.0f);
    const Whole<F> n = to_whole(x * log2_e);
    const F r = minus_multiple_of_ln2(x, n.value);
    return times_power_of_two(((r * r) * expm1_rest(r) + r) + 1.0f, n.bits);
}

inline constexpr float ln2 = 0x1.62e43p-1f;

/// q(f) of 2^f = 1 + f*ln2 + f^2 q for |f| <= 0.51.
template <Number F>
F exp2_rest(F f) {
    // 2^x on [-0.51, 0.51]: 2^-27.6
    return polynomial(f, 0x1.ebfbep-3f, 0x1.c6af62p-5f, 0x1.3b2a36p-7f, 0x1.5f19eep-10f, 0x1.4439fap-13f);
}

/// +infinity from 128 on; subnormal below -126, zero from -150 down. Exact for integer x.
template <Number F>
F exp2(F x) {
    x = select(x, -151.0f, x < -151.0f);
    x = select(x, 129.0f, x > 129.0f);
    const Whole<F> n = to_whole(x);
    const F f = x - n.value;
    return times_power_of_two(sum(1.0f, f * ln2, (f * f) * exp2_rest(f)), n.bits);
}

/// A positive finite number as m * 2^exponent.
template <Number F>
struct Split {
    F m;         // lowest <= m < 2*lowest
    F exponent;  // an integer
};
/// Splits x; `lowest_bits` are the bits of the least m. Zero, negative numbers, infinities and NaN give an
/// unspecified finite m and exponent.
template <Number F>
Split<F> split(F x, std::uint32_t lowest_bits) {
    const auto subnormal = x < 0x1p-126f;
    const Bits<F> bits = bits_of(select(x, x * 0x1p24f, subnormal)) + (bits_of_one - lowest_bits);
    const F biased = float_of((bits >> 23u) | 0x4b000000u);  // 2^23 + exponent + 127
    const F exponent = biased - select(0x1p23f + 127.0f, 0x1p23f + 151.0f, subnormal);
    return {float_of((bits & 0x007fffffu) + lowest_bits), exponent};
}
inline constexpr std::uint32_t bits_of_two_thirds = 0x3f2aaaabu;

/// log(1 + f) - f + e*ln2_low for f in [-1/3, 1/3] and an integer e.
template <Number F>
F log_rest(F f, F e) {
    // log(1 + x) on [-1/3, 1/3], as x - x^2/2 + x^3 p: 2^-27.7
    const F p = polynomial(f, 0x1.555506p-2f, -0x1.fffefp-3f, 0x1.99d05ep-3f, -0x1.559de4p-3f, 0x1.1ed424p-3f,
                           -0x1.f30e36p-4f, 0x1.1e73ap-3f, -0x1.080c9ep-3f);
    const F square = f * f;
    return ((square * f) * p + e * ln2_low) - square * 0.5f;
}

/// `result` if x is positive and finite, else the logarithm's special value: log(+-0) = -infinity, log(x < 0) =
/// NaN.
template <Number F>
F or_special_logarithm(F result, F x) {
    result = select(x, result, x < infinity);
    result = select(result, -infinity, x == 0.0f);
    return select(result, not_a_number, x < 0.0f);
}

template <Number F>
F log(F x) {
    const Split<F> parts = split(x, bits_of_two_thirds);
    const F f = parts.m - 1.0f;
    return or_special_logarithm(sum(parts.exponent * ln2_high, f, log_rest(f, parts.exponent)), x);
}

/// Exact for powers of two.
template <Number F>
F log2(F x) {
    constexpr float slope_upper = 0x1.716p0f,
                    slope_lower = -0x1.7135a8p-13f;  // of log2(e), 12 bits and the rest
    const Split<F> parts = split(x, bits_of_two_thirds);
    const F f = parts.m - 1.0f;
    // log2(1 + x) on [-1/3, 1/3], as x/ln(2) + x^2 q: 2^-27.5
    const F q = polynomial(f, -0x1.715476p-1f, 0x1.ec7024p-2f, -0x1.715404p-2f, 0x1.279f9p-2f,
                           -0x1.ecc50ap-3f, 0x1.9dab04p-3f, -0x1.68ea1p-3f, 0x1.9ddbc2p-3f, -0x1.795a28p-3f);
    const F upper = upper_half(f);
    const F lower = f - upper;
    const F low = (f * slope_lower + lower * slope_upper) + (lower * (f + upper)) * q;
    return or_special_logarithm(sum(parts.exponent, upper * slope_upper, low, (upper * upper) * q), x);
}

}  // namespace muster::math
