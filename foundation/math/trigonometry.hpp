// trigonometry.hpp - sin, cos, tan, for every float. Infinities and NaN give NaN.
#pragma once

#include <array>
#include <cstddef>

#include <muster/foundation/math/bits.hpp>
#include <muster/foundation/math/inverse_trigonometry.hpp>

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

/// The angle of a number of units, whose sum with `low` is exact: `high` is an integer.
template <Number F>
Pair<F> angle_of_units(F high, F low) {
    // 2 pi / 2^32, or / 2^64; the same as an upper half and the rest
    constexpr Literal<F> unit = literal<F>(0x1.921fb6p-30f, 0x1.921fb54442d18p-62);
    constexpr Literal<F> unit_upper = literal<F>(0x1.922p-30f, 0x1.921fb5p-62);
    constexpr Literal<F> unit_lower = literal<F>(-0x1.2aeef4p-48f, 0x1.110b4611a6263p-88);
    const F high_upper = upper_half(high);
    const F large_part = high_upper * unit_upper;
    const F small_part = (high - high_upper) * unit_upper + (high * unit_lower + low * unit);
    const F angle = large_part + small_part;
    return {angle, (large_part - angle) + small_part};
}

/// Payne and Hanek's reduction: |x| / (2 pi) modulo 1 as an integer in units of 2^-32 turns and a fraction,
/// from the 80 bits of 1/(2 pi) whose products with x's significand m count: higher ones give whole turns. No
/// float from pi/4 on is nearer to a multiple of pi/2 than 1.1 units, so that 24 bits of the fraction are
/// enough. Below pi/4, m is taken as 0.
template <Number F>
Reduced<F> reduce_single(F x) {
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

    const Pair<F> angle = angle_of_units(high, low);
    return {select(angle.high, magnitude, small), angle.low + magnitude * 0.0f, quarter};  // NaN for infinity
}

/// 192 bits of 2^(e + 139)/(2 pi) modulo 2^192, for e in [0, 1023].
template <class B>
Window<B> inverse_of_two_pi_in_double(B e) {
    using W = std::uint64_t;
    constexpr std::array<W, 19> bits{
        0x0000000000000145u, 0xf306dc9c882a53f8u, 0x4eafa3ea69bb81b6u, 0xc52b3278872083fcu,
        0xa2c757bd778ac36eu, 0x48dc74849ba5c00cu, 0x925dd413a32439fcu, 0x3bd63962534e7dd1u,
        0x046bea5d768909d3u, 0x38e04d68befc8273u, 0x23ac7306a673e939u, 0x08bf177bf250763fu,
        0xf12fffbc0b301fdeu, 0x5e2316b414da3edau, 0x6cfd9e4f96136e9eu, 0x8c7ecd3cbfd45aeau,
        0x4f758fd7cbe2f67au, 0x0e73ef14a525d4d7u, 0xf6bf623f1aba10acu};
    const auto by = [&](W words) { return (e & (words * 64)) != W{0}; };
    const auto first = [&](std::size_t i) -> B { return select(bits[i], bits[i + 8], by(8)); };
    const std::array<B, 11> a{first(0), first(1), first(2), first(3), first(4), first(5),
                              first(6), first(7), first(8), first(9), first(10)};
    const auto second = [&](std::size_t i) -> B { return select(a[i], a[i + 4], by(4)); };
    const std::array<B, 7> b{second(0), second(1), second(2), second(3), second(4), second(5), second(6)};
    const auto third = [&](std::size_t i) -> B { return select(b[i], b[i + 2], by(2)); };
    const std::array<B, 5> c{third(0), third(1), third(2), third(3), third(4)};
    const auto word = [&](std::size_t i) -> B { return select(c[i], c[i + 1], by(1)); };
    const B d0 = word(0), d1 = word(1), d2 = word(2), d3 = word(3);
    const B rest = e ^ W { 63 };  // 63 - e, modulo 64
    const auto aligned = [&](B upper, B lower) {
        return shift_left(upper, e) | shift_right(lower >> 1u, rest);
    };
    return {aligned(d0, d1), aligned(d1, d2), aligned(d2, d3)};
}

/// The upper 64 bits of a product; a has at most 54 bits.
template <class B>
B upper_product(B a, B b) {
    constexpr std::uint64_t low_half = 0xffffffffu;
    const B a_upper = a >> 32u, a_lower = a & low_half;
    const B b_upper = b >> 32u, b_lower = b & low_half;
    const B middle = ((a_lower * b_lower) >> 32u) + a_upper * b_lower;
    const B other = a_lower * b_upper + (middle & low_half);
    return (a_upper * b_upper + (middle >> 32u)) + (other >> 32u);
}

