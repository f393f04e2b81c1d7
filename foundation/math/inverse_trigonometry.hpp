// inverse_trigonometry.hpp - asin, acos, atan, atan2.
#pragma once

#include <muster/foundation/math/number.hpp>

namespace muster::math {

inline constexpr float half_pi = 0x1.921fb6p0f;
inline constexpr float pi = 0x1.921fb6p1f;
inline constexpr float pi_low_part = -0x1.777a5cp-24f / pi;  // (true pi - pi) / pi

/// axis + factor*arctan(smaller/larger), where 0 <= smaller <= larger and axis is 0, pi/2 or pi. For quotients above 1/2,
/// `diagonal` + factor*arctan((smaller - larger)/(smaller + larger)), where diagonal + diagonal_low is axis +- pi/4.
template <Number F, class G>
F angle(F smaller, F larger, F factor, F axis, G diagonal, G diagonal_low) {
    const auto middle = smaller > larger * 0.5f;
    const F difference = smaller - larger;  // exact where it counts
    const F both_sides = larger + smaller;
    const F lost = smaller - (both_sides - larger);
    const F dividend = select(smaller, difference, middle) * factor;
    const Pair<F> divisor{select(larger, both_sides, middle), select(0.0f, lost, middle)};
    const Pair<F> t = normalised(quotient(dividend, divisor));
    const F square = t.high * t.high;
    // arctan on [0, 0.5]: 2^-27.4
    const F p =
        polynomial(square, -0x1.555512p-2f, 0x1.997b1ep-3f, -0x1.224ba2p-3f, 0x1.a01416p-4f, -0x1.a43b3p-5f);
    const F start_low = select(axis * pi_low_part, diagonal_low, middle);
    return sum(select(axis, diagonal, middle), t.high, t.low + start_low, (t.high * square) * p);
}

template <Number F>
F atan(F x) {
    const F magnitude = abs(x);
    const auto steep = magnitude > 1.0f;
    const F finite = select(magnitude, 0x1p60f, magnitude > 0x1p60f);
    const F larger = select(1.0f, finite, steep), smaller = select(finite, 1.0f, steep);
    const F factor = select(1.0f, -1.0f, steep), axis = select(0.0f, half_pi, steep);
    const F result = angle(smaller, larger, factor, axis, half_pi / 2, half_pi / 2 * pi_low_part);
    return with_sign_of(select(result, magnitude, magnitude < 0x1p-12f), x);
}

/// As C's atan2: the signs of zeros choose the side; infinite coordinates count as a diagonal or an axis. The angle is
/// taken from the axis that is nearer.
template <Number F>
F atan2(F y, F x) {
    const F rise = abs(y);
    const F run = abs(x);
    const auto steep = rise > run;
    const F larger = select(run, rise, steep);
    const F smaller = select(rise, run, steep);
    // Infinities and zeros, whose quotients are NaN, are on a diagonal or on an axis; NaN stays.
    const auto diagonal = both(rise == run, larger > 0.0f);
    const auto special = either(larger == infinity, larger == 0.0f);
    // Powers of two that keep the quotient's parts normal; `raised` is taken back at the end.
    const F scale = select(select(0x1p64f, 0x1p127f, larger < 0x1p-57f), 0x1p-30f, larger > 0x1p35f);
    const F divisor = select(larger * scale, 1.0f, special);
    const F dividend = select(smaller * scale, select(smaller * 0.0f, 1.0f, diagonal), special);
    const auto tiny = dividend < divisor * 0x1p-80f;
    const F raised = select(1.0f, 0x1p60f, tiny);

    const auto behind = bits_of(x) >= sign_bit;
    const F factor = select(raised, -raised, differ(steep, behind));
    const F axis = select(select(0.0f, pi, behind), half_pi, steep) * raised;
    constexpr float three_quarters = 0x1.2d97c8p1f, three_quarters_low = -0x1.99bc5cp-28f;  // of pi
    const F result = angle(dividend, divisor, factor, axis, F(select(half_pi / 2, three_quarters, behind)),
                           F(select(half_pi / 2 * pi_low_part, three_quarters_low, behind)));
    return with_sign_of(result * select(1.0f, 0x1p-60f, tiny), y);
}

/// arcsin s = s + s^3 p(s^2) for |s| <= 0.5: the second term, given s and its square.
template <Number F>
F arcsin_rest(F s, F square) {
    // arcsin on [0, 0.5001]: 2^-27.6
    const F p =
        polynomial(square, 0x1.5555c8p-3f, 0x1.3301fep-4f, 0x1.747cbep-5f, 0x1.8c30b4p-6f, 0x1.596a7ep-5f);
    return (s * square) * p;
}

/// arcsin of |x| up to 1/2, or above it of sqrt((1 - |x|)/2), with which arcsin |x| = pi/2 - 2 arcsin of it: as high + low.
template <Number F>
Pair<F> arcsin_part(F magnitude, decltype(magnitude > 0.5f) upper) {
    const F square = select(magnitude * magnitude, (1.0f - magnitude) * 0.5f, upper);
    const Pair<F> s = root(square, 0.0f);
    const F high = select(magnitude, s.high, upper);
    return {high, arcsin_rest(high, square) + select(0.0f, s.low, upper)};
}

/// NaN for |x| > 1.
template <Number F>
F asin(F x) {
    const F magnitude = abs(x);
    const auto upper = magnitude > 0.5f;
    const Pair<F> part = arcsin_part(magnitude, upper);
    const F start = select(0.0f, half_pi, upper), factor = select(1.0f, -2.0f, upper);
    const F result = sum(start, part.high * factor, part.low * factor + start * pi_low_part);
    return with_sign_of(result, x);
}

/// NaN for |x| > 1.
template <Number F>
F acos(F x) {
    const F magnitude = abs(x);
    const auto upper = magnitude > 0.5f;
    const auto negative = x < 0.0f;
    const Pair<F> part = arcsin_part(magnitude, upper);
    const F start = select(half_pi, select(0.0f, pi, negative), upper);
    const F unsigned_factor = select(-1.0f, 2.0f, upper);
    const F factor = select(unsigned_factor, -unsigned_factor, negative);
    return sum(start, part.high * factor, part.low * factor + start * pi_low_part);
}

}  // namespace muster::math
