// semantics.hpp - defines what each operation computes, scalar by scalar (docs/design.md, Numeric contract).
// The interpreter and constant folding call these functions; every backend is compared with them.
//
// Exact: the same bits everywhere. f32 operations round once, to nearest even, and are never contracted: a
// source that includes this is compiled with -ffp-contract=off and runs in the default floating-point
// environment. f16 operations are those of f32, rounded once more: which is correct rounding for + - * / and sqrt, and
// fma sees to it. Subnormals are kept; a device may flush those of f32, which flush() models: on operands and results
// of arithmetic, comparison and conversion, not of moves (neg, abs, select, bitcast, loads and stores). All
// NaNs are equivalent; only to_bits() exposes the bits, as canonical_nan. Threads: pure functions.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/f16.hpp>

namespace muster::semantics {
MUSTER_API_BEGIN

inline constexpr std::uint32_t canonical_nan = 0x7fc00000u;
inline constexpr std::uint64_t canonical_nan_of_double = 0x7ff8000000000000u;
inline constexpr std::int32_t i32_min = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int64_t i64_min = std::numeric_limits<std::int64_t>::min();

constexpr bool is_nan(float x) { return x != x; }
constexpr bool is_finite(float x) { return (std::bit_cast<std::uint32_t>(x) & 0x7f800000u) != 0x7f800000u; }
constexpr bool is_nan(double x) { return x != x; }
constexpr bool is_finite(double x) {
    return (std::bit_cast<std::uint64_t>(x) & 0x7ff0000000000000u) != 0x7ff0000000000000u;
}
constexpr bool is_nan(f16 x) { return (x.bits() & 0x7fffu) > 0x7c00u; }
constexpr bool is_finite(f16 x) { return (x.bits() & 0x7c00u) != 0x7c00u; }

/// Replaces subnormals with zeros of the same sign; leaves every other value unchanged.
constexpr float flush(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return (bits & 0x7f800000u) == 0 ? std::bit_cast<float>(bits & 0x80000000u) : x;
}

// Moves.

/// bitcast of f32 to an integer: the bits; a NaN gives canonical_nan.
constexpr std::uint32_t to_bits(float x) {
    return is_nan(x) ? canonical_nan : std::bit_cast<std::uint32_t>(x);
}
constexpr std::uint64_t to_bits(double x) {
    return is_nan(x) ? canonical_nan_of_double : std::bit_cast<std::uint64_t>(x);
}
/// bitcast of an integer to f32.
constexpr float from_bits(std::uint32_t x) { return std::bit_cast<float>(x); }
/// bitcast of two f16 to 32 bits, the first in the low half, and the reverse. A NaN gives 0x7e00.
constexpr std::uint32_t to_bits(f16 low, f16 high) {
    const auto half = [](f16 x) { return std::uint32_t{is_nan(x) ? std::uint16_t{0x7e00} : x.bits()}; };
    return half(low) | half(high) << 16;
}
constexpr f16 low_half(std::uint32_t x) { return f16::from_bits(static_cast<std::uint16_t>(x)); }
constexpr f16 high_half(std::uint32_t x) { return f16::from_bits(static_cast<std::uint16_t>(x >> 16)); }

constexpr float neg(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) ^ 0x80000000u); }
constexpr float abs(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x7fffffffu); }
template <class T>
constexpr T select(T if_false, T if_true, bool condition) {
    return condition ? if_true : if_false;
}

// f32 arithmetic.

constexpr float add(float a, float b) { return a + b; }
constexpr float sub(float a, float b) { return a - b; }
constexpr float mul(float a, float b) { return a * b; }
constexpr float div(float a, float b) { return a / b; }
inline float sqrt(float x) { return std::sqrt(x); }
/// a * b + c with one rounding.
inline float fma(float a, float b, float c) { return std::fma(a, b, c); }

// From 2^23 on every float is an integer.
inline constexpr float integers_from = 8388608.0f;

constexpr float with_sign_of(float magnitude, float sign) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(magnitude) & 0x7fffffffu) |
                                (std::bit_cast<std::uint32_t>(sign) & 0x80000000u));
}
/// Rounds toward zero and keeps the sign of zero. trunc, floor, ceil and round return NaN and infinities
/// unchanged.
constexpr float trunc(float x) {
    if (!(abs(x) < integers_from)) return x;
    return with_sign_of(static_cast<float>(static_cast<std::int32_t>(x)), x);
}
constexpr float floor(float x) {
    const float t = trunc(x);
    return t > x ? t - 1.0f : t;
}
constexpr float ceil(float x) {
    const float t = trunc(x);
    return with_sign_of(t < x ? t + 1.0f : t, x);
}
/// Rounds to the nearest integer, ties to even.
constexpr float round(float x) {
    if (!(abs(x) < integers_from)) return x;
    return with_sign_of((abs(x) + integers_from) - integers_from, x);
}

