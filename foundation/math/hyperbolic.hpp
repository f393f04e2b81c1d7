// hyperbolic.hpp - sinh, cosh, tanh and their inverses.
#pragma once

#include <muster/foundation/math/exp_log.hpp>

namespace muster::math {

/// sinh r and cosh r for x = n*ln 2 + r. Then e^x = 2^n (cosh + sinh) and e^-x = 2^-n (cosh - sinh): both
/// exponentials for the price of one, and sinh x without cancellation if n is 0.
template <Number F>
struct Halves {
    F sinh, cosh_less_1;  // of r
    F n;
    Bits<F> n_bits;
};
template <Number F>
Halves<F> halves(F x) {
    const Whole<F> n = to_whole(x * log2_e);
    const F r = minus_multiple_of_ln2(x, n.value);
    const F square = r * r;
    // sinh on [0, 0.3476]: 2^-34; cosh, as 1 + x^2/2 + x^4 q: 2^-33
    const F p = polynomial(square, 0x1.555556p-3f, 0x1.110fe2p-7f, 0x1.a28ed8p-13f);
    const F q = polynomial(square, 0x1.5554e6p-5f, 0x1.6d4f5ep-10f);
    return {(r * square) * p + r, square * 0.5f + (square * square) * q, n.value, n.bits};
}

/// power_up is 2^(n + offset), power_down 2^(-n + offset); n is the low bits of a Whole.
template <Number F>
F power_up(Bits<F> n, std::uint32_t offset) {
    return float_of((n << 23u) + ((127u + offset) << 23u));
}
template <Number F>
F power_down(Bits<F> n, std::uint32_t offset) {
    return float_of(((127u + offset) << 23u) - (n << 23u));
}

inline constexpr float hyperbolic_limit = 89.6f;  // beyond it, sinh and cosh are infinite; there n is 129

/// a*cosh r + b*sinh r; a is added last because it is exact.
template <Number F>
F combine(const Halves<F>& of, F a, F b) {
    return (a * of.cosh_less_1 + b * of.sinh) + a;
}

/// The sum and the difference of 2^n and 2^-n for |x| = n*ln 2 + r, both divided by 4 so that they stay finite.
/// 2^-n is taken as 0 if it is negligible.
template <Number F>
struct Exponentials {
    Halves<F> of;
    F sum, difference;
};
template <Number F>
Exponentials<F> exponentials(F magnitude) {
    const Halves<F> h = halves(select(magnitude, hyperbolic_limit, magnitude > hyperbolic_limit));
    const std::uint32_t quarter = 0u - 2u;
    const F growing = power_up<F>(h.n_bits, quarter);
    const F falling = select(power_down<F>(h.n_bits, quarter), 0.0f, h.n > 64.0f);
    return {h, growing + falling, growing - falling};
}

template <Number F>
F sinh(F x) {
    const F magnitude = abs(x);
    const Exponentials<F> e = exponentials(magnitude);
    const F result = combine(e.of, e.difference, e.sum) * 2.0f;
    return with_sign_of(select(result, magnitude, magnitude < 0x1p-13f), x);
}

template <Number F>
F cosh(F x) {
    const Exponentials<F> e = exponentials(abs(x));
    return combine(e.of, e.sum, e.difference) * 2.0f;
}

/// sinh/cosh if n is 0 or 1; above that 1 - e^-x/cosh x, in which the quotient's error matters little.
template <Number F>
F tanh(F x) {
    const F magnitude = abs(x);
    const Halves<F> h = halves(select(magnitude, 10.0f, magnitude > 10.0f));
    const std::uint32_t half = 0u - 1u;
    const F growing = power_up<F>(h.n_bits, half);
    const F falling = power_down<F>(h.n_bits, half);
    const F sum = growing + falling;
    const F difference = growing - falling;
    const auto far = h.n > 1.0f;
    const F above = select(combine(h, difference, sum), combine(h, falling, -falling) * 2.0f, far);
    const F quotient = above / combine(h, sum, difference);
    return with_sign_of(select(quotient, 1.0f - quotient, far), x);
}

/// log(1 + u) + extra*log(2) for finite u >= 0; keeps the bits that 1 + u loses.
template <Number F, class G>
F log_of_one_plus(F u, G extra) {
    const F sum = u + 1.0f;
    const F back = sum - 1.0f;
    const F lost = (1.0f - (sum - back)) + (u - back);
    const Bits<F> bits = bits_of(sum) + (bits_of_one - bits_of_two_thirds);
    const Bits<F> biased = bits >> 23u;
    const F m = float_of((bits & 0x007fffffu) + bits_of_two_thirds);
    const F exponent = float_of(biased | 0x4b000000u) - (0x1p23f + 127.0f);
    const F inverse_power = float_of((254u << 23u) - (biased << 23u));
    return log_core((m - 1.0f) + lost * inverse_power, exponent + extra);
}

inline constexpr float inverse_hyperbolic_large =
    8192.0f;  // above this the result is log(2x), with relative error 2^-28

template <Number F>
F asinh(F x) {
    const F magnitude = abs(x);
    const F square = magnitude * magnitude;
    const auto large = magnitude > inverse_hyperbolic_large;
    const F u = magnitude + square / (sqrt(square + 1.0f) + 1.0f);
    const F result = log_of_one_plus(select(u, magnitude * 0.5f - 1.0f, large), F(select(0.0f, 2.0f, large)));
    return with_sign_of(select(magnitude, result, magnitude < infinity), x);
}

/// NaN for x < 1.
template <Number F>
F acosh(F x) {
    const F t = x - 1.0f;
    const auto large = x > inverse_hyperbolic_large;
    const F u = t + sqrt(t * (t + 2.0f));
    const F result = log_of_one_plus(select(u, x * 0.5f - 1.0f, large), F(select(0.0f, 2.0f, large)));
    return select(select(x, result, x < infinity), not_a_number, x < 1.0f);
}

/// +-infinity for +-1, NaN for |x| > 1.
template <Number F>
F atanh(F x) {
    const F magnitude = abs(x);
    const F u = (magnitude * 2.0f) / (1.0f - magnitude);
    F result = log_of_one_plus(u, 0.0f) * 0.5f;
    result = select(result, infinity, magnitude == 1.0f);
    result = select(result, not_a_number, magnitude > 1.0f);
    return with_sign_of(result, x);
}

}  // namespace muster::math
