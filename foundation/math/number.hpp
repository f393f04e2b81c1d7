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
