// number.hpp - the operations that a type must offer so that the math functions of this folder work on it.
//
// Each function (exp_log.hpp, trigonometry.hpp, ...) is written once, as a template over a Number, from exact
// operations alone (docs/design.md, Numeric contract): no fma, no wider format, no table, no branch. The
// interpreter and the tests instantiate it with float and double; with IrFloat and IrDouble (ir_number.hpp)
// it appends the same operations, in the same order, to a program. So both agree bit for bit, and so does
// every backend. f32 and f64 share the methods and differ in the constants.
//
// A Number has + - * / with itself and with literals, unary minus, < > ==, and these functions, found here or
// by argument-dependent lookup:
//     abs(x), sqrt(x), trunc(x)
//     bits_of(x) -> Bits<F>          its bits; those of a NaN are canonical
//     float_of(bits) -> F            the reverse
//     select(if_false, if_true, c)   numbers or literals, c a truth value
//     both(c, d), either(c, d), not_(c), differ(c, d)   on truth values
// Bits<F> has + - & | ^ << >> and == != with itself and with unsigned literals; bits.hpp adds more.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <muster/foundation/semantics/semantics.hpp>

namespace muster::math {

template <std::floating_point T>
T abs(T x) {
    return semantics::abs(x);
}
template <std::floating_point T>
T sqrt(T x) {
    return semantics::sqrt(x);
}
template <std::floating_point T>
T trunc(T x) {
    return semantics::trunc(x);
}
inline std::uint32_t bits_of(float x) { return semantics::to_bits(x); }
inline std::uint64_t bits_of(double x) { return semantics::to_bits(x); }
inline float float_of(std::uint32_t bits) { return semantics::from_bits(bits); }
inline double float_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
template <std::floating_point A, std::floating_point B>
auto select(A if_false, B if_true, bool condition) {
    return condition ? if_true : if_false;
}
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

/// True for Numbers of f64; the others are f32.
template <class F>
inline constexpr bool is_double = std::same_as<F, double>;
template <class F>
using Literal = std::conditional_t<is_double<F>, double, float>;
template <class F>
using Word = std::conditional_t<is_double<F>, std::uint64_t, std::uint32_t>;

/// IEEE's format of a Number, as bits of its Word.
template <class F>
struct Format {
    static constexpr std::uint32_t fraction_bits = std::numeric_limits<Literal<F>>::digits - 1;
    static constexpr Word<F> bias = std::numeric_limits<Literal<F>>::max_exponent - 1;
    static constexpr Word<F> one = bias << fraction_bits;
    static constexpr Word<F> fraction = (Word<F>{1} << fraction_bits) - 1;
    static constexpr Word<F> sign = Word<F>{1} << (8 * sizeof(Word<F>) - 1);
    /// The number from which on all are integers: its bits | n, for an integer n
    /// below it, are its sum with n.
    static constexpr Literal<F> integers_from = 1 / std::numeric_limits<Literal<F>>::epsilon();
    static constexpr Word<F> bits_of_integers_from = (bias + fraction_bits) << fraction_bits;
};

/// One of two literals, by the Number's format.
template <class F>
constexpr Literal<F> literal(float single_precision, double double_precision) {
    if constexpr (is_double<F>)
        return double_precision;
    else
        return single_precision;
}
/// select() between two literals.
template <class F, class Condition>
F choose(Literal<F> if_false, Literal<F> if_true, Condition condition) {
    return select(if_false, if_true, condition);
}

/// x rounded to an integer, ties to even, in two forms: as a number, and as bits whose low 9 (f64: 12) are
/// the integer's two's complement. For |x| <= 2^22.
template <Number F>
struct Whole {
    F value;
    Bits<F> bits;
};
template <Number F>
Whole<F> to_whole(F x) {
    constexpr Literal<F> shifter = Format<F>::integers_from * 1.5f;  // its low 22 or 51 bits are zero
    const F shifted = x + shifter;
    return {shifted - shifter, bits_of(shifted)};
}

/// x * 2^n for n in [-250, 250] (f64: [-2040, 2040]), given as the low bits of a Whole. Uses two factors, so
/// that only the last product rounds.
template <Number F>
F times_power_of_two(F x, Bits<F> n) {
    constexpr std::uint32_t at = Format<F>::fraction_bits;
    const Bits<F> half = (n >> 1u) << at;
    const F first = x * float_of(half + Format<F>::one);
    return first * float_of(((n << at) - half) + Format<F>::one);
}

/// `magnitude` (whose sign is +) with the sign of x, also if x is zero.
template <Number F>
F with_sign_of(F magnitude, F x) {
    return float_of(bits_of(magnitude) | (bits_of(x) & Format<F>::sign));
}

/// The upper 12 bits (f64: 26) of x's significand: products of two such numbers are exact.
template <Number F>
F upper_half(F x) {
    constexpr Word<F> lower = (Word<F>{1} << (Format<F>::fraction_bits + 2) / 2) - 1;
    return float_of(bits_of(x) & ~lower);
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

/// a + b + small + tail, where |a| >= |b| or a = 0. What a + b loses isn't lost, so the errors are the last
/// rounding's and the tail's.
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

/// The upper half of a quotient, and the exact rest of the division.
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

/// dividend / divisor with relative error 2^-34 (f64: 2^-78); `high` is an upper half. Precondition: no
/// intermediate result leaves the normal range: not the quotient, nor 1 / divisor.
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

/// sqrt(x) with relative error 2^-28 (f64: 2^-57), for x >= 0; `high` is rounded correctly,
/// x's own error `low` counts.
template <Number F, class G>
Pair<F> root(F x, G low) {
    const F high = sqrt(x);
    const F upper = upper_half(high);
    const F rest = ((x - upper * upper) - (high - upper) * (high + upper)) + low;
    constexpr Word<F> magic = is_double<F> ? Word<F>(0x5fd6eb50c7b537a9u) : Word<F>(0x5eb759dfu);
    const F half_inverse = float_of(magic - (bits_of(x) >> 1u));  // 1/(2 sqrt(x)), within 4 %
    return {high, rest * half_inverse};
}

/// c0 + x*(c1 + x*(c2 + ...)), evaluated from the innermost outward.
template <Number F>
F polynomial(F x, std::type_identity_t<Literal<F>> c0, std::type_identity_t<Literal<F>> c1) {
    return x * c1 + c0;
}
template <Number F, class... C>
F polynomial(F x, std::type_identity_t<Literal<F>> c0, std::type_identity_t<Literal<F>> c1, C... rest) {
    return x * polynomial(x, c1, rest...) + c0;
}

}  // namespace muster::math
