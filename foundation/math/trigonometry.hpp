// trigonometry.hpp - sin, cos, tan, for every float. Infinities and NaN give NaN.
#pragma once

#include <array>
#include <cstddef>

#include <muster/foundation/math/bits.hpp>

namespace muster::math {

/// |x| = quarter*pi/2 + rest + low, with |rest| at most slightly above pi/4.
template <Number F>
struct Reduced {
    F rest, low;
    Bits<F> quarter;  // only the low two bits count
};

/// 96 successive bits of a number.
template <class B>
struct Window {
    B first, second, third;
};
/// The bits of 2^(8 + shift)/(2 pi) from the one worth 2^31 on, for a shift in [0, 127].
template <class B>
Window<B> inverse_of_two_pi(B shift) {
    const auto by_64 = (shift & 64u) != 0u, by_32 = (shift & 32u) != 0u;
    constexpr std::array<std::uint32_t, 7> bits{0x00000028u, 0xbe60db93u, 0x91054a7fu, 0x09d5f47du,
                                                0x4d377036u, 0xd8a5664fu, 0x10e4107fu};  // of 256/(2 pi)
    const auto even = [&](std::size_t i) -> B { return select(bits[i], bits[i + 2], by_64); };
    const std::array<B, 5> words{even(0), even(1), even(2), even(3), even(4)};
    const B rest = shift ^ 31u;  // 31 - shift, modulo 32
    const auto word = [&](std::size_t i) { return select(words[i], words[i + 1], by_32); };
    const B a = word(0), b = word(1), c = word(2), d = word(3);
    const auto aligned = [&](B upper, B lower) {
        return shift_left(upper, shift) | shift_right(lower >> 1u, rest);
    };
    return {aligned(a, b), aligned(b, c), aligned(c, d)};
}

/// Payne and Hanek's reduction: |x| / (2 pi) modulo 1 as an integer in units of 2^-32 turns and a fraction, from the 80
/// bits of 1/(2 pi) whose products with x's significand m count: higher ones give whole turns. No float from pi/4 on is
/// nearer to a multiple of pi/2 than 1.1 units, so that 24 bits of the fraction are enough. Below pi/4, m is taken as 0.
template <Number F>
Reduced<F> reduce(F x) {
    using B = Bits<F>;
    const F magnitude = abs(x);
    const auto small = magnitude < 0x1.921fb6p-1f;
    const B bits = bits_of(magnitude);
    const B exponent = (bits >> 23u) - 126u;  // 0 to 128, unless small
    const B top = exponent >> 7u;             // 1 for 128
    const B significand = shift_left(select((bits & 0x007fffffu) | implicit_bit, 0u, small), top);
    const Window<B> window = inverse_of_two_pi(exponent - top);

    // The second word as 12 + 12 + 8 bits, m as 12 + 12, so that products are exact.
    const B m_upper = significand >> 12u, m_lower = significand & 0xfffu;
    const B w_upper = window.second >> 20u, w_lower = (window.second >> 8u) & 0xfffu;
    const B middle = m_upper * w_lower + m_lower * w_upper;
    const B units = (significand * window.first + m_upper * w_upper) + (middle >> 12u);
    const F fraction = number_of_integer(((middle & 0xfffu) << 12u) + m_lower * w_lower) * 0x1p-24f;
    const F third = number_of_integer(((window.second & 0xffu) << 16u) | (window.third >> 16u));
    const F fractions = number_of_integer(significand) * (third * 0x1p-48f) + fraction;

    const B quarter = (units + (1u << 29u)) >> 30u;
    const B rest = units - (quarter << 30u);
    const F high = number_of_integer(rest);
    const F low = number_of_integer(rest - integer_of_number(high)) + fractions;

    constexpr float unit = 0x1.921fb6p-30f;  // 2 pi / 2^32; the same as 12 bits and the rest
    constexpr float unit_upper = 0x1.922p-30f, unit_lower = -0x1.2aeef4p-48f;
    const F high_upper = upper_half(high);
    const F large_part = high_upper * unit_upper;
    const F small_part = (high - high_upper) * unit_upper + (high * unit_lower + low * unit);
    const F angle = large_part + small_part;
    const F angle_low = (large_part - angle) + small_part;
    return {select(angle, magnitude, small), angle_low + magnitude * 0.0f, quarter};  // NaN for infinity
}

/// sin(r + low) and cos(r + low) for |r| <= pi/4; `square` is r*r.
template <Number F>
F sin_core(F r, F low, F square) {
    // sin on [0, 0.7866]: 2^-27.9
    const F p = polynomial(square, -0x1.555546p-3f, 0x1.110774p-7f, -0x1.9951d2p-13f);
    return ((r * square) * p + low) + r;
}
template <Number F>
F cos_core(F r, F low, F square) {
    // cos on [-0.7866, 0.7866]: 2^-33
    const F p = polynomial(square, 0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e806p-16f);
    return sum(1.0f, square * -0.5f, (square * square) * p - r * low);
}

/// `magnitude` with the sign turned if the highest bit of `turned` is set.
template <Number F>
F turned(F magnitude, Bits<F> turned) {
    return float_of(bits_of(magnitude) ^ (turned & sign_bit));
}

template <Number F>
F sin(F x) {
    const Reduced<F> r = reduce(x);
    const F square = r.rest * r.rest;
    const F result =
        select(sin_core(r.rest, r.low, square), cos_core(r.rest, r.low, square), (r.quarter & 1u) != 0u);
    return turned(result, (r.quarter << 30u) ^ bits_of(x));
}

template <Number F>
F cos(F x) {
    const Reduced<F> r = reduce(x);
    const F square = r.rest * r.rest;
    const F result =
        select(cos_core(r.rest, r.low, square), sin_core(r.rest, r.low, square), (r.quarter & 1u) != 0u);
    return turned(result, (r.quarter + 1u) << 30u);
}

/// tan r = 2t/(1 - t^2) with t = tan(r/2), or minus its reciprocal for odd quarters: one division of pairs.
template <Number F>
F tan(F x) {
    const Reduced<F> r = reduce(x);
    const F half = r.rest * 0.5f, half_low = r.low * 0.5f;
    const F square = half * half;
    // tan on [0, 0.394]: 2^-28.8
    const F p = polynomial(square, 0x1.55553ap-2f, 0x1.111e8cp-3f, 0x1.b60962p-5f, 0x1.a30efp-6f);
    const F tail = square * (half * p + half_low) + half_low;
    const F t = half + tail;
    const F t_low = (half - t) + tail;
    const F t_square = t * t;
    const Pair<F> s{t * 2.0f, t_low * 2.0f};
    const F c = 1.0f - t_square;
    const F c_low = ((1.0f - c) - t_square) - s.high * t_low;
    const auto odd = (r.quarter & 1u) != 0u;
    const Pair<F> result = quotient(Pair<F>{select(s.high, -c, odd), select(s.low, -c_low, odd)},
                                    Pair<F>{select(c, s.high, odd), select(c_low, s.low, odd)});
    const F magnitude = abs(x);
    return turned(select(result.high + result.low, magnitude, magnitude < 0x1p-12f), bits_of(x));
}

}  // namespace muster::math