/// x % y, WGSL section "Floating Point Evaluation": x - y * trunc(x / y), as four operations, each rounded.
/// So the result differs from fmod's if x / y is large, and is NaN for y = 0 and for infinite x or y.
constexpr float rem(float x, float y) { return sub(x, mul(y, trunc(div(x, y)))); }

/// If one operand is NaN the result is the other; -0 is below +0.
constexpr float min(float a, float b) {
    if (a < b) return a;
    if (b < a) return b;
    if (a == b)
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) | std::bit_cast<std::uint32_t>(b));
    return is_nan(a) ? b : a;
}
constexpr float max(float a, float b) {
    if (a > b) return a;
    if (b > a) return b;
    if (a == b)
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & std::bit_cast<std::uint32_t>(b));
    return is_nan(a) ? b : a;
}

// f64 arithmetic: as f32's, in double precision.

constexpr double neg(double x) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ 0x8000000000000000u);
}
constexpr double abs(double x) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7fffffffffffffffu);
}
constexpr double add(double a, double b) { return a + b; }
constexpr double sub(double a, double b) { return a - b; }
constexpr double mul(double a, double b) { return a * b; }
constexpr double div(double a, double b) { return a / b; }
inline double sqrt(double x) { return std::sqrt(x); }
inline double fma(double a, double b, double c) { return std::fma(a, b, c); }

// From 2^52 on every double is an integer.
inline constexpr double integers_from_in_double = 4503599627370496.0;

constexpr double with_sign_of(double magnitude, double sign) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(magnitude) & 0x7fffffffffffffffu) |
                                 (std::bit_cast<std::uint64_t>(sign) & 0x8000000000000000u));
}
constexpr double trunc(double x) {
    if (!(abs(x) < integers_from_in_double)) return x;
    return with_sign_of(static_cast<double>(static_cast<std::int64_t>(x)), x);
}
constexpr double floor(double x) {
    const double t = trunc(x);
    return t > x ? t - 1.0 : t;
}
constexpr double ceil(double x) {
    const double t = trunc(x);
    return with_sign_of(t < x ? t + 1.0 : t, x);
}
constexpr double round(double x) {
    if (!(abs(x) < integers_from_in_double)) return x;
    return with_sign_of((abs(x) + integers_from_in_double) - integers_from_in_double, x);
}
constexpr double rem(double x, double y) { return sub(x, mul(y, trunc(div(x, y)))); }
constexpr double min(double a, double b) {
    if (a < b) return a;
    if (b < a) return b;
    if (a == b)
        return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) | std::bit_cast<std::uint64_t>(b));
    return is_nan(a) ? b : a;
}
constexpr double max(double a, double b) {
    if (a > b) return a;
    if (b > a) return b;
    if (a == b)
        return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) & std::bit_cast<std::uint64_t>(b));
    return is_nan(a) ? b : a;
}

// f16 arithmetic.

constexpr f16 neg(f16 x) { return f16::from_bits(static_cast<std::uint16_t>(x.bits() ^ 0x8000u)); }
constexpr f16 abs(f16 x) { return f16::from_bits(static_cast<std::uint16_t>(x.bits() & 0x7fffu)); }
constexpr f16 add(f16 a, f16 b) { return f16(float{a} + float{b}); }
constexpr f16 sub(f16 a, f16 b) { return f16(float{a} - float{b}); }
constexpr f16 mul(f16 a, f16 b) { return f16(float{a} * float{b}); }
constexpr f16 div(f16 a, f16 b) { return f16(float{a} / float{b}); }
constexpr f16 rem(f16 a, f16 b) { return f16(rem(float{a}, float{b})); }
constexpr f16 min(f16 a, f16 b) { return f16(min(float{a}, float{b})); }
constexpr f16 max(f16 a, f16 b) { return f16(max(float{a}, float{b})); }
constexpr f16 floor(f16 x) { return f16(floor(float{x})); }
constexpr f16 ceil(f16 x) { return f16(ceil(float{x})); }
constexpr f16 trunc(f16 x) { return f16(trunc(float{x})); }
constexpr f16 round(f16 x) { return f16(round(float{x})); }
inline f16 sqrt(f16 x) { return f16(sqrt(float{x})); }

