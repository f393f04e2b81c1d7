// inverse_trigonometry.hpp - asin, acos, atan, atan2.
#pragma once

#include <muster/foundation/math/number.hpp>

namespace muster::math {

template <class F>
inline constexpr Literal<F> pi = literal<F>(0x1.921fb6p1f, 0x1.921fb54442d18p1);
template <class F>
inline constexpr Literal<F> half_pi = pi<F> / 2;
template <class F>
inline constexpr Literal<F> quarter_pi = pi<F> / 4;
/// (true pi - pi) / pi.
template <class F>
inline constexpr Literal<F> pi_low_part = literal<F>(-0x1.777a5cp-24f, 0x1.1a62633145c07p-53) / pi<F>;

/// p(t^2) of arctan t = t + t^3 p for t in [0, 0.5].
template <Number F>
F arctan_rest(F square) {
    // arctan on [0, 0.5]: 2^-27.4, 2^-57.7
    if constexpr (is_double<F>)
        return polynomial(square, -0x1.5555555555516p-2, 0x1.9999999991142p-3, -0x1.249249215de3bp-3,
                          0x1.c71c7090e8ec7p-4, -0x1.745cf4cb39789p-4, 0x1.3b113dc14f3cdp-4,
                          -0x1.10f31f1dac3ebp-4, 0x1.dfe977c6dc21ep-5, -0x1.a39864e5a4c38p-5,
                          0x1.56f5c027c5b26p-5, -0x1.c17fb6ad5605p-6, 0x1.4b83dcb5d957ap-7);
    else
        return polynomial(square, -0x1.555512p-2f, 0x1.997b1ep-3f, -0x1.224ba2p-3f, 0x1.a01416p-4f,
                          -0x1.a43b3p-5f);
}

/// axis + factor*arctan(smaller/larger), where 0 <= smaller <= larger and axis is 0, pi/2 or pi. For
/// quotients above 1/2, `diagonal` + factor*arctan((smaller - larger)/(smaller + larger)), where diagonal +
/// diagonal_low is axis +- pi/4.
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
    const F start_low = select(axis * pi_low_part<F>, diagonal_low, middle);
    return sum(select(axis, diagonal, middle), t.high, t.low + start_low,
               (t.high * square) * arctan_rest(square));
}

template <Number F>
F atan(F x) {
    const F magnitude = abs(x);
    const auto steep = magnitude > 1.0f;
    const F finite = select(magnitude, 0x1p60f, magnitude > 0x1p60f);
    const F larger = select(1.0f, finite, steep), smaller = select(finite, 1.0f, steep);
    const F factor = choose<F>(1.0f, -1.0f, steep), axis = choose<F>(0.0f, half_pi<F>, steep);
    const F result = angle(smaller, larger, factor, axis, quarter_pi<F>, quarter_pi<F> * pi_low_part<F>);
    return with_sign_of(select(result, magnitude, magnitude < literal<F>(0x1p-12f, 0x1p-27)), x);
}

/// As C's atan2: the signs of zeros choose the side; infinite coordinates count as a diagonal or an axis. The
/// angle is taken from the axis that is nearer.
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
    const F upward = choose<F>(literal<F>(0x1p64f, 0x1p200), literal<F>(0x1p127f, 0x1p1000),
                               larger < literal<F>(0x1p-57f, 0x1p-500));
    const F scale = select(upward, literal<F>(0x1p-30f, 0x1p-300), larger > literal<F>(0x1p35f, 0x1p300));
    const F divisor = select(larger * scale, 1.0f, special);
    const F dividend = select(smaller * scale, select(smaller * 0.0f, 1.0f, diagonal), special);
    const auto tiny = dividend < divisor * literal<F>(0x1p-80f, 0x1p-400);
    const F raised = choose<F>(1.0f, literal<F>(0x1p60f, 0x1p200), tiny);

    const auto behind = bits_of(x) >= Format<F>::sign;
    const F factor = select(raised, -raised, differ(steep, behind));
    const F axis = select(choose<F>(0.0f, pi<F>, behind), half_pi<F>, steep) * raised;
    constexpr Literal<F> three_quarters = literal<F>(0x1.2d97c8p1f, 0x1.2d97c7f3321d2p1);  // of pi
    constexpr Literal<F> three_quarters_low = literal<F>(-0x1.99bc5cp-28f, 0x1.a79394c9e8a0ap-54);
    const F result = angle(dividend, divisor, factor, axis, choose<F>(quarter_pi<F>, three_quarters, behind),
                           choose<F>(quarter_pi<F> * pi_low_part<F>, three_quarters_low, behind));
    return with_sign_of(result * choose<F>(1.0f, literal<F>(0x1p-60f, 0x1p-200), tiny), y);
}

/// arcsin s = s + s^3 p(s^2) for |s| <= 0.5: the second term, given s and its square.
template <Number F>
F arcsin_rest(F s, F square) {
    // arcsin on [0, 0.5001]: 2^-27.6, 2^-55.9
    if constexpr (is_double<F>)
        return (s * square) * polynomial(square, 0x1.555555555538ep-3, 0x1.333333336ec3dp-4,
                                         0x1.6db6db424bab2p-5, 0x1.f1c72c48e69cdp-6, 0x1.6e89f2b076866p-6,
                                         0x1.1c6bfa1bc576fp-6, 0x1.c6fbce60e3633p-7, 0x1.8ed02b053039ep-7,
                                         0x1.ab5a5a0bea3a6p-8, 0x1.4046a166ca153p-6, -0x1.0a569c41a1469p-6,
                                         0x1.059b65564c6c1p-5);
    else
        return (s * square) * polynomial(square, 0x1.5555c8p-3f, 0x1.3301fep-4f, 0x1.747cbep-5f,
                                         0x1.8c30b4p-6f, 0x1.596a7ep-5f);
}

/// arcsin of |x| up to 1/2, or above it of sqrt((1 - |x|)/2), with which arcsin |x| = pi/2 - 2
/// arcsin of it: as high + low.
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
    const F start = choose<F>(0.0f, half_pi<F>, upper), factor = choose<F>(1.0f, -2.0f, upper);
    const F result = sum(start, part.high * factor, part.low * factor + start * pi_low_part<F>);
    return with_sign_of(result, x);
}

/// NaN for |x| > 1.
template <Number F>
F acos(F x) {
    const F magnitude = abs(x);
    const auto upper = magnitude > 0.5f;
    const auto negative = x < 0.0f;
    const Pair<F> part = arcsin_part(magnitude, upper);
    const F start = select(half_pi<F>, choose<F>(0.0f, pi<F>, negative), upper);
    const F unsigned_factor = choose<F>(-1.0f, 2.0f, upper);
    const F factor = select(unsigned_factor, -unsigned_factor, negative);
    return sum(start, part.high * factor, part.low * factor + start * pi_low_part<F>);
}

}  // namespace muster::math
