// semantics.hpp - defines what each operation computes, scalar by scalar (docs/design.md, Numeric contract).
// The interpreter and constant folding call these functions; every backend is compared with them.
//
// Exact: the same bits everywhere. f32 operations round once, to nearest even, and are never contracted: a
// source that includes this is compiled with -ffp-contract=off and runs in the default floating-point
// environment. f16 operations are those of f32, rounded once more: which is correct rounding for + - * /
// and sqrt, and fma sees to it. Subnormals are kept; a device may flush those of f32, which flush() models:
// on operands and results of arithmetic, comparison and conversion, not of moves (neg, abs, select,
// bitcast, loads and stores). All NaNs are equivalent; only to_bits() exposes the bits, as canonical_nan.
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/f16.hpp>

namespace muster::semantics {
MUSTER_API_BEGIN

inline constexpr std::uint32_t canonical_nan = 0x7fc00000u;
inline constexpr std::uint64_t canonical_nan_of_double = 0x7ff8000000000000u;
inline constexpr std::int32_t i32_min = std::numeric_limits<std::int32_t>::min();

/// The unsigned integer of a scalar's width.
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <std::floating_point T>
inline constexpr BitsOf<T> sign_bit = BitsOf<T>{1} << (8 * sizeof(T) - 1);

template <std::floating_point T>
constexpr bool is_nan(T x) {
    return x != x;
}
template <std::floating_point T>
constexpr bool is_finite(T x) {
    constexpr auto infinite = std::bit_cast<BitsOf<T>>(std::numeric_limits<T>::infinity());
    return (std::bit_cast<BitsOf<T>>(x) & infinite) != infinite;
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

template <std::floating_point T>
constexpr T neg(T x) {
    return std::bit_cast<T>(std::bit_cast<BitsOf<T>>(x) ^ sign_bit<T>);
}
template <std::floating_point T>
constexpr T abs(T x) {
    return std::bit_cast<T>(std::bit_cast<BitsOf<T>>(x) & ~sign_bit<T>);
}
template <class T>
constexpr T select(T if_false, T if_true, bool condition) {
    return condition ? if_true : if_false;
}

// Arithmetic of f32 and f64.

template <std::floating_point T>
constexpr T add(T a, T b) {
    return a + b;
}
template <std::floating_point T>
constexpr T sub(T a, T b) {
    return a - b;
}
template <std::floating_point T>
constexpr T mul(T a, T b) {
    return a * b;
}
template <std::floating_point T>
constexpr T div(T a, T b) {
    return a / b;
}
template <std::floating_point T>
T sqrt(T x) {
    return std::sqrt(x);
}
/// a * b + c with one rounding.
template <std::floating_point T>
T fma(T a, T b, T c) {
    return std::fma(a, b, c);
}

/// From 2^23 on every f32 is an integer, from 2^52 on every f64.
template <std::floating_point T>
inline constexpr T integers_from = T{1} / std::numeric_limits<T>::epsilon();

template <std::floating_point T>
constexpr T with_sign_of(T magnitude, T sign) {
    return std::bit_cast<T>((std::bit_cast<BitsOf<T>>(magnitude) & ~sign_bit<T>) |
                            (std::bit_cast<BitsOf<T>>(sign) & sign_bit<T>));
}
/// Rounds toward zero and keeps the sign of zero. trunc, floor, ceil and round return NaN and infinities
/// unchanged.
template <std::floating_point T>
constexpr T trunc(T x) {
    if (!(abs(x) < integers_from<T>)) return x;
    return with_sign_of(static_cast<T>(static_cast<std::int64_t>(x)), x);
}
template <std::floating_point T>
constexpr T floor(T x) {
    const T t = trunc(x);
    return t > x ? t - 1 : t;
}
template <std::floating_point T>
constexpr T ceil(T x) {
    const T t = trunc(x);
    return with_sign_of(t < x ? t + 1 : t, x);
}
/// Rounds to the nearest integer, ties to even.
template <std::floating_point T>
constexpr T round(T x) {
    if (!(abs(x) < integers_from<T>)) return x;
    return with_sign_of((abs(x) + integers_from<T>)-integers_from<T>, x);
}

/// x % y, WGSL section "Floating Point Evaluation": x - y * trunc(x / y), as four operations, each rounded.
/// So the result differs from fmod's if x / y is large, and is NaN for y = 0 and for infinite x or y.
template <std::floating_point T>
constexpr T rem(T x, T y) {
    return sub(x, mul(y, trunc(div(x, y))));
}

/// If one operand is NaN the result is the other; -0 is below +0.
template <std::floating_point T>
constexpr T min(T a, T b) {
    if (a < b) return a;
    if (b < a) return b;
    if (a == b) return std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) | std::bit_cast<BitsOf<T>>(b));
    return is_nan(a) ? b : a;
}
template <std::floating_point T>
constexpr T max(T a, T b) {
    if (a > b) return a;
    if (b > a) return b;
    if (a == b) return std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) & std::bit_cast<BitsOf<T>>(b));
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

