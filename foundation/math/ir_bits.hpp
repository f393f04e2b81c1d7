// ir_bits.hpp - bits.hpp for IrInteger: the same operations, appended to a program.
#pragma once

#include <muster/foundation/math/bits.hpp>
#include <muster/foundation/math/ir_number.hpp>

namespace muster::math {

// clang-format off
template <class T> IrInteger<T> operator*(IrInteger<T> a, IrInteger<T> b) { return detail::binary<IrInteger<T>>(Op::mul, a, b); }
template <class T> IrInteger<T> operator^(IrInteger<T> a, IrInteger<T> b) { return detail::binary<IrInteger<T>>(Op::bit_xor, a, b); }
template <class T> IrInteger<T> operator^(IrInteger<T> a, detail::Beside<T> b) { return a ^ detail::literal(a, b); }
template <class T> IrInteger<T> operator-(IrInteger<T> a, detail::Beside<T> b) { return a - detail::literal(a, b); }
template <class T> IrBool operator>(IrInteger<T> a, IrInteger<T> b) { return detail::binary<IrBool>(Op::gt, a, b); }
template <class T> IrBool operator>(IrInteger<T> a, detail::Beside<T> b) { return a > detail::literal(a, b); }
template <class T> IrBool operator==(IrInteger<T> a, detail::Beside<T> b) { return detail::binary<IrBool>(Op::eq, a, detail::literal(a, b)); }

template <class T> IrInteger<T> select(IrInteger<T> if_false, IrInteger<T> if_true, IrBool condition) {
    return {condition.ir, condition.ir->select(if_false.id, if_true.id, condition.id)};
}
template <class T> IrInteger<T> select(detail::Beside<T> if_false, IrInteger<T> if_true, IrBool condition) {
    return select(detail::literal(if_true, if_false), if_true, condition);
}
template <class T> IrInteger<T> select(IrInteger<T> if_false, detail::Beside<T> if_true, IrBool condition) {
    return select(if_false, detail::literal(if_false, if_true), condition);
}
template <std::unsigned_integral T> IrInteger<T> select(T if_false, T if_true, IrBool condition) {
    return select(detail::literal(condition, if_false), detail::literal(condition, if_true), condition);
}
template <class T> IrInteger<T> min(IrInteger<T> a, IrInteger<T> b) { return detail::binary<IrInteger<T>>(Op::min, a, b); }
template <class T> IrInteger<T> max(IrInteger<T> a, IrInteger<T> b) { return detail::binary<IrInteger<T>>(Op::max, a, b); }
template <class T> IrInteger<T> min(IrInteger<T> a, detail::Beside<T> b) { return min(a, detail::literal(a, b)); }
template <class T> IrInteger<T> max(IrInteger<T> a, detail::Beside<T> b) { return max(a, detail::literal(a, b)); }

template <class T> IrInteger<T> count_leading_zeros(IrInteger<T> x) { return detail::unary(Op::count_leading_zeros, x); }
namespace detail {
/// A shift's count, which is a u32.
template <class T> NodeId shift_count(IrInteger<T> count) { return count.ir->convert(Scalar::u32, count.id); }
}  // namespace detail
template <class T> IrInteger<T> shift_left(IrInteger<T> x, IrInteger<T> count) {
    return {x.ir, x.ir->binary(Op::shift_left, x.id, detail::shift_count(count))};
}
template <class T> IrInteger<T> shift_left(detail::Beside<T> x, IrInteger<T> count) {
    return shift_left(detail::literal(count, x), count);
}
template <class T> IrInteger<T> shift_right(IrInteger<T> x, IrInteger<T> count) {
    return {x.ir, x.ir->binary(Op::shift_right, x.id, detail::shift_count(count))};
}
template <class T> auto number_of_integer(IrInteger<T> bits) {
    using Float = std::conditional_t<sizeof(T) == 8, double, float>;
    const NodeId integer = bits.ir->bitcast(sizeof(T) == 8 ? Scalar::i64 : Scalar::i32, bits.id);
    return IrNumber<Float>{bits.ir, bits.ir->convert(detail::scalar_of<Float>, integer)};
}
template <class T> IrInteger<Word<T>> integer_of_number(IrNumber<T> x) {
    const NodeId integer = x.ir->convert(sizeof(T) == 8 ? Scalar::i64 : Scalar::i32, x.id);
    return {x.ir, x.ir->bitcast(detail::scalar_of<Word<T>>, integer)};
}
// clang-format on

}  // namespace muster::math
