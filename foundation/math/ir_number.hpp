// ir_number.hpp - Numbers (number.hpp) whose operations append to a program: scalars,
// or vectors componentwise.
//
//     IrFloat y = math::exp(IrFloat{&ir, x});   // some thirty exact operations; y.id is the result
//
// Literals take the width of the other operand. The builder folds operations on constants.
#pragma once

#include <array>
#include <type_traits>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/math/number.hpp>

namespace muster::math {

struct IrBool {
    IrBuilder* ir;
    NodeId id;
};
template <std::unsigned_integral T>
struct IrInteger {
    IrBuilder* ir;
    NodeId id;
};
template <std::floating_point T>
struct IrNumber {
    IrBuilder* ir;
    NodeId id;
};
using IrBits = IrInteger<std::uint32_t>;
using IrFloat = IrNumber<float>;
using IrDouble = IrNumber<double>;

template <>
inline constexpr bool is_double<IrDouble> = true;

namespace detail {

template <class T>
inline constexpr Scalar scalar_of = std::is_same_v<T, float>           ? Scalar::f32
                                    : std::is_same_v<T, double>        ? Scalar::f64
                                    : std::is_same_v<T, std::uint64_t> ? Scalar::u64
                                                                       : Scalar::u32;

template <class V>
NodeId constant(const V& beside, auto value) {
    using T = decltype(value);
    const std::uint32_t width = beside.ir->types()[beside.ir->type(beside.id)].width;
    using Words = std::array<std::uint32_t, sizeof(T) / 4>;
    std::array<Words, 4> all;
    all.fill(std::bit_cast<Words>(value));
    const auto words = std::bit_cast<std::array<std::uint32_t, 4 * sizeof(T) / sizeof(std::uint32_t)>>(all);
    return beside.ir->constant(type_of(scalar_of<T>, width),
                               std::span(words).first(width * std::tuple_size_v<Words>));
}
template <class V, std::floating_point T>
IrNumber<T> literal(const V& beside, T value) {
    return {beside.ir, constant(beside, value)};
}
template <class V, std::unsigned_integral T>
IrInteger<T> literal(const V& beside, T value) {
    return {beside.ir, constant(beside, value)};
}
template <class R, class A>
R binary(Op op, const A& a, const A& b) {
    return {a.ir, a.ir->binary(op, a.id, b.id)};
}
template <class A>
A unary(Op op, const A& a) {
    return {a.ir, a.ir->unary(op, a.id)};
}
/// A number or an integer, and a literal beside it.
template <class T>
using Beside = std::type_identity_t<T>;

}  // namespace detail

// clang-format off
template <class T> IrNumber<T> operator+(IrNumber<T> a, IrNumber<T> b) { return detail::binary<IrNumber<T>>(Op::add, a, b); }
template <class T> IrNumber<T> operator-(IrNumber<T> a, IrNumber<T> b) { return detail::binary<IrNumber<T>>(Op::sub, a, b); }
template <class T> IrNumber<T> operator*(IrNumber<T> a, IrNumber<T> b) { return detail::binary<IrNumber<T>>(Op::mul, a, b); }
template <class T> IrNumber<T> operator/(IrNumber<T> a, IrNumber<T> b) { return detail::binary<IrNumber<T>>(Op::div, a, b); }
template <class T> IrNumber<T> operator+(IrNumber<T> a, detail::Beside<T> b) { return a + detail::literal(a, b); }
template <class T> IrNumber<T> operator-(IrNumber<T> a, detail::Beside<T> b) { return a - detail::literal(a, b); }
template <class T> IrNumber<T> operator*(IrNumber<T> a, detail::Beside<T> b) { return a * detail::literal(a, b); }
template <class T> IrNumber<T> operator+(detail::Beside<T> a, IrNumber<T> b) { return detail::literal(b, a) + b; }
template <class T> IrNumber<T> operator-(detail::Beside<T> a, IrNumber<T> b) { return detail::literal(b, a) - b; }
template <class T> IrNumber<T> operator/(detail::Beside<T> a, IrNumber<T> b) { return detail::literal(b, a) / b; }
template <class T> IrNumber<T> operator-(IrNumber<T> a) { return detail::unary(Op::neg, a); }

template <class T> IrBool operator<(IrNumber<T> a, IrNumber<T> b) { return detail::binary<IrBool>(Op::lt, a, b); }
template <class T> IrBool operator>(IrNumber<T> a, IrNumber<T> b) { return detail::binary<IrBool>(Op::gt, a, b); }
template <class T> IrBool operator==(IrNumber<T> a, IrNumber<T> b) { return detail::binary<IrBool>(Op::eq, a, b); }
template <class T> IrBool operator<(IrNumber<T> a, detail::Beside<T> b) { return a < detail::literal(a, b); }
template <class T> IrBool operator>(IrNumber<T> a, detail::Beside<T> b) { return a > detail::literal(a, b); }
template <class T> IrBool operator==(IrNumber<T> a, detail::Beside<T> b) { return a == detail::literal(a, b); }

template <class T> IrNumber<T> abs(IrNumber<T> x) { return detail::unary(Op::abs, x); }
template <class T> IrNumber<T> sqrt(IrNumber<T> x) { return detail::unary(Op::sqrt, x); }
template <class T> IrNumber<T> trunc(IrNumber<T> x) { return detail::unary(Op::trunc, x); }
template <class T> IrInteger<Word<T>> bits_of(IrNumber<T> x) { return {x.ir, x.ir->bitcast(detail::scalar_of<Word<T>>, x.id)}; }
inline IrFloat float_of(IrInteger<std::uint32_t> x) { return {x.ir, x.ir->bitcast(Scalar::f32, x.id)}; }
inline IrDouble float_of(IrInteger<std::uint64_t> x) { return {x.ir, x.ir->bitcast(Scalar::f64, x.id)}; }

template <class T> IrNumber<T> select(IrNumber<T> if_false, IrNumber<T> if_true, IrBool condition) {
    return {condition.ir, condition.ir->select(if_false.id, if_true.id, condition.id)};
}
template <class T> IrNumber<T> select(detail::Beside<T> if_false, IrNumber<T> if_true, IrBool condition) {
    return select(detail::literal(condition, if_false), if_true, condition);
}
template <class T> IrNumber<T> select(IrNumber<T> if_false, detail::Beside<T> if_true, IrBool condition) {
    return select(if_false, detail::literal(condition, if_true), condition);
}
template <std::floating_point T> IrNumber<T> select(T if_false, T if_true, IrBool condition) {
    return select(detail::literal(condition, if_false), detail::literal(condition, if_true), condition);
}
inline IrBool both(IrBool a, IrBool b) { return detail::binary<IrBool>(Op::bit_and, a, b); }
inline IrBool either(IrBool a, IrBool b) { return detail::binary<IrBool>(Op::bit_or, a, b); }
inline IrBool differ(IrBool a, IrBool b) { return detail::binary<IrBool>(Op::ne, a, b); }
inline IrBool not_(IrBool a) { return detail::unary(Op::logical_not, a); }

template <class T> IrInteger<T> operator+(IrInteger<T> a, IrInteger<T> b) { return detail::binary<IrInteger<T>>(Op::add, a, b); }
template <class T> IrInteger<T> operator-(IrInteger<T> a, IrInteger<T> b) { return detail::binary<IrInteger<T>>(Op::sub, a, b); }
template <class T> IrInteger<T> operator|(IrInteger<T> a, IrInteger<T> b) { return detail::binary<IrInteger<T>>(Op::bit_or, a, b); }
template <class T> IrInteger<T> operator&(IrInteger<T> a, IrInteger<T> b) { return detail::binary<IrInteger<T>>(Op::bit_and, a, b); }
template <class T> IrInteger<T> operator+(IrInteger<T> a, detail::Beside<T> b) { return a + detail::literal(a, b); }
template <class T> IrInteger<T> operator-(detail::Beside<T> a, IrInteger<T> b) { return detail::literal(b, a) - b; }
template <class T> IrInteger<T> operator|(IrInteger<T> a, detail::Beside<T> b) { return a | detail::literal(a, b); }
template <class T> IrInteger<T> operator&(IrInteger<T> a, detail::Beside<T> b) { return a & detail::literal(a, b); }
template <class T> IrInteger<T> operator<<(IrInteger<T> a, std::uint32_t b) {
    return {a.ir, a.ir->binary(Op::shift_left, a.id, detail::literal(a, b).id)};
}
template <class T> IrInteger<T> operator>>(IrInteger<T> a, std::uint32_t b) {
    return {a.ir, a.ir->binary(Op::shift_right, a.id, detail::literal(a, b).id)};
}
template <class T> IrBool operator!=(IrInteger<T> a, detail::Beside<T> b) { return detail::binary<IrBool>(Op::ne, a, detail::literal(a, b)); }
template <class T> IrBool operator>=(IrInteger<T> a, detail::Beside<T> b) { return detail::binary<IrBool>(Op::ge, a, detail::literal(a, b)); }
// clang-format on

static_assert(Number<float> && Number<double> && Number<IrFloat> && Number<IrDouble>);

}  // namespace muster::math