/// reduce_single() in f64: units of 2^-64 turns and 63 bits of a fraction, from 192 bits of 1/(2 pi). No
/// double from pi/4 on is nearer to a multiple of pi/2 than 1.2 units.
template <Number F>
Reduced<F> reduce_double(F x) {
    using B = Bits<F>;
    using W = std::uint64_t;
    const F magnitude = abs(x);
    const auto small = magnitude < quarter_pi<F>;
    const B bits = bits_of(magnitude);
    const B exponent = (bits >> 52u) - W{1022};  // 0 to 1024, unless small
    const B top = exponent >> 10u;               // 1 for 1024
    const B whole = (bits & Format<F>::fraction) | (Format<F>::fraction + 1);
    const B significand = shift_left(select(whole, W{0}, small), top);
    const Window<B> window = inverse_of_two_pi_in_double(exponent - top);

    const B lower = ((significand * window.second) >> 1u) + (upper_product(significand, window.third) >> 1u);
    const B units = (significand * window.first + upper_product(significand, window.second)) + (lower >> 63u);
    const F fraction = number_of_integer(lower & (Format<F>::sign - 1)) * 0x1p-63;

    const B quarter = (units + (W{1} << 61)) >> 62u;
    const B rest = units - (quarter << 62u);
    const F high = number_of_integer(rest);
    const F low = number_of_integer(rest - integer_of_number(high)) + fraction;
    const Pair<F> angle = angle_of_units(high, low);
    return {select(angle.high, magnitude, small), angle.low + magnitude * 0.0f, quarter};  // NaN for infinity
}

template <Number F>
Reduced<F> reduce(F x) {
    if constexpr (is_double<F>)
        return reduce_double(x);
    else
        return reduce_single(x);
}

/// sin(r + low) and cos(r + low) for |r| <= pi/4; `square` is r*r.
template <Number F>
F sin_core(F r, F low, F square) {
    // sin on [0, 0.7866]: 2^-27.9, 2^-57.9
    const F p = [&] {
        if constexpr (is_double<F>)
            return polynomial(square, -0x1.5555555555548p-3, 0x1.111111110f742p-7, -0x1.a01a019becba9p-13,
                              0x1.71de355919c12p-19, -0x1.ae5e4f13006f9p-26, 0x1.5d8c7a5390738p-33);
        else
            return polynomial(square, -0x1.555546p-3f, 0x1.110774p-7f, -0x1.9951d2p-13f);
    }();
    return ((r * square) * p + low) + r;
}
template <Number F>
F cos_core(F r, F low, F square) {
    // cos on [-0.7866, 0.7866]: 2^-33, 2^-63.8
    const F p = [&] {
        if constexpr (is_double<F>)
            return polynomial(square, 0x1.555555555554bp-5, -0x1.6c16c16c15001p-10, 0x1.a01a019c8bba4p-16,
                              -0x1.27e4f7ee42405p-22, 0x1.1ee9d916b20e9p-29, -0x1.8fa4e6f52db59p-37);
        else
            return polynomial(square, 0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e806p-16f);
    }();
    return sum(1.0f, square * -0.5f, (square * square) * p - r * low);
}

/// The shift that moves bit 1 of the quarter to the sign's place.
template <class F>
inline constexpr std::uint32_t to_sign = is_double<F> ? 62 : 30;

/// `magnitude` with the sign turned if the highest bit of `turned` is set.
template <Number F>
F turned(F magnitude, Bits<F> turned) {
    return float_of(bits_of(magnitude) ^ (turned & Format<F>::sign));
}

template <Number F>
F sin(F x) {
    const Reduced<F> r = reduce(x);
    const F square = r.rest * r.rest;
    const F result =
        select(sin_core(r.rest, r.low, square), cos_core(r.rest, r.low, square), (r.quarter & 1u) != 0u);
    return turned(result, (r.quarter << to_sign<F>)^bits_of(x));
}

template <Number F>
F cos(F x) {
    const Reduced<F> r = reduce(x);
    const F square = r.rest * r.rest;
    const F result =
        select(cos_core(r.rest, r.low, square), sin_core(r.rest, r.low, square), (r.quarter & 1u) != 0u);
    return turned(result, (r.quarter + 1u) << to_sign<F>);
}

/// tan r = 2t/(1 - t^2) with t = tan(r/2), or minus its reciprocal for odd quarters: one division of pairs.
template <Number F>
F tan(F x) {
    const Reduced<F> r = reduce(x);
    const F half = r.rest * 0.5f, half_low = r.low * 0.5f;
    const F square = half * half;
    // tan on [0, 0.394]: 2^-28.8, 2^-58.6
    const F p = [&] {
        if constexpr (is_double<F>)
            return polynomial(square, 0x1.5555555555576p-2, 0x1.111111110cf54p-3, 0x1.ba1ba1bfcbfb4p-5,
                              0x1.664f469537468p-6, 0x1.226e93c3d2065p-7, 0x1.d6be15fcaec0ap-9,
                              0x1.7f2b6c952d8cap-10, 0x1.24e5baa56d68cp-11, 0x1.597173c67e8dfp-12);
        else
            return polynomial(square, 0x1.55553ap-2f, 0x1.111e8cp-3f, 0x1.b60962p-5f, 0x1.a30efp-6f);
    }();
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
    return turned(select(result.high + result.low, magnitude, magnitude < literal<F>(0x1p-12f, 0x1p-27)),
                  bits_of(x));
}

}  // namespace muster::math
