// ir_bits.hpp - bits.hpp for IrBits: the same operations, appended to a program.
#pragma once

#include <muster/foundation/math/bits.hpp>
#include <muster/foundation/math/ir_number.hpp>

namespace muster::math {

inline IrBits operator*(IrBits a, IrBits b) { return detail::binary<IrBits>(Op::mul, a, b); }
inline IrBits operator^(IrBits a, IrBits b) { return detail::binary<IrBits>(Op::bit_xor, a, b); }
inline IrBits operator^(IrBits a, std::uint32_t b) { return a ^ detail::literal(a, b); }
inline IrBits operator-(IrBits a, std::uint32_t b) { return a - detail::literal(a, b); }
inline IrBool operator>(IrBits a, IrBits b) { return detail::binary<IrBool>(Op::gt, a, b); }
inline IrBool operator>(IrBits a, std::uint32_t b) { return a > detail::literal(a, b); }
inline IrBool operator==(IrBits a, std::uint32_t b) {
    return detail::binary<IrBool>(Op::eq, a, detail::literal(a, b));
}

inline IrBits select(IrBits if_false, IrBits if_true, IrBool condition) {
    return {condition.ir, condition.ir->select(if_false.id, if_true.id, condition.id)};
}
inline IrBits select(std::uint32_t if_false, IrBits if_true, IrBool condition) {
    return select(detail::literal(if_true, if_false), if_true, condition);
}
inline IrBits select(IrBits if_false, std::uint32_t if_true, IrBool condition) {
    return select(if_false, detail::literal(if_false, if_true), condition);
}
inline IrBits select(std::uint32_t if_false, std::uint32_t if_true, IrBool condition) {
    return select(detail::literal(condition, if_false), detail::literal(condition, if_true), condition);
}
inline IrBits min(IrBits a, IrBits b) { return detail::binary<IrBits>(Op::min, a, b); }
inline IrBits max(IrBits a, IrBits b) { return detail::binary<IrBits>(Op::max, a, b); }
inline IrBits min(IrBits a, std::uint32_t b) { return min(a, detail::literal(a, b)); }
inline IrBits max(IrBits a, std::uint32_t b) { return max(a, detail::literal(a, b)); }

inline IrBits count_leading_zeros(IrBits x) { return detail::unary(Op::count_leading_zeros, x); }
inline IrBits shift_left(IrBits x, IrBits count) { return detail::binary<IrBits>(Op::shift_left, x, count); }
inline IrBits shift_left(std::uint32_t x, IrBits count) {
    return shift_left(detail::literal(count, x), count);
}
inline IrBits shift_right(IrBits x, IrBits count) {
    return detail::binary<IrBits>(Op::shift_right, x, count);
}
inline IrFloat number_of_integer(IrBits bits) {
    const NodeId integer = bits.ir->bitcast(Scalar::i32, bits.id);
    return {bits.ir, bits.ir->convert(Scalar::f32, integer)};
}
inline IrBits integer_of_number(IrFloat x) {
    const NodeId integer = x.ir->convert(Scalar::i32, x.id);
    return {x.ir, x.ir->bitcast(Scalar::u32, integer)};
}

}  // namespace muster::math
