// hyperbolic.hpp - sinh, cosh, tanh and their inverses.
#pragma once

#include <muster/foundation/math/exp_log.hpp>

namespace muster::math {

/// p(x^2) of sinh x = x + x^3 p for x in [0, 1].
template <Number F>
F sinh_rest(F square) {
    // sinh on [0, 1]: 2^-31, 2^-61.5
    if constexpr (is_double<F>)
        return polynomial(square, 0x1.5555555555556p-3, 0x1.111111111104p-7, 0x1.a01a01a0318d8p-13,
                          0x1.71de3a40565e2p-19, 0x1.ae646b4d5f193p-26, 0x1.6118df717749ap-33,
                          0x1.b52ebddfa9c53p-41);
    else
        return polynomial(square, 0x1.555556p-3f, 0x1.1110eap-7f, 0x1.a01c22p-13f, 0x1.76771ep-19f);
}

/// q(x^2) of cosh x = 1 + x^2/2 + x^4 q for |x| <= 0.3476.
template <Number F>
F cosh_rest(F square) {
    // cosh on [0, 0.3476]: 2^-33, 2^-57.3
    if constexpr (is_double<F>)
        return polynomial(square, 0x1.555555555310ap-5, 0x1.6c16c17d1b86bp-10, 0x1.a019aa004a439p-16,
                          0x1.28a0cb101e696p-22);
    else
        return polynomial(square, 0x1.5554e6p-5f, 0x1.6d4f5ep-10f);
}

/// e^x = 2^n (1 + r + rest) and e^-x = 2^-n (1 - r + mirrored) for x = n*ln 2 + r: both
/// exponentials for the price of one.
template <Number F>
struct Exponentials {
    F r, rest, mirrored;
    F sinh_rest;         // sinh r - r, if n is 0
    F growing, falling;  // 2^(n - 2), 2^(-n - 2); the latter is 0 if it is negligible
};
/// For x >= 0 and n near x/ln 2, or for n = 0 and x up to 1, when only sinh_rest counts.
template <Number F>
Exponentials<F> exponentials(F x, Whole<F> n) {
    const F near = x - n.value * ln2_high<F>;
    const F r = near - n.value * ln2_low<F>;
    const F low = (near - r) - n.value * ln2_low<F>;
    const F square = r * r;
    const F odd = (r * square) * sinh_rest(square) + low;
    const F even = square * 0.5f + (square * square) * cosh_rest(square);
    constexpr std::uint32_t at = Format<F>::fraction_bits;
    constexpr Word<F> quarter = (Format<F>::bias - 2) << at;
    const F growing = float_of((n.bits << at) + quarter);
    const F falling = select(float_of(quarter - (n.bits << at)), 0.0f, n.value > 64.0f);
    return {r, odd + even, even - odd, odd, growing, falling};
}

/// x, or a number whose sinh is infinite too, so that n is at most 129 (f64: 1025).
template <Number F>
F bounded(F x) {
    constexpr Literal<F> greatest = literal<F>(89.6f, 710.6);
    return select(x, greatest, x > greatest);
}

/// (e^x - e^-x)/2, and x + x^3 p up to 1.
template <Number F>
F sinh(F x) {
    const F magnitude = abs(x);
    const auto small = magnitude < 1.0f;
    const F finite = bounded(magnitude);
    const Whole<F> n = to_whole(finite * log2_e<F>);
    const Exponentials<F> e = exponentials(finite, Whole<F>{select(n.value, 0.0f, small), n.bits});
    const F falling = e.falling * (e.mirrored - e.r) + e.falling;
    const F rest = e.growing * e.r + (e.growing * e.rest - falling);
    return with_sign_of(select((e.growing + rest) * 2.0f, magnitude + e.sinh_rest, small), x);
}

template <Number F>
F cosh(F x) {
    const F magnitude = bounded(abs(x));
    const Exponentials<F> e = exponentials(magnitude, to_whole(magnitude * log2_e<F>));
    const F rest = e.growing * e.r + (e.growing * e.rest + e.falling * (e.mirrored - e.r));
    return sum(e.growing, e.falling, rest) * 2.0f;
}

/// p(x^2) of tanh x = x + x^3 p for x in [0, 0.75].
template <Number F>
F tanh_rest(F square) {
    // tanh on [0, 0.75]: 2^-29.1, 2^-59.2
    if constexpr (is_double<F>)
        return polynomial(square, -0x1.555555555554ap-2, 0x1.111111111046cp-3, -0x1.ba1ba1b97e48fp-5,
                          0x1.664f4863ed5fap-6, -0x1.226e31ccb6e84p-7, 0x1.d6d3487b2da33p-9,
                          -0x1.7d9c7b3ecebfp-10, 0x1.35196cbc4160dp-11, -0x1.f25434d2cf61p-13,
                          0x1.87f08d9fad6f6p-14, -0x1.1a065b935d888p-15, 0x1.3e92ef2009247p-17,
                          -0x1.8ef15aa360f2fp-20);
    else
        return polynomial(square, -0x1.55554ap-2f, 0x1.110ddap-3f, -0x1.b98108p-5f, 0x1.5f9082p-6f,
                          -0x1.f662fep-8f, 0x1.c8975p-10f);
}

/// 1 - 2/(e^2x + 1), and x + x^3 p below 0.75.
template <Number F>
F tanh(F x) {
    const F magnitude = abs(x);
    constexpr Literal<F> greatest = literal<F>(10.0f, 22.0);
    const F doubled = select(magnitude, greatest, magnitude > greatest) * 2.0f;
    const Whole<F> n = to_whole(doubled * log2_e<F>);
    const F near = doubled - n.value * ln2_high<F>;
    const F r = near - n.value * ln2_low<F>;
    const F low = (near - r) - n.value * ln2_low<F>;
    const F power = float_of((n.bits << Format<F>::fraction_bits) + Format<F>::one);
    const F sum_of_powers = power + 1.0f;
    const F rest = power * (r + (((r * r) * expm1_rest(r)) + low));
    const F divisor = sum_of_powers + rest;
    const F lost = (sum_of_powers - divisor) + rest;
    const F quotient = 2.0f / divisor;
    const F large = sum(1.0f, -quotient, (quotient * quotient) * (lost * 0.5f));
    const F square = magnitude * magnitude;
    const F small = (magnitude * square) * tanh_rest(square) + magnitude;
    return with_sign_of(select(large, small, magnitude < 0.75f), x);
}

/// log x + extra*log(2), for x from 1 to 2^127 (f64: 2^1023).
template <Number F, class G>
F log_of_pair(Pair<F> x, G extra) {
    constexpr std::uint32_t at = Format<F>::fraction_bits;
    const Bits<F> bits = bits_of(x.high) + (Format<F>::one - bits_of_two_thirds<F>);
    const Bits<F> biased = biased_exponent<F>(bits);
    const F exponent = (raised_exponent<F>(biased) - exponent_raise<F>)+extra;
    const F upper = significand<F>(bits, bits_of_two_thirds<F>) - 1.0f;
    const F lower = x.low * float_of((2 * Format<F>::bias << at) - (biased << at));
    const Pair<F> f = normalised(Pair<F>{upper, lower});
    return sum(exponent * ln2_high<F>, f.high, log_rest(f.high, exponent) + (f.low - f.low * f.high));
}

/// Above this the result is log(2x), with relative error 2^-28 (f64: 2^-58).
template <class F>
inline constexpr Literal<F> inverse_hyperbolic_large = literal<F>(0x1p13f, 0x1p28);

/// p(x^2) of asinh x = x + x^3 p for x in [0, 0.5].
template <Number F>
F asinh_rest(F square) {
    // asinh on [0, 0.5]: 2^-29.6, 2^-56
    if constexpr (is_double<F>)
        return polynomial(square, -0x1.55555555553f7p-3, 0x1.333333330aef9p-4, -0x1.6db6db53efd45p-5,
                          0x1.f1c71431b5c31p-6, -0x1.6e8addca09fe7p-6, 0x1.1c43224f93721p-6,
                          -0x1.c8b1272212fe9p-7, 0x1.74684a972ccc6p-7, -0x1.23ef49a265bbap-7,
                          0x1.7bc3d7b49fac9p-8, -0x1.1e5c13c5f107p-9);
    else
        return polynomial(square, -0x1.555536p-3f, 0x1.3324fap-4f, -0x1.6b971ep-5f, 0x1.cd748ap-6f,
                          -0x1.b18ea2p-7f);
}

/// log(x + sqrt(x^2 + 1)), and x + x^3 p below 1/2.
template <Number F>
F asinh(F x) {
    const F magnitude = abs(x);
    const F square = magnitude * magnitude;
    const F small = (magnitude * square) * asinh_rest(square) + magnitude;
    const auto large = magnitude > inverse_hyperbolic_large<F>;
    const F radicand = square + 1.0f;
    const Pair<F> s = root(radicand, (1.0f - radicand) + square);
    const F high = s.high + magnitude;
    const F low = ((s.high - high) + magnitude) + s.low;
    const F logarithm = log_of_pair(Pair<F>{select(high, magnitude * 0.5f, large), select(low, 0.0f, large)},
                                    choose<F>(0.0f, 2.0f, large));
    const F result = select(logarithm, small, magnitude < 0.5f);
    return with_sign_of(select(magnitude, result, magnitude < infinity), x);
}

/// log(1 + u) with u = t + sqrt(t^2 + 2t), t = x - 1, keeping the bits that the sums lose. NaN for x < 1.
template <Number F>
F acosh(F x) {
    const F t = x - 1.0f;
    const auto large = x > inverse_hyperbolic_large<F>;
    const F doubled = t * 2.0f;
    const F square = t * t;
    const F radicand = doubled + square;
    const Pair<F> s = root(radicand, (doubled - radicand) + square);
    const F u = s.high + t;
    const F u_low = ((s.high - u) + t) + s.low;
    const F high = u + 1.0f;
    const F low = ((1.0f - high) + u) + u_low;  // 1 - high is exact
    const F result = log_of_pair(Pair<F>{select(high, x * 0.5f, large), select(low, 0.0f, large)},
                                 choose<F>(0.0f, 2.0f, large));
    return select(select(x, result, x < infinity), not_a_number, x < 1.0f);
}

/// p(x^2) of atanh x = x + x^3 p for x in [0, 0.5].
template <Number F>
F atanh_rest(F square) {
    // atanh on [0, 0.5]: 2^-29.4, 2^-57
    if constexpr (is_double<F>)
        return polynomial(square, 0x1.55555555555ccp-2, 0x1.99999999878a3p-3, 0x1.2492492c409c6p-3,
                          0x1.c71c6e7e0cb75p-4, 0x1.745d811dce9f7p-4, 0x1.3b0b2979dd691p-4,
                          0x1.118763590ea5ep-4, 0x1.d908da47554fbp-5, 0x1.ea1977105f14bp-5,
                          0x1.dcf5905af56fp-7, 0x1.28db0bcab45dap-3, -0x1.392fc5179a01fp-3,
                          0x1.cc607545851fbp-3);
    else
        return polynomial(square, 0x1.55554p-2f, 0x1.99a674p-3f, 0x1.234ddp-3f, 0x1.e3fbcep-4f,
                          0x1.a6ddeap-5f, 0x1.692dc6p-3f);
}
/// The same for x in [0, 0.2309].
template <Number F>
F short_atanh_rest(F square) {
    // atanh on [0, 0.2309]: 2^-26.7, 2^-58.9
    if constexpr (is_double<F>)
        return polynomial(square, 0x1.5555555555514p-2, 0x1.99999999acf27p-3, 0x1.24924914ee91p-3,
                          0x1.c71c7dfbe47edp-4, 0x1.745a7663d97fbp-4, 0x1.3b67c45d5ac39p-4,
                          0x1.0b063d63d822cp-4, 0x1.2b7516a34b519p-4);
    else
        return polynomial(square, 0x1.555638p-2f, 0x1.98d1cap-3f, 0x1.3d56c6p-3f);
}

/// x + x^3 p below 1/2; above it log((1 + x)/(1 - x))/2, as e*ln(2)/2 + atanh(y) with y = ((1 + x) - m)/((1 +
/// x) + m) and 1 - x = m*2^-e. +-infinity for +-1, NaN for |x| > 1.
template <Number F>
F atanh(F x) {
    const F magnitude = abs(x);
    const F square = magnitude * magnitude;
    const F small = (magnitude * square) * atanh_rest(square) + magnitude;

    constexpr Word<F> lowest = Format<F>::one + (Format<F>::fraction + 1) / 4;  // of m: 1.25
    const Bits<F> bits = bits_of(1.0f - magnitude) + (Format<F>::one - lowest);
    const F exponent = exponent_raise<F> - raised_exponent<F>(biased_exponent<F>(bits));
    const F m = significand<F>(bits, lowest);
    const F y = ((1.0f - m) + magnitude) / ((m + magnitude) + 1.0f);  // the dividend is exact
    const F y_square = y * y;
    const F rest = (y * y_square) * short_atanh_rest(y_square) + exponent * (ln2_low<F> * 0.5f);
    F result = select(sum(exponent * (ln2_high<F> * 0.5f), y, rest), small, magnitude < 0.5f);
    result = select(result, infinity, magnitude == 1.0f);
    result = select(result, not_a_number, magnitude > 1.0f);
    return with_sign_of(result, x);
}

}  // namespace muster::math
