// bits.hpp - operations on the integers of a Number (Bits<F>, number.hpp) that division, square root,
// fma and the reduction of angles need, beyond + - & | and shifts by literals. ir_bits.hpp has the forms
// that append to a program.
#pragma once

#include <algorithm>

#include <muster/foundation/math/number.hpp>

namespace muster::math {

template <std::unsigned_integral T>
T select(T if_false, T if_true, bool condition) {
    return condition ? if_true : if_false;
}
inline std::uint32_t min(std::uint32_t a, std::uint32_t b) { return std::min(a, b); }
inline std::uint32_t max(std::uint32_t a, std::uint32_t b) { return std::max(a, b); }
/// 32 for zero.
inline std::uint32_t count_leading_zeros(std::uint32_t x) { return semantics::count_leading_zeros(x); }
/// Shift counts are modulo 32, or 64 if x has 64 bits.
template <std::unsigned_integral T>
T shift_left(T x, T count) {
    return semantics::shift_left(x, static_cast<std::uint32_t>(count));
}
template <std::unsigned_integral T>
T shift_right(T x, T count) {
    return semantics::shift_right(x, static_cast<std::uint32_t>(count));
}
/// number_of_integer converts bits, as a signed integer, to a float, rounded; integer_of_number
/// converts back, toward zero.
inline float number_of_integer(std::uint32_t bits) { return semantics::to_f32(semantics::to_i32(bits)); }
inline double number_of_integer(std::uint64_t bits) { return semantics::to_f64(semantics::to_i64(bits)); }
inline std::uint32_t integer_of_number(float x) { return semantics::to_u32(semantics::to_i32(x)); }
inline std::uint64_t integer_of_number(double x) { return semantics::to_u64(semantics::to_i64(x)); }

/// The nearest integer, as two's complement. For |x| <= 2^22.
template <Number F>
Bits<F> nearest_integer(F x) {
    return to_whole(x).bits - 0x4b400000u;
}

/// (1 + fraction * 2^-23) * 2^power; the fraction has 23 bits.
template <class B>
auto float_with_fraction(B fraction, std::uint32_t power) {
    return float_of(fraction | ((127u + power) << 23u));
}

/// 1 if x isn't zero, else 0.
template <class B>
B any_bit(B x) {
    return min(x, 1u);
}

inline constexpr std::uint32_t bits_of_one = 0x3f800000u;
inline constexpr std::uint32_t implicit_bit = 0x00800000u;
inline constexpr std::uint32_t bits_of_infinity = 0x7f800000u;
inline constexpr std::uint32_t bits_of_nan = semantics::canonical_nan;

/// A finite nonzero magnitude as (2^23 + fraction) * 2^(exponent - 150): subnormals are normalised, with
/// exponents down to -22 (which wraps). Zero's exponent is -24; infinities and NaN give unspecified values.
template <class B>
struct Unpacked {
    B fraction, exponent;
    B significand() const { return fraction | implicit_bit; }
};
template <class B>
Unpacked<B> unpack(B magnitude) {
    const B shift = max(count_leading_zeros(magnitude), 8u) - 8u;  // 0 unless subnormal
    const B shifted = shift_left(magnitude, shift);
    return {shifted & 0x007fffffu, (shifted >> 23u) - shift};
}

/// Offset that rounded() expects in its biased exponent, so that no exponent wraps.
inline constexpr std::uint32_t exponent_offset = 256u;

/// The bits of significand * 2^-29 * 2^(exponent - offset - 127), rounded once to nearest even, including
/// subnormal and infinite results. Preconditions: 2^29 <= significand < 2^30, with its last bit set if any
/// nonzero bit was cut off below it; exponent <= 700.
template <class B>
B rounded(B significand, B exponent) {
    const B at_least_1 = max(exponent, exponent_offset + 1u);
    // A subnormal result keeps this many bits fewer. With 25 fewer, the remainder is below one half.
    const B fewer = min(at_least_1 - exponent, 25u);
    const B dropped = fewer + 6u;
    const B below_half = shift_left(32u, fewer) - 1u;
    const B odd = shift_right(significand, dropped) & 1u;
    const B kept = shift_right(significand + below_half + odd, dropped);
    // The bit 2^23 in `kept` adds one to the exponent, so a carry does too, and finally reaches infinity.
    return min(((at_least_1 - (exponent_offset + 1u)) << 23u) + kept, bits_of_infinity);
}

}  // namespace muster::math
