// ir_number.hpp - a Number (number.hpp) whose operations append to a program: scalars, or vectors
// componentwise.
//
//     IrFloat y = math::exp(IrFloat{&ir, x});   // some thirty exact operations; y.id is the result
//
// Literals take the width of the other operand. The builder folds operations on constants.
#pragma once

#include <array>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/math/number.hpp>

namespace muster::math {

struct IrBool {
    IrBuilder* ir;
    NodeId id;
};
struct IrBits {  // u32
    IrBuilder* ir;
    NodeId id;
};
struct IrFloat {
    IrBuilder* ir;
    NodeId id;
};

namespace detail {

template <class V>
IrFloat literal(const V& beside, float value) {
    const std::uint32_t width = beside.ir->types()[beside.ir->type(beside.id)].width;
    const std::array<std::uint32_t, 4> words = [&] {
        std::array<std::uint32_t, 4> all{};
        all.fill(std::bit_cast<std::uint32_t>(value));
        return all;
    }();
    return {beside.ir, beside.ir->constant(type_of(Scalar::f32, width), std::span(words).first(width))};
}
template <class V>
IrBits literal(const V& beside, std::uint32_t value) {
    const std::uint32_t width = beside.ir->types()[beside.ir->type(beside.id)].width;
    std::array<std::uint32_t, 4> words{};
    words.fill(value);
    return {beside.ir, beside.ir->constant(type_of(Scalar::u32, width), std::span(words).first(width))};
}
template <class R, class A>
R binary(Op op, const A& a, const A& b) {
    return {a.ir, a.ir->binary(op, a.id, b.id)};
}
template <class A>
A unary(Op op, const A& a) {
    return {a.ir, a.ir->unary(op, a.id)};
}

}  // namespace detail

inline IrFloat operator+(IrFloat a, IrFloat b) { return detail::binary<IrFloat>(Op::add, a, b); }
inline IrFloat operator-(IrFloat a, IrFloat b) { return detail::binary<IrFloat>(Op::sub, a, b); }
inline IrFloat operator*(IrFloat a, IrFloat b) { return detail::binary<IrFloat>(Op::mul, a, b); }
inline IrFloat operator/(IrFloat a, IrFloat b) { return detail::binary<IrFloat>(Op::div, a, b); }
inline IrFloat operator+(IrFloat a, float b) { return a + detail::literal(a, b); }
inline IrFloat operator-(IrFloat a, float b) { return a - detail::literal(a, b); }
inline IrFloat operator*(IrFloat a, float b) { return a * detail::literal(a, b); }
inline IrFloat operator+(float a, IrFloat b) { return detail::literal(b, a) + b; }
inline IrFloat operator-(float a, IrFloat b) { return detail::literal(b, a) - b; }
inline IrFloat operator/(float a, IrFloat b) { return detail::literal(b, a) / b; }
inline IrFloat operator-(IrFloat a) { return detail::unary(Op::neg, a); }

inline IrBool operator<(IrFloat a, IrFloat b) { return detail::binary<IrBool>(Op::lt, a, b); }
inline IrBool operator>(IrFloat a, IrFloat b) { return detail::binary<IrBool>(Op::gt, a, b); }
inline IrBool operator==(IrFloat a, IrFloat b) { return detail::binary<IrBool>(Op::eq, a, b); }
inline IrBool operator<(IrFloat a, float b) { return a < detail::literal(a, b); }
inline IrBool operator>(IrFloat a, float b) { return a > detail::literal(a, b); }
inline IrBool operator==(IrFloat a, float b) { return a == detail::literal(a, b); }

inline IrFloat abs(IrFloat x) { return detail::unary(Op::abs, x); }
inline IrFloat sqrt(IrFloat x) { return detail::unary(Op::sqrt, x); }
inline IrFloat trunc(IrFloat x) { return detail::unary(Op::trunc, x); }
inline IrBits bits_of(IrFloat x) { return {x.ir, x.ir->bitcast(Scalar::u32, x.id)}; }
inline IrFloat float_of(IrBits x) { return {x.ir, x.ir->bitcast(Scalar::f32, x.id)}; }

inline IrFloat select(IrFloat if_false, IrFloat if_true, IrBool condition) {
    return {condition.ir, condition.ir->select(if_false.id, if_true.id, condition.id)};
}
inline IrFloat select(float if_false, IrFloat if_true, IrBool condition) {
    return select(detail::literal(condition, if_false), if_true, condition);
}
inline IrFloat select(IrFloat if_false, float if_true, IrBool condition) {
    return select(if_false, detail::literal(condition, if_true), condition);
}
inline IrFloat select(float if_false, float if_true, IrBool condition) {
    return select(detail::literal(condition, if_false), detail::literal(condition, if_true), condition);
}
inline IrBool both(IrBool a, IrBool b) { return detail::binary<IrBool>(Op::bit_and, a, b); }
inline IrBool either(IrBool a, IrBool b) { return detail::binary<IrBool>(Op::bit_or, a, b); }
inline IrBool differ(IrBool a, IrBool b) { return detail::binary<IrBool>(Op::ne, a, b); }
inline IrBool not_(IrBool a) { return detail::unary(Op::logical_not, a); }

inline IrBits operator+(IrBits a, IrBits b) { return detail::binary<IrBits>(Op::add, a, b); }
inline IrBits operator-(IrBits a, IrBits b) { return detail::binary<IrBits>(Op::sub, a, b); }
inline IrBits operator|(IrBits a, IrBits b) { return detail::binary<IrBits>(Op::bit_or, a, b); }
inline IrBits operator+(IrBits a, std::uint32_t b) { return a + detail::literal(a, b); }
inline IrBits operator-(std::uint32_t a, IrBits b) { return detail::literal(b, a) - b; }
inline IrBits operator|(IrBits a, std::uint32_t b) { return a | detail::literal(a, b); }
inline IrBits operator&(IrBits a, std::uint32_t b) {
    return detail::binary<IrBits>(Op::bit_and, a, detail::literal(a, b));
}
inline IrBits operator<<(IrBits a, std::uint32_t b) {
    return detail::binary<IrBits>(Op::shift_left, a, detail::literal(a, b));
}
inline IrBits operator>>(IrBits a, std::uint32_t b) {
    return detail::binary<IrBits>(Op::shift_right, a, detail::literal(a, b));
}
inline IrBool operator!=(IrBits a, std::uint32_t b) {
    return detail::binary<IrBool>(Op::ne, a, detail::literal(a, b));
}
inline IrBool operator>=(IrBits a, std::uint32_t b) {
    return detail::binary<IrBool>(Op::ge, a, detail::literal(a, b));
}

static_assert(Number<float> && Number<IrFloat>);

}  // namespace muster::math
