// scalar_operations.hpp - maps each componentwise operation to its function in semantics.hpp, per scalar
// type: one list, read by constant folding and by the interpreter. Internal.
//
// A table offers six functions, each called once per operation with its C++ function and its scalar types:
//     template <auto F, class... T> consteval void unary(Op op);       F(T) -> T or another scalar
//     template <auto F, class... T> consteval void binary(Op op);      F(T, T) -> T or another scalar
//     template <auto F, class... T> consteval void comparison(Op op);  F(T, T) -> bool
//     template <auto F, class... T> consteval void shift(Op op);       F(T, count: u32) -> T
//     template <auto F, class... T> consteval void move(Op op);        F(T) -> T: bitwise, never flushes subnormals
//     template <auto F, class... T> consteval void ternary(Op op);     F(T, T, T) -> T
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/ir/op.hpp>
#include <muster/foundation/ir/type.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::scalar_operations {
MUSTER_API_BEGIN

using F = float;
using H = f16;
using I = std::int32_t;
using U = std::uint32_t;
using B = bool;
using D = double;
using L = std::int64_t;
using M = std::uint64_t;

template <class T>
inline constexpr Scalar scalar_of = Scalar::boolean;
template <>
inline constexpr Scalar scalar_of<F> = Scalar::f32;
template <>
inline constexpr Scalar scalar_of<H> = Scalar::f16;
template <>
inline constexpr Scalar scalar_of<I> = Scalar::i32;
template <>
inline constexpr Scalar scalar_of<U> = Scalar::u32;

template <>
inline constexpr Scalar scalar_of<D> = Scalar::f64;
template <>
inline constexpr Scalar scalar_of<L> = Scalar::i64;
template <>
inline constexpr Scalar scalar_of<M> = Scalar::u64;

/// The word of a scalar, or its two words, the low one in the low half.
template <class T>
using WordOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// A scalar's representation in a word: bool as 0 or 1, an f16's bits in the low half.
template <class T>
constexpr T from_word(WordOf<T> word) {
    return std::bit_cast<T>(word);
}
template <>
constexpr bool from_word<bool>(std::uint32_t word) {
    return word != 0;
}
template <>
constexpr f16 from_word<f16>(std::uint32_t word) {
    return semantics::low_half(word);
}
template <class T>
constexpr WordOf<T> to_word(T x) {
    return std::bit_cast<WordOf<T>>(x);
}
template <>
constexpr std::uint32_t to_word<bool>(bool x) {
    return x ? 1 : 0;
}
template <>
constexpr std::uint32_t to_word<f16>(f16 x) {
    return x.bits();
}

/// The word of the narrow integer that has the low bits of `word`, an i32 or u32.
constexpr std::uint32_t narrowed(Scalar to, std::uint32_t word) {
    if (to == Scalar::i8) return static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(word)});
    if (to == Scalar::i16) return static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(word)});
    return word & (to == Scalar::u8 ? 0xffu : 0xffffu);
}

constexpr std::size_t slot(Op op) { return static_cast<std::size_t>(op); }
constexpr std::size_t slot(Scalar scalar) { return static_cast<std::size_t>(scalar); }

