// pow.hpp - pow and inverse_sqrt.
#pragma once

#include <muster/foundation/math/exp_log.hpp>

namespace muster::math {

/// log2 of a positive finite x, with error 2^-32.3 of it; `high` has 12 significant bits, so its products with
/// other 12-bit numbers are exact. Uses log2 m = log2 c + 2/ln(2) artanh((m - c)/(m + c)) with c 1 or nearly 2^0.2,
/// 2^0.5 or 2^0.8; the quotient's upper half comes first, the rest from the exact remainder. The last three are
/// floats chosen so that log2 c is a multiple of 2^-15 plus the same `start_low`, to 2^-41.
template <Number F>
Pair<F> log2_pair(F x) {
    const Split<F> parts = split(x, 0x3f6e8f00u);  // m in [2^-0.102, 2^0.898)
    const auto second = parts.m > 0x1.12bp0f;      // 2^0.102
    const auto third = parts.m > 0x1.466p0f;       // 2^0.350
    const auto fourth = parts.m > 0x1.90dp0f;      // 2^0.647
    const F centre =
        select(select(select(1.0f, 0x1.26bf2cp0f, second), 0x1.695f14p0f, third), 0x1.bc913ep0f, fourth);
    const F start = parts.exponent + select(select(select(0.0f, 0x1.a07p-3f, second), 0x1.fd48p-2f, third),
                                            0x1.97bp-1f, fourth);  // exact
    const F start_low = select(0.0f, -0x1.b118c2p-18f, second);

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
    // 2/ln(2) artanh on [0, 0.059], as 2/ln(2) x + x^3 p: 2^-40
    const F p = polynomial(square, 0x1.ec709ep-1f, 0x1.2775b6p-1f, 0x1.a9071cp-2f);
    constexpr float slope_upper = 0x1.716p1f;  // 12 bits of 2/ln(2), and the rest
    constexpr float slope_lower = -0x1.7135a8p-12f;
    const F small = ((s * square) * p + (s_lower * slope_upper + s * slope_lower)) + start_low;
    const F large = s_upper * slope_upper;
    const F sum = start + large;
    const F high = upper_half(sum);
    return {high, (sum - high) + ((large - (sum - start)) + small)};
}

/// 2^f for |f.high| <= 0.51.
template <Number F>
F exp2_pair(Pair<F> f) {
    constexpr float slope_upper = 0x1.62ep-1f, slope_lower = ln2 - slope_upper;  // 12 bits, and the rest
    const F upper = upper_half(f.high);
    const F low = f.high * slope_lower + ((f.high - upper) + f.low) * slope_upper;
    return sum(1.0f, upper * slope_upper, (f.high * f.high) * exp2_rest(f.high) + low);
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
    const F rest = first - n.value;
    const F f = rest + second;
    F result = times_power_of_two(exp2_pair(Pair<F>{f, (rest - f) + second}), n.bits);

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

/// 1/sqrt(x): +-infinity for +-0, NaN for x < 0. As sqrt(1/x), because the root halves the error of the quotient. x is
/// scaled so that 1/x is normal.
template <Number F>
F inverse_sqrt(F x) {
    const auto large = x > 1.0f;
    const F reciprocal = 1.0f / (x * select(0x1p24f, 0x1p-24f, large));
    const F result = sqrt(reciprocal) * select(0x1p12f, 0x1p-12f, large);
    return select(select(result, reciprocal, x == 0.0f), not_a_number, x < 0.0f);
}

}  // namespace muster::math
