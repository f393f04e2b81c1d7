// pow.hpp - pow and inverse_sqrt.
#pragma once

#include <muster/foundation/math/exp_log.hpp>

namespace muster::math {

/// s^3 p(s^2) of 2/ln(2) artanh s = 2/ln(2) s + s^3 p in f64, for |s| <= 0.059 and s = upper + lower, with
/// relative error 2^-60; `high` is exact.
template <Number F>
Pair<F> log2_cube(F s, F upper, F lower) {
    constexpr double slope_upper = 0x1.ec709d8p-1, slope_lower = 0x1.0e80ff5d27f05p-27;  // 2/(3 ln(2))
    const F square = s * s;
    const F upper_square = upper * upper;  // exact
    const F square_upper = upper_half(upper_square);
    const F square_lower = (upper_square - square_upper) + lower * (s + upper);
    const F cube = upper * square_upper;  // exact
    const F cube_upper = upper_half(cube);
    const F cube_lower = (cube - cube_upper) + (upper * square_lower + lower * square);
    // 2/ln(2) artanh on [0, 0.0591], as 2/ln(2) x + 2/(3 ln(2)) x^3 + x^5 p: 2^-73
    const F p = polynomial(square, 0x1.2776c50ef9c38p-1, 0x1.a61762a75c23p-2, 0x1.484b15282064dp-2,
                           0x1.0c9803246a355p-2, 0x1.cb10422ada9e7p-3);
    const F rest = square * p + slope_lower;
    return {cube_upper * slope_upper, cube_upper * rest + cube_lower * (rest + slope_upper)};
}

/// log2 of a positive finite x, with error 2^-32.3 of it (f64: 2^-65); `high` is an upper half, so its
/// products with other upper halves are exact. Uses log2 m = log2 c + 2/ln(2) artanh((m - c)/(m + c))
/// with c 1 or nearly 2^0.2, 2^0.5 or 2^0.8; the quotient's upper half comes first, the rest from the
/// exact remainder. The last three are, in f32, chosen so that log2 c is a multiple of 2^-15 plus the
/// same `start_low`, to 2^-41.
template <Number F>
Pair<F> log2_pair(F x) {
    const Split<F> parts = split(
        x, is_double<F> ? Word<F>(0x3fedd1e000000000u) : Word<F>(0x3f6e8f00u));  // m in [2^-0.102, 2^0.898)
    const auto second = parts.m > 0x1.12bp0f;                                    // 2^0.102
    const auto third = parts.m > 0x1.466p0f;                                     // 2^0.350
    const auto fourth = parts.m > 0x1.90dp0f;                                    // 2^0.647
    const auto by_centre = [&](Literal<F> a, Literal<F> b, Literal<F> c, Literal<F> d) -> F {
        return select(select(choose<F>(a, b, second), c, third), d, fourth);
    };
    const F centre = by_centre(1, literal<F>(0x1.26bf2cp0f, 0x1.2611186bae675p0),
                               literal<F>(0x1.695f14p0f, 0x1.6a09e667f3bcdp0),
                               literal<F>(0x1.bc913ep0f, 0x1.bdb8cdadbe12p0));
    const F start = parts.exponent + by_centre(0, literal<F>(0x1.a07p-3f, 0x1.9999999998p-3),
                                               literal<F>(0x1.fd48p-2f, 0x1p-1),
                                               literal<F>(0x1.97bp-1f, 0x1.999999999ap-1));  // exact
    const F start_low = [&] {
        if constexpr (is_double<F>)
            return by_centre(0, 0x1.99dbc27b63789p-43, 0x1.c6cdcb8cfcc24p-54, -0x1.99a7668a42a8dp-43);
        else
            return choose<F>(0.0f, -0x1.b118c2p-18f, second);
    }();

    const F above = parts.m - centre;
    const F below = parts.m + centre;
    const F below_lost = parts.m - (below - centre);
    const F below_upper = upper_half(below);
    const F reciprocal = 1.0f / below;
    const F s_upper = upper_half(above * reciprocal);
    const F remainder =
        ((above - s_upper * below_upper) - s_upper * (below - below_upper)) - s_upper * below_lost;
    const F s_lower = remainder * reciprocal;
    const F s = s_upper + s_lower;
    // 2/ln(2), its upper half and the rest
    constexpr Literal<F> slope_upper = literal<F>(0x1.716p1f, 0x1.715476p1);
    constexpr Literal<F> slope_lower = literal<F>(-0x1.7135a8p-12f, 0x1.4ae0bf85ddf44p-25);
    const F linear = s_lower * slope_upper + s * slope_lower;
    const F large = s_upper * slope_upper;
    const F sum = start + large;
    if constexpr (is_double<F>) {
        const Pair<F> cube = log2_cube(s, s_upper, s_lower);
        const F all = sum + cube.high;
        const F small = ((cube.low + linear) + start_low) + ((sum - all) + cube.high);
        const F high = upper_half(all);
        return {high, (all - high) + ((large - (sum - start)) + small)};
    } else {
        const F square = s * s;
        // 2/ln(2) artanh on [0, 0.059], as 2/ln(2) x + x^3 p: 2^-40
        const F p = polynomial(square, 0x1.ec709ep-1f, 0x1.2775b6p-1f, 0x1.a9071cp-2f);
        const F small = ((s * square) * p + linear) + start_low;
        const F high = upper_half(sum);
        return {high, (sum - high) + ((large - (sum - start)) + small)};
    }
}

/// 2^f for |f.high| <= 0.51.
template <Number F>
F exp2_pair(Pair<F> f) {
    // ln 2, its upper half and the rest
    constexpr Literal<F> slope_upper = literal<F>(0x1.62ep-1f, 0x1.62e42f8p-1);
    constexpr Literal<F> slope_lower =
        is_double<F> ? Literal<F>(0x1.be8e7bcd5e4f2p-27) : ln2<F> - slope_upper;
    const F upper = upper_half(f.high);
    const F low = f.high * slope_lower + ((f.high - upper) + f.low) * slope_upper;
    return sum(1.0f, upper * slope_upper, (f.high * f.high) * exp2_rest(f.high) + low);
}

/// C's rules. pow(x, 0) = pow(1, y) = 1, even for NaN; otherwise NaN gives NaN. A negative finite x with a y
/// that isn't an integer gives NaN; with an odd y the result has the sign of x, also
/// for zeros and infinities.
template <Number F>
F pow(F x, F y) {
    const F magnitude = abs(x);
    const Pair<F> log = log2_pair(magnitude);
    // From 2^40 (f64: 2^65) on, y takes every result but 1 out of range, so y is bounded to
    // keep its products finite.
    constexpr Literal<F> most = literal<F>(0x1p40f, 0x1p65);
    F bounded = select(y, most, y > most);
    bounded = select(bounded, -most, bounded < -most);
    const F upper = upper_half(bounded);
    const F high = upper * log.high;  // exact
    const F low = bounded * log.low + (bounded - upper) * log.high;
    constexpr Literal<F> far = literal<F>(160.0f, 1200.0);
    const auto beyond = abs(high) > far;
    const F first = select(high, choose<F>(-far, far, high > 0.0f), beyond);
    const F second = select(low, 0.0f, beyond);
    const Whole<F> n = to_whole(first + second);
    const F rest = first - n.value;
    const F f = rest + second;
    F result = times_power_of_two(exp2_pair(Pair<F>{f, (rest - f) + second}), n.bits);

    const auto zero = magnitude == 0.0f;
    const auto infinite = magnitude == infinity;
    result = select(result, choose<F>(infinity, 0.0f, differ(zero, y < 0.0f)), either(zero, infinite));
    const F half = y * 0.5f;
    const auto whole = trunc(y) == y;
    const auto odd = both(whole, not_(trunc(half) == half));
    result = select(result, -result, both(odd, bits_of(x) >= Format<F>::sign));
    result = select(result, not_a_number, both(both(x < 0.0f, not_(infinite)), not_(whole)));
    result = select(x + y, result, both(x == x, y == y));
    return select(result, 1.0f, either(x == 1.0f, y == 0.0f));
}

/// 1/sqrt(x): +-infinity for +-0, NaN for x < 0. As sqrt(1/x), because the root halves the error of the
/// quotient. x is scaled so that 1/x is normal.
template <Number F>
F inverse_sqrt(F x) {
    const auto large = x > 1.0f;
    const F scale = choose<F>(literal<F>(0x1p24f, 0x1p54), literal<F>(0x1p-24f, 0x1p-54), large);
    const F root_of_scale = choose<F>(literal<F>(0x1p12f, 0x1p27), literal<F>(0x1p-12f, 0x1p-27), large);
    const F reciprocal = 1.0f / (x * scale);
    const F result = sqrt(reciprocal) * root_of_scale;
    return select(select(result, reciprocal, x == 0.0f), not_a_number, x < 0.0f);
}

}  // namespace muster::math