/// a + b rounded to odd: if it isn't exact, the neighbour whose last bit is set. Rounding that once more, to a format
/// with at least two bits fewer, gives what rounding the exact sum gives.
constexpr float add_to_odd(float a, float b) {
    const float sum = a + b, second = sum - a;
    const float lost = (a - (sum - second)) + (b - second);
    const auto bits = std::bit_cast<std::uint32_t>(sum);
    const bool is_exact = !(lost < 0.0f || lost > 0.0f);  // also if the sum is infinite or NaN
    if (is_exact || (bits & 1u) != 0) return sum;
    return std::bit_cast<float>((lost > 0.0f) == (sum > 0.0f) ? bits + 1 : bits - 1);
}
/// a * b + c with one rounding: the product is exact in f32.
constexpr f16 fma(f16 a, f16 b, f16 c) { return f16(add_to_odd(float{a} * float{b}, float{c})); }

// Integer arithmetic wraps. Division and remainder follow WGSL section "Arithmetic Expressions".

constexpr std::uint32_t as_u32(std::int32_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::int32_t as_i32(std::uint32_t x) { return static_cast<std::int32_t>(x); }

constexpr std::uint32_t add(std::uint32_t a, std::uint32_t b) { return a + b; }
constexpr std::uint32_t sub(std::uint32_t a, std::uint32_t b) { return a - b; }
constexpr std::uint32_t mul(std::uint32_t a, std::uint32_t b) { return a * b; }
/// x / 0 = x.
constexpr std::uint32_t div(std::uint32_t a, std::uint32_t b) { return b == 0 ? a : a / b; }
/// x % 0 = 0.
constexpr std::uint32_t rem(std::uint32_t a, std::uint32_t b) { return b == 0 ? 0 : a % b; }
constexpr std::uint32_t min(std::uint32_t a, std::uint32_t b) { return b < a ? b : a; }
constexpr std::uint32_t max(std::uint32_t a, std::uint32_t b) { return a < b ? b : a; }
constexpr std::uint32_t abs(std::uint32_t x) { return x; }

constexpr std::int32_t add(std::int32_t a, std::int32_t b) { return as_i32(as_u32(a) + as_u32(b)); }
constexpr std::int32_t sub(std::int32_t a, std::int32_t b) { return as_i32(as_u32(a) - as_u32(b)); }
constexpr std::int32_t mul(std::int32_t a, std::int32_t b) { return as_i32(as_u32(a) * as_u32(b)); }
constexpr std::int32_t neg(std::int32_t x) { return as_i32(0u - as_u32(x)); }
/// |MIN| = MIN.
constexpr std::int32_t abs(std::int32_t x) { return x < 0 ? neg(x) : x; }
/// Rounds toward zero; x / 0 = x; MIN / -1 = MIN.
constexpr std::int32_t div(std::int32_t a, std::int32_t b) {
    return b == 0 || (a == i32_min && b == -1) ? a : a / b;
}
/// Has the sign of a; x % 0 = 0; MIN % -1 = 0.
constexpr std::int32_t rem(std::int32_t a, std::int32_t b) {
    return b == 0 || (a == i32_min && b == -1) ? 0 : a % b;
}
constexpr std::int32_t min(std::int32_t a, std::int32_t b) { return b < a ? b : a; }
constexpr std::int32_t max(std::int32_t a, std::int32_t b) { return a < b ? b : a; }

constexpr std::uint64_t as_u64(std::int64_t x) { return static_cast<std::uint64_t>(x); }
constexpr std::int64_t as_i64(std::uint64_t x) { return static_cast<std::int64_t>(x); }

constexpr std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a + b; }
constexpr std::uint64_t sub(std::uint64_t a, std::uint64_t b) { return a - b; }
constexpr std::uint64_t mul(std::uint64_t a, std::uint64_t b) { return a * b; }
constexpr std::uint64_t div(std::uint64_t a, std::uint64_t b) { return b == 0 ? a : a / b; }
constexpr std::uint64_t rem(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : a % b; }
constexpr std::uint64_t min(std::uint64_t a, std::uint64_t b) { return b < a ? b : a; }
constexpr std::uint64_t max(std::uint64_t a, std::uint64_t b) { return a < b ? b : a; }
constexpr std::uint64_t abs(std::uint64_t x) { return x; }