/// a + b rounded to odd: if it isn't exact, the neighbour whose last bit is set. Rounding that once more, to
/// a format with at least two bits fewer, gives what rounding the exact sum gives.
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

template <std::signed_integral T>
constexpr std::make_unsigned_t<T> as_unsigned(T x) {
    return static_cast<std::make_unsigned_t<T>>(x);
}

template <std::unsigned_integral T>
constexpr T add(T a, T b) {
    return a + b;
}
template <std::unsigned_integral T>
constexpr T sub(T a, T b) {
    return a - b;
}
template <std::unsigned_integral T>
constexpr T mul(T a, T b) {
    return a * b;
}
/// x / 0 = x.
template <std::unsigned_integral T>
constexpr T div(T a, T b) {
    return b == 0 ? a : a / b;
}
/// x % 0 = 0.
template <std::unsigned_integral T>
constexpr T rem(T a, T b) {
    return b == 0 ? 0 : a % b;
}
template <std::unsigned_integral T>
constexpr T abs(T x) {
    return x;
}

template <std::signed_integral T>
constexpr T add(T a, T b) {
    return static_cast<T>(as_unsigned(a) + as_unsigned(b));
}
template <std::signed_integral T>
constexpr T sub(T a, T b) {
    return static_cast<T>(as_unsigned(a) - as_unsigned(b));
}
template <std::signed_integral T>
constexpr T mul(T a, T b) {
    return static_cast<T>(as_unsigned(a) * as_unsigned(b));
}
template <std::signed_integral T>
constexpr T neg(T x) {
    return static_cast<T>(0u - as_unsigned(x));
}
/// |MIN| = MIN.
template <std::signed_integral T>
constexpr T abs(T x) {
    return x < 0 ? neg(x) : x;
}
/// Rounds toward zero; x / 0 = x; MIN / -1 = MIN.
template <std::signed_integral T>
constexpr T div(T a, T b) {
    return b == 0 || (a == std::numeric_limits<T>::min() && b == -1) ? a : a / b;
}
/// Has the sign of a; x % 0 = 0; MIN % -1 = 0.
template <std::signed_integral T>
constexpr T rem(T a, T b) {
    return b == 0 || (a == std::numeric_limits<T>::min() && b == -1) ? 0 : a % b;
}
template <std::integral T>
constexpr T min(T a, T b) {
    return b < a ? b : a;
}
template <std::integral T>
constexpr T max(T a, T b) {
    return a < b ? b : a;
}

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

/// The sum of the products of the words' bytes (WGSL sections "dot4U8Packed",
/// "dot4I8Packed"); it can't overflow.
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

// Conversions. Between i32 and u32: the same bits. From bool: 0 and 1. To bool: true
// unless zero (NaN is true).

/// Rounds toward zero; out of range, gives the nearest value that both types can represent (WGSL section
/// "Floating Point Conversion"); NaN gives 0.
template <std::integral To, std::floating_point From>
constexpr To truncated(From x) {
    using Limits = std::numeric_limits<To>;
    constexpr int kept = std::min(Limits::digits, std::numeric_limits<From>::digits);
    constexpr To largest = Limits::max() >> (Limits::digits - kept) << (Limits::digits - kept);
    constexpr To half = Limits::max() / 2 + 1;
    constexpr From end = static_cast<From>(half) * 2;
    if (is_nan(x)) return 0;
    if (x >= end) return largest;
    if (x < (std::signed_integral<To> ? -end : From{0})) return Limits::min();
    return static_cast<To>(x);
}
constexpr std::int32_t to_i32(std::floating_point auto x) { return truncated<std::int32_t>(x); }
constexpr std::uint32_t to_u32(std::floating_point auto x) { return truncated<std::uint32_t>(x); }
constexpr std::int64_t to_i64(std::floating_point auto x) { return truncated<std::int64_t>(x); }
constexpr std::uint64_t to_u64(std::floating_point auto x) { return truncated<std::uint64_t>(x); }
constexpr std::int32_t to_i32(std::integral auto x) { return static_cast<std::int32_t>(x); }
constexpr std::uint32_t to_u32(std::integral auto x) { return static_cast<std::uint32_t>(x); }
constexpr std::int64_t to_i64(std::integral auto x) { return static_cast<std::int64_t>(x); }
constexpr std::uint64_t to_u64(std::integral auto x) { return static_cast<std::uint64_t>(x); }
/// Round to nearest even.
template <class T>
concept Number = std::integral<T> || std::floating_point<T>;
constexpr float to_f32(Number auto x) { return static_cast<float>(x); }
constexpr double to_f64(Number auto x) { return static_cast<double>(x); }
constexpr bool to_bool(Number auto x) { return x != 0; }

/// The largest f16, also the largest integer that converting one gives.
inline constexpr std::int32_t largest_f16 = 65504;
constexpr std::int32_t to_i32(f16 x) { return min(max(to_i32(float{x}), -largest_f16), largest_f16); }
constexpr std::uint32_t to_u32(f16 x) { return min(to_u32(float{x}), as_unsigned(largest_f16)); }
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
