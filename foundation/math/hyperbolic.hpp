// hyperbolic.hpp - sinh, cosh, tanh and their inverses.
#pragma once

#include <muster/foundation/math/exp_log.hpp>

namespace muster::math {

/// e^x = 2^n (1 + r + rest) and e^-x = 2^-n (1 - r + mirrored) for x = n*ln 2 + r: both exponentials for the price of
/// one.
template <Number F>
struct Exponentials {
    F r, rest, mirrored;
    F sinh_rest;         // sinh r - r, if n is 0
    F growing, falling;  // 2^(n - 2), 2^(-n - 2); the latter is 0 if it is negligible
};
/// For x >= 0 and n near x/ln 2, or for n = 0 and x up to 1, when only sinh_rest counts.
template <Number F>
Exponentials<F> exponentials(F x, Whole<F> n) {
    const F near = x - n.value * ln2_high;
    const F r = near - n.value * ln2_low;
    const F low = (near - r) - n.value * ln2_low;
    const F square = r * r;
    // sinh on [0, 1]: 2^-31; cosh on [0, 0.3476], as 1 + x^2/2 + x^4 q: 2^-33
    const F p = polynomial(square, 0x1.555556p-3f, 0x1.1110eap-7f, 0x1.a01c22p-13f, 0x1.76771ep-19f);
    const F q = polynomial(square, 0x1.5554e6p-5f, 0x1.6d4f5ep-10f);
    const F odd = (r * square) * p + low;
    const F even = square * 0.5f + (square * square) * q;
    const F growing = float_of((n.bits << 23u) + (125u << 23u));
    const F falling = select(float_of((125u << 23u) - (n.bits << 23u)), 0.0f, n.value > 64.0f);
    return {r, odd + even, even - odd, odd, growing, falling};
}

/// x, or a number whose sinh is infinite too, so that n is at most 129.
template <Number F>
F bounded(F x) {
    return select(x, 89.6f, x > 89.6f);
}

/// (e^x - e^-x)/2, and x + x^3 p up to 1.
template <Number F>
F sinh(F x) {
    const F magnitude = abs(x);
    const auto small = magnitude < 1.0f;
    const F finite = bounded(magnitude);
    const Whole<F> n = to_whole(finite * log2_e);
    const Exponentials<F> e = exponentials(finite, Whole<F>{select(n.value, 0.0f, small), n.bits});
    const F falling = e.falling * (e.mirrored - e.r) + e.falling;
    const F rest = e.growing * e.r + (e.growing * e.rest - falling);
    return with_sign_of(select((e.growing + rest) * 2.0f, magnitude + e.sinh_rest, small), x);
}

template <Number F>
F cosh(F x) {
    const F magnitude = bounded(abs(x));
    const Exponentials<F> e = exponentials(magnitude, to_whole(magnitude * log2_e));
    const F rest = e.growing * e.r + (e.growing * e.rest + e.falling * (e.mirrored - e.r));
    return sum(e.growing, e.falling, rest) * 2.0f;
}

/// 1 - 2/(e^2x + 1), and x + x^3 p below 0.75.
template <Number F>
F tanh(F x) {
    const F magnitude = abs(x);
    const F doubled = select(magnitude, 10.0f, magnitude > 10.0f) * 2.0f;
    const Whole<F> n = to_whole(doubled * log2_e);
    const F near = doubled - n.value * ln2_high;
    const F r = near - n.value * ln2_low;
    const F low = (near - r) - n.value * ln2_low;
    const F power = float_of((n.bits << 23u) + bits_of_one);
    const F sum_of_powers = power + 1.0f;
    const F rest = power * (r + (((r * r) * expm1_rest(r)) + low));
    const F divisor = sum_of_powers + rest;
    const F lost = (sum_of_powers - divisor) + rest;
    const F quotient = 2.0f / divisor;
    const F large = sum(1.0f, -quotient, (quotient * quotient) * (lost * 0.5f));
    const F square = magnitude * magnitude;
    // tanh on [0, 0.75]: 2^-29.1
    const F p = polynomial(square, -0x1.55554ap-2f, 0x1.110ddap-3f, -0x1.b98108p-5f, 0x1.5f9082p-6f,
                           -0x1.f662fep-8f, 0x1.c8975p-10f);
    return with_sign_of(select(large, (magnitude * square) * p + magnitude, magnitude < 0.75f), x);
}

/// log x + extra*log(2), for x from 1 to 2^127.
template <Number F, class G>
F log_of_pair(Pair<F> x, G extra) {
    const Bits<F> bits = bits_of(x.high) + (bits_of_one - bits_of_two_thirds);
    const Bits<F> biased = bits >> 23u;
    const F exponent = (float_of(biased | 0x4b000000u) - (0x1p23f + 127.0f)) + extra;
    const F upper = float_of((bits & 0x007fffffu) + bits_of_two_thirds) - 1.0f;
    const F lower = x.low * float_of((254u << 23u) - (biased << 23u));
    const Pair<F> f = normalised(Pair<F>{upper, lower});
    return sum(exponent * ln2_high, f.high, log_rest(f.high, exponent) + (f.low - f.low * f.high));
}

inline constexpr float inverse_hyperbolic_large =
    8192.0f;  // above this the result is log(2x), with relative error 2^-28

/// log(x + sqrt(x^2 + 1)), and x + x^3 p below 1/2.
template <Number F>
F asinh(F x) {
    const F magnitude = abs(x);
    const F square = magnitude * magnitude;
    // asinh on [0, 0.5]: 2^-29.6
    const F p =
        polynomial(square, -0x1.555536p-3f, 0x1.3324fap-4f, -0x1.6b971ep-5f, 0x1.cd748ap-6f, -0x1.b18ea2p-7f);
    const F small = (magnitude * square) * p + magnitude;
    const auto large = magnitude > inverse_hyperbolic_large;
    const F radicand = square + 1.0f;
    const Pair<F> s = root(radicand, (1.0f - radicand) + square);
    const F high = s.high + magnitude;
    const F low = ((s.high - high) + magnitude) + s.low;
    const F logarithm = log_of_pair(Pair<F>{select(high, magnitude * 0.5f, large), select(low, 0.0f, large)},
                                    F(select(0.0f, 2.0f, large)));
    const F result = select(logarithm, small, magnitude < 0.5f);
    return with_sign_of(select(magnitude, result, magnitude < infinity), x);
}

/// log(1 + u) with u = t + sqrt(t^2 + 2t), t = x - 1, keeping the bits that the sums lose. NaN for x < 1.
template <Number F>
F acosh(F x) {
    const F t = x - 1.0f;
    const auto large = x > inverse_hyperbolic_large;
    const F doubled = t * 2.0f;
    const F square = t * t;
    const F radicand = doubled + square;
    const Pair<F> s = root(radicand, (doubled - radicand) + square);
    const F u = s.high + t;
    const F u_low = ((s.high - u) + t) + s.low;
    const F high = u + 1.0f;
    const F low = ((1.0f - high) + u) + u_low;  // 1 - high is exact
    const F result = log_of_pair(Pair<F>{select(high, x * 0.5f, large), select(low, 0.0f, large)},
                                 F(select(0.0f, 2.0f, large)));
    return select(select(x, result, x < infinity), not_a_number, x < 1.0f);
}

/// x + x^3 p below 1/2; above it log((1 + x)/(1 - x))/2, as e*ln(2)/2 + atanh(y) with y = ((1 + x) - m)/((1 + x) + m) and
/// 1 - x = m*2^-e. +-infinity for +-1, NaN for |x| > 1.
template <Number F>
F atanh(F x) {
    const F magnitude = abs(x);
    const F square = magnitude * magnitude;
    // atanh on [0, 0.5]: 2^-29.4
    const F p = polynomial(square, 0x1.55554p-2f, 0x1.99a674p-3f, 0x1.234ddp-3f, 0x1.e3fbcep-4f,
                           0x1.a6ddeap-5f, 0x1.692dc6p-3f);
    const F small = (magnitude * square) * p + magnitude;

    constexpr std::uint32_t lowest = 0x3fa00000u;  // of m: 1.25
    const Bits<F> bits = bits_of(1.0f - magnitude) + (bits_of_one - lowest);
    const F exponent = (0x1p23f + 127.0f) - float_of((bits >> 23u) | 0x4b000000u);
    const F m = float_of((bits & 0x007fffffu) + lowest);
    const F y = ((1.0f - m) + magnitude) / ((m + magnitude) + 1.0f);  // the dividend is exact
    const F y_square = y * y;
    // atanh on [0, 0.2309]: 2^-26.7
    const F q = polynomial(y_square, 0x1.555638p-2f, 0x1.98d1cap-3f, 0x1.3d56c6p-3f);
    const F rest = (y * y_square) * q + exponent * (ln2_low * 0.5f);
    F result = select(sum(exponent * (ln2_high * 0.5f), y, rest), small, magnitude < 0.5f);
    result = select(result, infinity, magnitude == 1.0f);
    result = select(result, not_a_number, magnitude > 1.0f);
    return with_sign_of(result, x);
}

}  // namespace muster::math