constexpr std::int64_t add(std::int64_t a, std::int64_t b) { return as_i64(as_u64(a) + as_u64(b)); }
constexpr std::int64_t sub(std::int64_t a, std::int64_t b) { return as_i64(as_u64(a) - as_u64(b)); }
constexpr std::int64_t mul(std::int64_t a, std::int64_t b) { return as_i64(as_u64(a) * as_u64(b)); }
constexpr std::int64_t neg(std::int64_t x) { return as_i64(0u - as_u64(x)); }
constexpr std::int64_t abs(std::int64_t x) { return x < 0 ? neg(x) : x; }
constexpr std::int64_t div(std::int64_t a, std::int64_t b) {
    return b == 0 || (a == i64_min && b == -1) ? a : a / b;
}
constexpr std::int64_t rem(std::int64_t a, std::int64_t b) {
    return b == 0 || (a == i64_min && b == -1) ? 0 : a % b;
}
constexpr std::int64_t min(std::int64_t a, std::int64_t b) { return b < a ? b : a; }
constexpr std::int64_t max(std::int64_t a, std::int64_t b) { return a < b ? b : a; }

// Bits. Shift counts are modulo the width, 32 or 64; signed right shifts copy the sign.

template <class T>
constexpr T shift_left(T x, std::uint32_t count) {
    return x << (count & (8 * sizeof(T) - 1));
}
template <class T>
constexpr T shift_right(T x, std::uint32_t count) {
    return x >> (count & (8 * sizeof(T) - 1));
}
template <class T>
constexpr T count_one_bits(T x) {
    return static_cast<T>(std::popcount(x));
}
/// The width for zero; likewise count_trailing_zeros.
template <class T>
constexpr T count_leading_zeros(T x) {
    return static_cast<T>(std::countl_zero(x));
}
template <class T>
constexpr T count_trailing_zeros(T x) {
    return static_cast<T>(std::countr_zero(x));
}
constexpr std::uint32_t reverse_bits(std::uint32_t x) {
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return (x >> 16) | (x << 16);
}

constexpr std::uint64_t reverse_bits(std::uint64_t x) {
    const auto low = static_cast<std::uint32_t>(x), high = static_cast<std::uint32_t>(x >> 32);
    return std::uint64_t{reverse_bits(low)} << 32 | reverse_bits(high);
}

/// The sum of the products of the words' bytes (WGSL sections "dot4U8Packed", "dot4I8Packed"); it can't overflow.
constexpr std::uint32_t dot4_u8(std::uint32_t a, std::uint32_t b) {
    std::uint32_t sum = 0;
    for (std::uint32_t bit = 0; bit < 32; bit += 8) sum += (a >> bit & 0xffu) * (b >> bit & 0xffu);
    return sum;
}
constexpr std::int32_t dot4_i8(std::uint32_t a, std::uint32_t b) {
    std::int32_t sum = 0;
    for (std::uint32_t bit = 0; bit < 32; bit += 8)
        sum += static_cast<std::int8_t>(a >> bit) * static_cast<std::int8_t>(b >> bit);
    return sum;
}

// Comparisons: if an operand is NaN, == < <= > >= are false and != is true; -0 equals +0.

template <class T>
constexpr bool eq(T a, T b) {
    return a == b;
}
template <class T>
constexpr bool ne(T a, T b) {
    return a != b;
}
template <class T>
constexpr bool lt(T a, T b) {
    return a < b;
}
template <class T>
constexpr bool le(T a, T b) {
    return a <= b;
}
template <class T>
constexpr bool gt(T a, T b) {
    return a > b;
}
template <class T>
constexpr bool ge(T a, T b) {
    return a >= b;
}

// Conversions. Between i32 and u32: the same bits. From bool: 0 and 1. To bool: true unless zero (NaN is true).

