// ulp.hpp - the error of an f32 result in units in the last place (ULP).
//
// The unit is the distance of neighbouring floats at the exact value: 2^(e-23) if its magnitude is in [2^e, 2^(e+1)), but
// never below 2^-149 (subnormals) nor above 2^104. An infinite result counts as 2^128, where the next float would be; it
// is right, with error 0, if the exact value rounds to it. Results of another kind than the exact value's (NaN,
// infinity) have an infinite error. Signs of zeros aren't looked at; tests/foundation/math/special_test.cpp does that.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace muster::math_errors {

/// Exact values from here on round to infinity: half a unit above the greatest float.
inline constexpr double overflow_from = 0x1.ffffffp127;

/// 1 / the unit at `exact`, which is finite.
inline double units_per_1(double exact) {
    constexpr std::uint64_t bias = 1023, lowest = bias - 126, highest = bias + 127;
    const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(exact) >> 52) & 2047u;
    return std::bit_cast<double>((2 * bias + 23 - std::clamp(exponent, lowest, highest)) << 52);
}

/// The error where `got` is finite or right; otherwise NaN or infinity. Vectorisable.
inline double simple_error(float got, double exact) {
    const double result = static_cast<double>(got);
    const double error = std::fabs(result - exact) * units_per_1(exact);
    const bool same = (result == exact) | ((result != result) & (exact != exact));
    const bool overflowed =
        (std::fabs(result) > 0x1p128) & (result * exact > 0) & (std::fabs(exact) >= overflow_from);
    return (same | overflowed) ? 0.0 : error;
}

inline double error_in_ulp(float got, double exact) {
    if (std::isnan(got) != std::isnan(exact)) return std::numeric_limits<double>::infinity();
    const bool same_sign = std::signbit(got) == std::signbit(exact);
    if (!std::isinf(got) || !same_sign || std::fabs(exact) >= overflow_from) return simple_error(got, exact);
    return (0x1p128 - std::fabs(exact)) * 0x1p-104;
}

}  // namespace muster::math_errors
