// short_math.hpp - shorter versions of foundation/math's trigonometric and hyperbolic functions, for fast
// mode: within 4 ULP; sin, cos and tan for |x| up to 1e5, beyond which sin and cos stay in [-1, 1]. Special
// values are foundation/math's.
//
// Coefficients come from Sollya's fpminimax: relative error, single-precision coefficients, on the interval
// stated in the comment beside them, followed by the greatest relative error found there.
#pragma once

#include <muster/backend-cpu/compiler/lowering/lane_number.hpp>
#include <muster/foundation/math/exp_log.hpp>
#include <muster/foundation/math/inverse_trigonometry.hpp>

namespace muster::cpu::short_math {

using math::polynomial;

/// x = quarter*pi/2 + rest, with |rest| at most slightly above pi/4.
struct Reduced {
    LaneFloat rest;
    LaneBits quarter;  // only the low two bits count
};

/// Cody and Waite's reduction. For |x| <= 1e5 the quarter has 16 bits, and pi/2 is cut so that the first
/// products and differences are exact; if a later difference rounds, nothing after it cancels. pi/2 is taken
/// to 2^-63, which leaves an absolute error of 2^-47 for rests of 2^-23 at worst.
inline Reduced reduce(LaneFloat x) {
    const math::Whole<LaneFloat> n = math::to_whole(x * 0x1.45f306p-1f);
    const LaneFloat near = (x - n.value * 0x1.92p0f) - n.value * 0x1.fcp-12f;  // exact
    const LaneFloat third = n.value * -0x1.58p-21f;
    const LaneFloat high = near - third;
    const LaneFloat lost = (near - high) - third;
    const LaneFloat fourth = n.value * 0x1.1p-30f;
    const LaneFloat higher = high - fourth;
    const LaneFloat all_lost = ((high - higher) - fourth) + lost;
    const LaneFloat rest = higher + (all_lost - n.value * 0x1.68c234p-39f);
    return {select(rest, 0.0f, abs(rest) > 1.0f), n.bits};
}

/// sin r and cos r for |r| <= pi/4; `square` is r*r.
inline LaneFloat sin_core(LaneFloat r, LaneFloat square) {
    // sin on [0, 0.7866]: 2^-27.9
    const LaneFloat p = polynomial(square, -0x1.555546p-3f, 0x1.110774p-7f, -0x1.9951d2p-13f);
    return (r * square) * p + r;
}
inline LaneFloat cos_core(LaneFloat square) {
    // cos on [-0.7866, 0.7866]: 2^-33
    const LaneFloat p = polynomial(square, 0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e806p-16f);
    return 1.0f - (square * 0.5f - (square * square) * p);
}

inline LaneFloat sin(LaneFloat x) {
    const Reduced r = reduce(x);
    const LaneFloat square = r.rest * r.rest;
    const LaneFloat magnitude = select(sin_core(r.rest, square), cos_core(square), (r.quarter & 1u) != 0u);
    const LaneFloat result = select(magnitude, -magnitude, (r.quarter & 2u) != 0u);
    return select(result, x, x == 0.0f);  // -0 stays
}

inline LaneFloat cos(LaneFloat x) {
    const Reduced r = reduce(x);
    const LaneFloat square = r.rest * r.rest;
    const LaneFloat magnitude = select(cos_core(square), sin_core(r.rest, square), (r.quarter & 1u) != 0u);
    return select(magnitude, -magnitude, ((r.quarter + 1u) & 2u) != 0u);
}

inline LaneFloat tan(LaneFloat x) {
    const Reduced r = reduce(x);
    const LaneFloat square = r.rest * r.rest;
    const LaneFloat s = sin_core(r.rest, square);
    const LaneFloat c = cos_core(square);
    const auto odd = (r.quarter & 1u) != 0u;
    const LaneFloat result = select(s, c, odd) / select(c, -s, odd);
    return select(result, x, x == 0.0f);  // -0 stays
}

/// The angle of the point (run, rise) in the first quadrant, in [0, pi/2]. rise and run are >= 0 and not both
/// zero. Their sum and difference must stay in the normal range if they matter: both are within
/// [2^-90, 2^100], or one is far larger than the other. Reduced by identities at tan(pi/8) and tan(3
/// pi/8), with one division.
inline LaneFloat angle(LaneFloat rise, LaneFloat run) {
    const auto middle = rise > run * 0x1.a8279ap-2f;
    const auto steep = rise > run * 0x1.3504f4p1f;
    const LaneFloat t = select(select(rise, rise - run, middle), -run, steep) /
                        select(select(run, rise + run, middle), rise, steep);
    const LaneFloat square = t * t;
    // arctan on [0, 0.41422]: 2^-30.4
    const LaneFloat p =
        polynomial(square, -0x1.55554ap-2f, 0x1.9991e4p-3f, -0x1.23b9d6p-3f, 0x1.b227aep-4f, -0x1.f2f74cp-5f);
    const LaneFloat start =
        select(select(0.0f, math::half_pi<LaneFloat> / 2, middle), math::half_pi<LaneFloat>, steep);
    return start + (((t * square) * p + start * math::pi_low_part<LaneFloat>)+t);
}

inline LaneFloat atan(LaneFloat x) { return math::with_sign_of(angle(abs(x), detail::literal(x, 1.0f)), x); }

/// As C's atan2: the signs of zeros choose the side; infinite coordinates count as a diagonal or an axis.
inline LaneFloat atan2(LaneFloat y, LaneFloat x) {
    const LaneFloat rise = abs(y);
    const LaneFloat run = abs(x);
    const LaneFloat larger = select(run, rise, rise > run);
    // A power of two that keeps sums finite and differences normal; the ratio is unchanged.
    const LaneFloat scale = select(select(1.0f, 0x1p60f, larger < 0x1p-60f), 0x1p-30f, larger > 0x1p96f);
    const auto diagonal = rise == run;  // including infinities and zeros, whose difference or ratio is NaN
    const LaneFloat first = angle(select(rise * scale, select(1.0f, 0.0f, larger == 0.0f), diagonal),
                                  select(run * scale, 1.0f, diagonal));
    const auto behind = bits_of(x) >= math::sign_bit;
    const LaneFloat result = select(
        first, math::pi<LaneFloat> + (math::pi<LaneFloat> * math::pi_low_part<LaneFloat> - first), behind);
    return math::with_sign_of(result, y);
}

/// arcsin s = s + s^3 p(s^2) for |s| <= 0.5, given s and its square.
inline LaneFloat asin_core(LaneFloat s, LaneFloat square) {
    // arcsin on [0, 0.5001]: 2^-27.6
    const LaneFloat p =
        polynomial(square, 0x1.5555c8p-3f, 0x1.3301fep-4f, 0x1.747cbep-5f, 0x1.8c30b4p-6f, 0x1.596a7ep-5f);
    return (s * square) * p + s;
}

/// NaN for |x| > 1. Above 1/2 uses arcsin x = pi/2 - 2 arcsin sqrt((1 - x)/2).
inline LaneFloat asin(LaneFloat x) {
    const LaneFloat magnitude = abs(x);
    const auto upper = magnitude > 0.5f;
    const LaneFloat square = select(magnitude * magnitude, (1.0f - magnitude) * 0.5f, upper);
    const LaneFloat inner = asin_core(select(magnitude, sqrt(square), upper), square);
    const LaneFloat result = select(
        inner,
        math::half_pi<LaneFloat> + (math::half_pi<LaneFloat> * math::pi_low_part<LaneFloat> - inner * 2.0f),
        upper);
    return math::with_sign_of(result, x);
}

/// NaN for |x| > 1.
inline LaneFloat acos(LaneFloat x) {
    const LaneFloat magnitude = abs(x);
    const auto upper = magnitude > 0.5f;
    const auto negative = x < 0.0f;
    const LaneFloat square = select(magnitude * magnitude, (1.0f - magnitude) * 0.5f, upper);
    const LaneFloat inner = asin_core(select(magnitude, sqrt(square), upper), square);
    const LaneFloat unsigned_part = select(inner, inner * -2.0f, upper);
    const LaneFloat part = select(unsigned_part, -unsigned_part, negative);
    const LaneFloat start =
        select(math::half_pi<LaneFloat>, select(0.0f, math::pi<LaneFloat>, negative), upper);
    return start + (start * math::pi_low_part<LaneFloat> - part);
}

/// sinh r and cosh r for x = n*ln 2 + r. Then e^x = 2^n (cosh + sinh) and e^-x = 2^-n (cosh - sinh): both
/// exponentials for the price of one, and sinh x without cancellation if n is 0.
struct Halves {
    LaneFloat sinh, cosh_less_1;  // of r
    LaneFloat n;
    LaneBits n_bits;
};
inline Halves halves(LaneFloat x) {
    const math::Whole<LaneFloat> n = math::to_whole(x * math::log2_e<LaneFloat>);
    const LaneFloat r = math::minus_multiple_of_ln2(x, n.value);
    const LaneFloat square = r * r;
    // sinh on [0, 0.3476]: 2^-34; cosh, as 1 + x^2/2 + x^4 q: 2^-33
    const LaneFloat p = polynomial(square, 0x1.555556p-3f, 0x1.110fe2p-7f, 0x1.a28ed8p-13f);
    const LaneFloat q = polynomial(square, 0x1.5554e6p-5f, 0x1.6d4f5ep-10f);
    return {(r * square) * p + r, square * 0.5f + (square * square) * q, n.value, n.bits};
}

/// power_up is 2^(n + offset), power_down 2^(-n + offset); n is the low bits of a Whole.
inline LaneFloat power_up(LaneBits n, std::uint32_t offset) {
    return float_of((n << 23u) + ((127u + offset) << 23u));
}
inline LaneFloat power_down(LaneBits n, std::uint32_t offset) {
    return float_of(((127u + offset) << 23u) - (n << 23u));
}

inline constexpr float hyperbolic_limit = 89.6f;  // beyond it, sinh and cosh are infinite; there n is 129

/// a*cosh r + b*sinh r; a is added last because it is exact.
inline LaneFloat combine(const Halves& of, LaneFloat a, LaneFloat b) {
    return (a * of.cosh_less_1 + b * of.sinh) + a;
}

/// The sum and the difference of 2^n and 2^-n for |x| = n*ln 2 + r, both divided by 4 so that they stay
/// finite. 2^-n is taken as 0 if it is negligible.
struct Exponentials {
    Halves of;
    LaneFloat sum, difference;
};
inline Exponentials exponentials(LaneFloat magnitude) {
    const Halves h = halves(select(magnitude, hyperbolic_limit, magnitude > hyperbolic_limit));
    const std::uint32_t quarter = 0u - 2u;
    const LaneFloat growing = power_up(h.n_bits, quarter);
    const LaneFloat falling = select(power_down(h.n_bits, quarter), 0.0f, h.n > 64.0f);
    return {h, growing + falling, growing - falling};
}

inline LaneFloat sinh(LaneFloat x) {
    const LaneFloat magnitude = abs(x);
    const Exponentials e = exponentials(magnitude);
    const LaneFloat result = combine(e.of, e.difference, e.sum) * 2.0f;
    return math::with_sign_of(select(result, magnitude, magnitude < 0x1p-13f), x);
}

inline LaneFloat cosh(LaneFloat x) {
    const Exponentials e = exponentials(abs(x));
    return combine(e.of, e.sum, e.difference) * 2.0f;
}

/// sinh/cosh if n is 0 or 1; above that 1 - e^-x/cosh x, in which the quotient's error matters little.
inline LaneFloat tanh(LaneFloat x) {
    const LaneFloat magnitude = abs(x);
    const Halves h = halves(select(magnitude, 10.0f, magnitude > 10.0f));
    const std::uint32_t half = 0u - 1u;
    const LaneFloat growing = power_up(h.n_bits, half);
    const LaneFloat falling = power_down(h.n_bits, half);
    const LaneFloat sum = growing + falling;
    const LaneFloat difference = growing - falling;
    const auto far = h.n > 1.0f;
    const LaneFloat above = select(combine(h, difference, sum), combine(h, falling, -falling) * 2.0f, far);
    const LaneFloat quotient = above / combine(h, sum, difference);
    return math::with_sign_of(select(quotient, 1.0f - quotient, far), x);
}

/// log(1 + f) + e*log(2) for f in [-1/3, 1/3] and an integer e.
inline LaneFloat log_core(LaneFloat f, LaneFloat e) {
    return e * math::ln2_high<LaneFloat> + (f + math::log_rest(f, e));
}

/// log(1 + u) + extra*log(2) for finite u >= 0; keeps the bits that 1 + u loses.
inline LaneFloat log_of_one_plus(LaneFloat u, LaneFloat extra) {
    const LaneFloat sum = u + 1.0f;
    const LaneFloat back = sum - 1.0f;
    const LaneFloat lost = (1.0f - (sum - back)) + (u - back);
    const LaneBits bits = bits_of(sum) + (math::Format<LaneFloat>::one - math::bits_of_two_thirds<LaneFloat>);
    const LaneBits biased = bits >> 23u;
    const LaneFloat m = float_of((bits & 0x007fffffu) + math::bits_of_two_thirds<LaneFloat>);
    const LaneFloat exponent = float_of(biased | 0x4b000000u) - (0x1p23f + 127.0f);
    const LaneFloat inverse_power = float_of((254u << 23u) - (biased << 23u));
    return log_core((m - 1.0f) + lost * inverse_power, exponent + extra);
}

inline constexpr float inverse_hyperbolic_large =
    8192.0f;  // above this the result is log(2x), with relative error 2^-28

inline LaneFloat asinh(LaneFloat x) {
    const LaneFloat magnitude = abs(x);
    const LaneFloat square = magnitude * magnitude;
    const auto large = magnitude > inverse_hyperbolic_large;
    const LaneFloat u = magnitude + square / (sqrt(square + 1.0f) + 1.0f);
    const LaneFloat result =
        log_of_one_plus(select(u, magnitude * 0.5f - 1.0f, large), LaneFloat(select(0.0f, 2.0f, large)));
    return math::with_sign_of(select(magnitude, result, magnitude < math::infinity), x);
}

/// NaN for x < 1.
inline LaneFloat acosh(LaneFloat x) {
    const LaneFloat t = x - 1.0f;
    const auto large = x > inverse_hyperbolic_large;
    const LaneFloat u = t + sqrt(t * (t + 2.0f));
    const LaneFloat result =
        log_of_one_plus(select(u, x * 0.5f - 1.0f, large), LaneFloat(select(0.0f, 2.0f, large)));
    return select(select(x, result, x < math::infinity), math::not_a_number, x < 1.0f);
}

/// +-infinity for +-1, NaN for |x| > 1.
inline LaneFloat atanh(LaneFloat x) {
    const LaneFloat magnitude = abs(x);
    const LaneFloat u = (magnitude * 2.0f) / (1.0f - magnitude);
    LaneFloat result = log_of_one_plus(u, detail::literal(u, 0.0f)) * 0.5f;
    result = select(result, math::infinity, magnitude == 1.0f);
    result = select(result, math::not_a_number, magnitude > 1.0f);
    return math::with_sign_of(result, x);
}

}  // namespace muster::cpu::short_math