template <class Table>
consteval void list_arithmetic(Table& t) {
    namespace s = semantics;
    t.template binary<[](auto a, auto b) { return s::add(a, b); }, F, H, D, I, U, L, M>(Op::add);
    t.template binary<[](auto a, auto b) { return s::sub(a, b); }, F, H, D, I, U, L, M>(Op::sub);
    t.template binary<[](auto a, auto b) { return s::mul(a, b); }, F, H, D, I, U, L, M>(Op::mul);
    t.template binary<[](auto a, auto b) { return s::div(a, b); }, F, H, D, I, U, L, M>(Op::div);
    t.template binary<[](auto a, auto b) { return s::rem(a, b); }, F, H, D, I, U, L, M>(Op::rem);
    t.template binary<[](auto a, auto b) { return s::min(a, b); }, F, H, D, I, U, L, M>(Op::min);
    t.template binary<[](auto a, auto b) { return s::max(a, b); }, F, H, D, I, U, L, M>(Op::max);
    t.template move<[](auto a) { return s::neg(a); }, F, H, D, I, L>(Op::neg);
    t.template move<[](auto a) { return s::abs(a); }, F, H, D, I, U, L, M>(Op::abs);
    t.template unary<[](auto a) { return s::floor(a); }, F, H, D>(Op::floor);
    t.template unary<[](auto a) { return s::ceil(a); }, F, H, D>(Op::ceil);
    t.template unary<[](auto a) { return s::trunc(a); }, F, H, D>(Op::trunc);
    t.template unary<[](auto a) { return s::round(a); }, F, H, D>(Op::round);
    t.template unary<[](auto a) { return s::sqrt(a); }, F, H, D>(Op::sqrt);
    t.template ternary<[](auto a, auto b, auto c) { return s::fma(a, b, c); }, F, H, D>(Op::fma);
}

template <class Table>
consteval void list_logic(Table& t) {
    namespace s = semantics;
    t.template comparison<[](auto a, auto b) { return s::eq(a, b); }, F, H, D, I, U, L, M, B>(Op::eq);
    t.template comparison<[](auto a, auto b) { return s::ne(a, b); }, F, H, D, I, U, L, M, B>(Op::ne);
    t.template comparison<[](auto a, auto b) { return s::lt(a, b); }, F, H, D, I, U, L, M>(Op::lt);
    t.template comparison<[](auto a, auto b) { return s::le(a, b); }, F, H, D, I, U, L, M>(Op::le);
    t.template comparison<[](auto a, auto b) { return s::gt(a, b); }, F, H, D, I, U, L, M>(Op::gt);
    t.template comparison<[](auto a, auto b) { return s::ge(a, b); }, F, H, D, I, U, L, M>(Op::ge);
    t.template unary<[](B a) { return !a; }, B>(Op::logical_not);
}

template <class Table>
consteval void list_bits(Table& t) {
    namespace s = semantics;
    t.template binary<[](auto a, auto b) { return decltype(a)(a & b); }, I, U, L, M, B>(Op::bit_and);
    t.template binary<[](auto a, auto b) { return decltype(a)(a | b); }, I, U, L, M, B>(Op::bit_or);
    t.template binary<[](auto a, auto b) { return decltype(a)(a ^ b); }, I, U, L, M, B>(Op::bit_xor);
    t.template unary<[](auto a) { return ~a; }, I, U, L, M>(Op::bit_not);
    // A left shift and the counting operations act on the bits of signed and unsigned integers alike.
    t.template shift<[](auto a, U count) { return s::shift_left(to_word(a), count); }, I, U, L, M>(
        Op::shift_left);
    t.template shift<[](auto a, U count) { return s::shift_right(a, count); }, I, U, L, M>(Op::shift_right);
    t.template unary<[](auto a) { return s::count_one_bits(to_word(a)); }, I, U, L, M>(Op::count_one_bits);
    t.template unary<[](auto a) { return s::count_leading_zeros(to_word(a)); }, I, U, L, M>(
        Op::count_leading_zeros);
    t.template unary<[](auto a) { return s::count_trailing_zeros(to_word(a)); }, I, U, L, M>(
        Op::count_trailing_zeros);
    t.template unary<[](auto a) { return s::reverse_bits(to_word(a)); }, I, U, L, M>(Op::reverse_bits);
    t.template binary<[](U a, U b) { return s::dot4_u8(a, b); }, U>(Op::dot4_u8_packed);
    t.template binary<[](U a, U b) { return s::dot4_i8(a, b); }, U>(Op::dot4_i8_packed);
}

template <class Table>
consteval Table make_table() {
    Table table;
    list_arithmetic(table);
    list_logic(table);
    list_bits(table);
    return table;
}

MUSTER_API_END
}  // namespace muster::scalar_operations
