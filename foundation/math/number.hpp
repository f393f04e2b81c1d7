// number.hpp - the operations that a type must offer so that the math functions of this folder work on it.
//
// Each function (exp_log.hpp, trigonometry.hpp, ...) is written once, as a template over a Number, from exact
// operations alone (docs/design.md, Numeric contract): no fma, no double, no table, no branch. The interpreter and
// the tests instantiate it with float; with IrFloat (ir_number.hpp) it appends the same operations, in the same
// order, to a program. So both agree bit for bit, and so does every backend.
//
// A Number has + - * / with itself and with float literals, unary minus, < > ==, and these functions, found here or by
// argument-dependent lookup:
//     abs(x), sqrt(x), trunc(x)
//     bits_of(x) -> Bits<F>          its 32 bits; those of a NaN are canonical
//     float_of(bits) -> F            the reverse
//     select(if_false, if_true, c)   numbers or literals, c a truth value
//     both(c, d), either(c, d), not_(c), differ(c, d)   on truth values
// Bits<F> has + - & | ^ << >> and == != with itself and with std::uint32_t; bits.hpp adds more.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>

#include <muster/foundation/semantics/semantics.hpp>

namespace muster::math {

inline float abs(float x) { return semantics::abs(x); }
inline float sqrt(float x) { return semantics::sqrt(x); }
inline float trunc(float x) { return semantics::trunc(x); }
inline std::uint32_t bits_of(float x) { return semantics::to_bits(x); }
inline float float_of(std::uint32_t bits) { return semantics::from_bits(bits); }
inline float select(float if_false, float if_true, bool condition) { return condition ? if_true : if_false; }
inline bool both(bool a, bool b) { return a & b; }
inline bool either(bool a, bool b) { return a | b; }
inline bool differ(bool a, bool b) { return a ^ b; }
inline bool not_(bool a) { return !a; }

template <class F>
concept Number = requires(F x, float literal) {
    { x + x } -> std::same_as<F>;
    { x* literal } -> std::same_as<F>;
    { literal / x } -> std::same_as<F>;
    { float_of(bits_of(x)) } -> std::same_as<F>;
    { select(literal, x, x < x) } -> std::same_as<F>;
};

template <class F>
using Bits = decltype(bits_of(std::declval<F>()));

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
inline constexpr std::uint32_t sign_bit = 0x80000000u;
inline constexpr std::uint32_t bits_of_one = 0x3f800000u;

/// x rounded to an integer, ties to even, in two forms: as a number, and as bits whose low 9 are the integer's
/// two's complement. For |x| <= 2^22.
template <Number F>
struct Whole {
    F value;
    Bits<F> bits;
};
template <Number F>
Whole<F> to_whole(F x) {
    constexpr float shifter = 0x1.8p23f;  // one unit in its last place is 1, and its low 22 bits are zero
    const F shifted = x + shifter;
    return {shifted - shifter, bits_of(shifted)};
}

/// x * 2^n for n in [-250, 250], given as the low bits of a Whole. Uses two factors, so that only the last
/// product rounds.
template <Number F>
F times_power_of_two(F x, Bits<F> n) {
    const Bits<F> half = (n >> 1u) << 23u;
    const F first = x * float_of(half + bits_of_one);
    return first * float_of(((n << 23u) - half) + bits_of_one);
}

/// `magnitude` (whose sign is +) with the sign of x, also if x is zero.
template <Number F>
F with_sign_of(F magnitude, F x) {
    return float_of(bits_of(magnitude) | (bits_of(x) & sign_bit));
}

/// The upper 12 bits of x's significand: products of two such numbers are exact.
template <Number F>
F upper_half(F x) {
    return float_of(bits_of(x) & 0xfffff000u);
}

/// high + low, |low| far below |high|.
template <Number F>
struct Pair {
    F high, low;
};

/// The same number, with `high` the float nearest to it. |high| >= |low|.
template <Number F>
Pair<F> normalised(Pair<F> x) {
    const F high = x.high + x.low;
    return {high, (x.high - high) + x.low};
}

/// a + b + small + tail, where |a| >= |b| or a = 0. What a + b loses isn't lost, so the errors are the last rounding's and
/// the tail's.
template <Number F, class A>
F sum(A a, F b, F small, F tail) {
    const F rounded = a + b;
    return rounded + ((((a - rounded) + b) + small) + tail);
}
template <Number F, class A>
F sum(A a, F b, F tail) {
    const F rounded = a + b;
    return rounded + (((a - rounded) + b) + tail);
}

/// The upper 12 bits of a quotient, and the exact rest of the division.
template <Number F>
struct Division {
    F upper, rest, reciprocal;
};
template <Number F>
Division<F> divide_upper(F dividend, Pair<F> divisor) {
    const F reciprocal = 1.0f / divisor.high;
    const F upper = upper_half(dividend * reciprocal);
    const F divisor_upper = upper_half(divisor.high);
    const F divisor_rest = (divisor.high - divisor_upper) + divisor.low;
    return {upper, (dividend - upper * divisor_upper) - upper * divisor_rest, reciprocal};
}

/// dividend / divisor with relative error 2^-34; `high` has 12 significant bits. Precondition: no intermediate result
/// leaves the normal range: not the quotient, nor 1 / divisor.
template <Number F>
Pair<F> quotient(F dividend, Pair<F> divisor) {
    const Division<F> of = divide_upper(dividend, divisor);
    return {of.upper, of.rest * of.reciprocal};
}
template <Number F>
Pair<F> quotient(Pair<F> dividend, Pair<F> divisor) {
    const Division<F> of = divide_upper(dividend.high, divisor);
    return {of.upper, (of.rest + dividend.low) * of.reciprocal};
}

/// sqrt(x) with relative error 2^-28, for x >= 0; `high` is rounded correctly, x's own error `low` counts.
template <Number F, class G>
Pair<F> root(F x, G low) {
    const F high = sqrt(x);
    const F upper = upper_half(high);
    const F rest = ((x - upper * upper) - (high - upper) * (high + upper)) + low;
    const F half_inverse = float_of(0x5eb759dfu - (bits_of(x) >> 1u));  // 1/(2 sqrt(x)), within 4 %
    return {high, rest * half_inverse};
}

/// c0 + x*(c1 + x*(c2 + ...)), evaluated from the innermost outward.
template <Number F>
F polynomial(F x, float c0, float c1) {
    return x * c1 + c0;
}
template <Number F, class... C>
F polynomial(F x, float c0, float c1, C... rest) {
    return x * polynomial(x, c1, rest...) + c0;
}

}  // namespace muster::math
