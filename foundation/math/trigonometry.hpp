// trigonometry.hpp - sin, cos, tan. Within 4 ULP for |x| <= 1e5; beyond, sin and cos stay in [-1, 1] but
// accuracy isn't promised. Infinities and NaN give NaN.
#pragma once

#include <muster/foundation/math/number.hpp>

namespace muster::math {

/// x = quarter*pi/2 + rest, with |rest| at most slightly above pi/4.
template <Number F>
struct Reduced {
    F rest;
    Bits<F> quarter;  // only the low two bits count
};

/// Cody and Waite's reduction. For |x| <= 1e5 the quarter has 16 bits, and pi/2 is cut so that the first
/// products and differences are exact; if a later difference rounds, nothing after it cancels. pi/2 is taken to
/// 2^-63, which leaves an absolute error of 2^-47 for rests of 2^-23 at worst.
template <Number F>
Reduced<F> reduce(F x) {
    const Whole<F> n = to_whole(x * 0x1.45f306p-1f);
    const F near = (x - n.value * 0x1.92p0f) - n.value * 0x1.fcp-12f;  // exact
    const F third = n.value * -0x1.58p-21f;
    const F high = near - third;
    const F lost = (near - high) - third;
    const F fourth = n.value * 0x1.1p-30f;
    const F higher = high - fourth;
    const F all_lost = ((high - higher) - fourth) + lost;
    const F rest = higher + (all_lost - n.value * 0x1.68c234p-39f);
    return {select(rest, 0.0f, abs(rest) > 1.0f), n.bits};
}

/// sin r and cos r for |r| <= pi/4; `square` is r*r.
template <Number F>
F sin_core(F r, F square) {
    // sin on [0, 0.7866]: 2^-27.9
    const F p = polynomial(square, -0x1.555546p-3f, 0x1.110774p-7f, -0x1.9951d2p-13f);
    return (r * square) * p + r;
}
template <Number F>
F cos_core(F square) {
    // cos on [-0.7866, 0.7866]: 2^-33
    const F p = polynomial(square, 0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e806p-16f);
    return 1.0f - (square * 0.5f - (square * square) * p);
}

template <Number F>
F sin(F x) {
    const Reduced<F> r = reduce(x);
    const F square = r.rest * r.rest;
    const F magnitude = select(sin_core(r.rest, square), cos_core(square), (r.quarter & 1u) != 0u);
    const F result = select(magnitude, -magnitude, (r.quarter & 2u) != 0u);
    return select(result, x, x == 0.0f);  // -0 stays
}

template <Number F>
F cos(F x) {
    const Reduced<F> r = reduce(x);
    const F square = r.rest * r.rest;
    const F magnitude = select(cos_core(square), sin_core(r.rest, square), (r.quarter & 1u) != 0u);
    return select(magnitude, -magnitude, ((r.quarter + 1u) & 2u) != 0u);
}

template <Number F>
F tan(F x) {
    const Reduced<F> r = reduce(x);
    const F square = r.rest * r.rest;
    const F s = sin_core(r.rest, square);
    const F c = cos_core(square);
    const auto odd = (r.quarter & 1u) != 0u;
    const F result = select(s, c, odd) / select(c, -s, odd);
    return select(result, x, x == 0.0f);  // -0 stays
}

}  // namespace muster::math
