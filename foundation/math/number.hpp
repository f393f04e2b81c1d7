// number.hpp - what a value must offer for the math functions of this folder to be written over it.
//
// Each function (exp_log.hpp, trigonometry.hpp, ...) is written once, as a template over a Number, from exact
// operations alone (DESIGN section 5a): no fma, no double, no table, no branch. Instantiated with float it is
// what the interpreter and the tests call; with IrFloat (ir_number.hpp) it appends the same operations, in
// the same order, to a program. So the two agree bit for bit, and so does every backend.
//
// A Number has + - * / with itself and with float literals, unary minus, < > ==, and, found by its namespace
// or here:
//     abs, sqrt, trunc               of itself
//     bits_of(x) -> Bits<F>          its 32 bits; those of a NaN canonical
//     float_of(bits) -> F            the reverse
//     select(if_false, if_true, c)   numbers or literals, c a truth value
//     both(c, d), either(c, d), not_(c), differ(c, d)   of truth values
// Bits<F> has + - & | ^ << >> and == != with itself and with std::uint32_t, and more by bits.hpp.
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

/// x rounded to a whole number, ties to even, twice: as a number, and as bits whose low 9 are its two's
/// complement. For |x| <= 2^22.
template <Number F>
struct Whole {
    F value;
    Bits<F> bits;
};
template <Number F>
Whole<F> to_whole(F x) {
    constexpr float shifter = 0x1.8p23f;  // its last place is 1, and its low 22 bits are zero
    const F shifted = x + shifter;
    return {shifted - shifter, bits_of(shifted)};
}

/// x * 2^n for the low bits n of a Whole in [-250, 250], by two factors, so that only the last product
/// rounds.
template <Number F>
F times_power_of_two(F x, Bits<F> n) {
    const Bits<F> half = (n >> 1u) << 23u;
    const F first = x * float_of(half + bits_of_one);
    return first * float_of(((n << 23u) - half) + bits_of_one);
}

/// `magnitude` (whose sign is +) with the sign of x, zero's included.
template <Number F>
F with_sign_of(F magnitude, F x) {
    return float_of(bits_of(magnitude) | (bits_of(x) & sign_bit));
}

/// The upper 12 bits of x's significand, so that the product of two such is exact.
template <Number F>
F upper_half(F x) {
    return float_of(bits_of(x) & 0xfffff000u);
}

/// c0 + x*(c1 + x*(c2 + ...)), innermost first.
template <Number F>
F polynomial(F x, float c0, float c1) {
    return x * c1 + c0;
}
template <Number F, class... C>
F polynomial(F x, float c0, float c1, C... rest) {
    return x * polynomial(x, c1, rest...) + c0;
}

}  // namespace muster::math
