// inverse_trigonometry.hpp - asin, acos, atan, atan2.
#pragma once

#include <muster/foundation/math/number.hpp>

namespace muster::math {

inline constexpr float half_pi = 0x1.921fb6p0f;
inline constexpr float pi = 0x1.921fb6p1f;
inline constexpr float pi_low_part = -0x1.777a5cp-24f / pi;  // (true pi - pi) / pi

/// The angle of the point (run, rise) in the first quadrant, in [0, pi/2]. rise and run are >= 0 and not both
/// zero. Their sum and difference must stay in the normal range if they matter: both are within [2^-90, 2^100],
/// or one is far larger than the other. Reduced by identities at tan(pi/8) and tan(3 pi/8), with one division.
template <Number F, class G>
F angle(F rise, G run) {
    const auto middle = rise > run * 0x1.a8279ap-2f;
    const auto steep = rise > run * 0x1.3504f4p1f;
    const F t = select(select(rise, rise - run, middle), -run, steep) /
                select(select(run, rise + run, middle), rise, steep);
    const F square = t * t;
    // arctan on [0, 0.41422]: 2^-30.4
    const F p =
        polynomial(square, -0x1.55554ap-2f, 0x1.9991e4p-3f, -0x1.23b9d6p-3f, 0x1.b227aep-4f, -0x1.f2f74cp-5f);
    const F start = select(select(0.0f, half_pi / 2, middle), half_pi, steep);
    return start + (((t * square) * p + start * pi_low_part) + t);
}

template <Number F>
F atan(F x) {
    return with_sign_of(angle(abs(x), 1.0f), x);
}

/// As C's atan2: the signs of zeros choose the side; infinite coordinates count as a diagonal or an axis.
template <Number F>
F atan2(F y, F x) {
    const F rise = abs(y);
    const F run = abs(x);
    const F larger = select(run, rise, rise > run);
    // A power of two that keeps sums finite and differences normal; the ratio is unchanged.
    const F scale = select(select(1.0f, 0x1p60f, larger < 0x1p-60f), 0x1p-30f, larger > 0x1p96f);
    const auto diagonal = rise == run;  // including infinities and zeros, whose difference or ratio is NaN
    const F first = angle(select(rise * scale, select(1.0f, 0.0f, larger == 0.0f), diagonal),
                          select(run * scale, 1.0f, diagonal));
    const auto behind = bits_of(x) >= sign_bit;
    const F result = select(first, pi + (pi * pi_low_part - first), behind);
    return with_sign_of(result, y);
}

/// arcsin s = s + s^3 p(s^2) for |s| <= 0.5, given s and its square.
template <Number F>
F asin_core(F s, F square) {
    // arcsin on [0, 0.5001]: 2^-27.6
    const F p =
        polynomial(square, 0x1.5555c8p-3f, 0x1.3301fep-4f, 0x1.747cbep-5f, 0x1.8c30b4p-6f, 0x1.596a7ep-5f);
    return (s * square) * p + s;
}

/// NaN for |x| > 1. Above 1/2 uses arcsin x = pi/2 - 2 arcsin sqrt((1 - x)/2).
template <Number F>
F asin(F x) {
    const F magnitude = abs(x);
    const auto upper = magnitude > 0.5f;
    const F square = select(magnitude * magnitude, (1.0f - magnitude) * 0.5f, upper);
    const F inner = asin_core(select(magnitude, sqrt(square), upper), square);
    const F result = select(inner, half_pi + (half_pi * pi_low_part - inner * 2.0f), upper);
    return with_sign_of(result, x);
}

/// NaN for |x| > 1.
template <Number F>
F acos(F x) {
    const F magnitude = abs(x);
    const auto upper = magnitude > 0.5f;
    const auto negative = x < 0.0f;
    const F square = select(magnitude * magnitude, (1.0f - magnitude) * 0.5f, upper);
    const F inner = asin_core(select(magnitude, sqrt(square), upper), square);
    const F unsigned_part = select(inner, inner * -2.0f, upper);
    const F part = select(unsigned_part, -unsigned_part, negative);
    const F start = select(half_pi, select(0.0f, pi, negative), upper);
    return start + (start * pi_low_part - part);
}

}  // namespace muster::math