/// Rounds toward zero; out of range, gives the nearest value that both types can represent (WGSL section
/// "Floating Point Conversion"); NaN gives 0.
constexpr std::int32_t to_i32(float x) {
    if (is_nan(x)) return 0;
    if (x >= 2147483648.0f) return 2147483520;
    if (x < -2147483648.0f) return i32_min;
    return static_cast<std::int32_t>(x);
}
constexpr std::uint32_t to_u32(float x) {
    if (!(x > 0.0f)) return 0;
    if (x >= 4294967296.0f) return 4294967040u;
    return static_cast<std::uint32_t>(x);
}
/// Rounds to nearest even.
constexpr float to_f32(std::int32_t x) { return static_cast<float>(x); }
constexpr float to_f32(std::uint32_t x) { return static_cast<float>(x); }
constexpr float to_f32(bool x) { return x ? 1.0f : 0.0f; }
constexpr float to_f32(float x) { return x; }
constexpr bool to_bool(float x) { return x != 0.0f; }
constexpr std::int32_t to_i32(std::integral auto x) { return static_cast<std::int32_t>(x); }
constexpr std::uint32_t to_u32(std::integral auto x) { return static_cast<std::uint32_t>(x); }
constexpr bool to_bool(std::integral auto x) { return x != 0; }

constexpr std::int64_t to_i64(std::integral auto x) { return static_cast<std::int64_t>(x); }
constexpr std::uint64_t to_u64(std::integral auto x) { return static_cast<std::uint64_t>(x); }
constexpr std::int64_t to_i64(float x) {
    if (is_nan(x)) return 0;
    if (x >= 0x1p63f) return 0x7fffff8000000000;
    if (x < -0x1p63f) return i64_min;
    return static_cast<std::int64_t>(x);
}
constexpr std::uint64_t to_u64(float x) {
    if (!(x > 0.0f)) return 0;
    if (x >= 0x1p64f) return 0xffffff0000000000u;
    return static_cast<std::uint64_t>(x);
}
/// As of an f32; every i32 and u32 is a double.
constexpr std::int32_t to_i32(double x) {
    if (is_nan(x)) return 0;
    if (x >= 0x1p31) return 0x7fffffff;
    if (x <= -0x1p31) return i32_min;
    return static_cast<std::int32_t>(x);
}
constexpr std::uint32_t to_u32(double x) {
    if (!(x > 0.0)) return 0;
    if (x >= 0x1p32) return 0xffffffffu;
    return static_cast<std::uint32_t>(x);
}
constexpr std::int64_t to_i64(double x) {
    if (is_nan(x)) return 0;
    if (x >= 0x1p63) return 0x7ffffffffffffc00;
    if (x < -0x1p63) return i64_min;
    return static_cast<std::int64_t>(x);
}
constexpr std::uint64_t to_u64(double x) {
    if (!(x > 0.0)) return 0;
    if (x >= 0x1p64) return 0xfffffffffffff800u;
    return static_cast<std::uint64_t>(x);
}
constexpr float to_f32(std::int64_t x) { return static_cast<float>(x); }
constexpr float to_f32(std::uint64_t x) { return static_cast<float>(x); }
/// Rounds to nearest even; infinite from 2^128 - 2^103 on.
constexpr float to_f32(double x) { return static_cast<float>(x); }
constexpr bool to_bool(double x) { return x != 0.0; }
constexpr double to_f64(std::integral auto x) { return static_cast<double>(x); }
constexpr double to_f64(float x) { return x; }
constexpr double to_f64(double x) { return x; }

/// The largest f16, also the largest integer that converting one gives.
inline constexpr std::int32_t largest_f16 = 65504;
constexpr std::int32_t to_i32(f16 x) { return min(max(to_i32(float{x}), -largest_f16), largest_f16); }
constexpr std::uint32_t to_u32(f16 x) { return min(to_u32(float{x}), as_u32(largest_f16)); }
constexpr std::int64_t to_i64(f16 x) { return to_i32(x); }
constexpr std::uint64_t to_u64(f16 x) { return to_u32(x); }
constexpr float to_f32(f16 x) { return x; }
constexpr double to_f64(f16 x) { return double{float{x}}; }
constexpr bool to_bool(f16 x) { return to_bool(float{x}); }
/// Rounds to nearest even; from 65520 on the result is infinite. f32 has each integer below that.
constexpr f16 to_f16(auto x) { return f16(to_f32(x)); }
/// Rounds once: by way of the float that is rounded to odd, as in add_to_odd().
constexpr f16 to_f16(double x) {
    const auto near = static_cast<float>(x);
    const auto bits = std::bit_cast<std::uint32_t>(near);
    const bool is_exact = !(near < x || near > x);
    if (is_exact || near == 0.0f || (bits & 1u) != 0) return f16(near);
    return f16(std::bit_cast<float>((x > near) == (near > 0.0f) ? bits + 1 : bits - 1));
}

MUSTER_API_END
}  // namespace muster::semantics
