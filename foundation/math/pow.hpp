// pow.hpp - pow and inverse_sqrt.
#pragma once

#include <muster/foundation/math/exp_log.hpp>

namespace muster::math {

/// high + low, |low| far below |high|.
template <Number F>
struct Pair {
    F high, low;
};

/// log2 of a positive finite x, with error 2^-32 of it; `high` has 12 significant bits, so its products with
/// other 12-bit numbers are exact. Uses log2 m = log2 c + 2/ln(2) artanh((m - c)/(m + c)) with c 1 or nearly
/// sqrt(2); the quotient's upper half comes first, the rest from the exact remainder.
template <Number F>
Pair<F> log2_pair(F x) {
    const Split<F> parts = split(x, 0x3f5744fdu);  // m in [2^-0.25, 2^0.75)
    const auto upper = parts.m > 0x1.306fep0f;     // 2^0.25
    const F centre = select(1.0f, 0x1.6ap0f, upper);
    const F start = parts.exponent + select(0.0f, 0x1.ffcp-2f, upper);  // exact
    const F start_low = select(0.0f, 0x1.799a84p-14f, upper);

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
    const F square = s * s;
    // 2/ln(2) artanh on [0, 0.0867], as 2/ln(2) x + x^3 p: 2^-37
    const F p = polynomial(square, 0x1.ec709ep-1f, 0x1.2775p-1f, 0x1.aa3f9p-2f);
    constexpr float slope_upper = 0x1.716p1f;  // 12 bits of 2/ln(2), and the rest
    constexpr float slope_lower = -0x1.7135a8p-12f;
    const F small = ((s * square) * p + (s_lower * slope_upper + s * slope_lower)) + start_low;
    const F large = s_upper * slope_upper;
    const F sum = start + large;
    const F high = upper_half(sum);
    return {high, (sum - high) + ((large - (sum - start)) + small)};
}

/// C's rules. pow(x, 0) = pow(1, y) = 1, even for NaN; otherwise NaN gives NaN. A negative finite x with a y
/// that isn't an integer gives NaN; with an odd y the result has the sign of x, also for zeros and infinities.
template <Number F>
F pow(F x, F y) {
    const F magnitude = abs(x);
    const Pair<F> log = log2_pair(magnitude);
    // From 2^40 on, y takes every result but 1 out of range, so y is bounded to keep its products finite.
    F bounded = select(y, 0x1p40f, y > 0x1p40f);
    bounded = select(bounded, -0x1p40f, bounded < -0x1p40f);
    const F upper = upper_half(bounded);
    const F high = upper * log.high;  // exact
    const F low = bounded * log.low + (bounded - upper) * log.high;
    const auto beyond = abs(high) > 160.0f;
    const F first = select(high, select(-160.0f, 160.0f, high > 0.0f), beyond);
    const F second = select(low, 0.0f, beyond);
    const Whole<F> n = to_whole(first + second);
    F result = exp2_core((first - n.value) + second, n.bits);

    const auto zero = magnitude == 0.0f;
    const auto infinite = magnitude == infinity;
    result = select(result, select(infinity, 0.0f, differ(zero, y < 0.0f)), either(zero, infinite));
    const F half = y * 0.5f;
    const auto whole = trunc(y) == y;
    const auto odd = both(whole, not_(trunc(half) == half));
    result = select(result, -result, both(odd, bits_of(x) >= sign_bit));
    result = select(result, not_a_number, both(both(x < 0.0f, not_(infinite)), not_(whole)));
    result = select(x + y, result, both(x == x, y == y));
    return select(result, 1.0f, either(x == 1.0f, y == 0.0f));
}

/// 1/sqrt(x): +-infinity for +-0, NaN for x < 0.
template <Number F>
F inverse_sqrt(F x) {
    return 1.0f / sqrt(x);
}

}  // namespace muster::math
