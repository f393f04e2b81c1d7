// builtins_detail.hpp - helpers that the expansions share. Internal to
// foundation/build/builtins*.cpp and foundation/expand/.
#pragma once

#include <array>

#include <muster/foundation/build/ir_builder.hpp>

namespace muster::builtins::detail {

inline const Type& type_of_node(IrBuilder& ir, NodeId e) { return ir.types()[ir.type(e)]; }
inline std::uint32_t width(IrBuilder& ir, NodeId e) { return type_of_node(ir, e).width; }
inline Scalar scalar(IrBuilder& ir, NodeId e) { return type_of_node(ir, e).scalar; }

/// A constant of `like`'s width; the C++ type determines the scalar type.
template <class T>
NodeId fill(IrBuilder& ir, NodeId like, T value) {
    return ir.splat(ir.constant(value), width(ir, like));
}
/// The number as a constant of `like`'s type.
inline NodeId number(IrBuilder& ir, NodeId like, std::int32_t value) {
    switch (scalar(ir, like)) {
        case Scalar::boolean: return fill(ir, like, value != 0);
        case Scalar::i32: return fill(ir, like, value);
        case Scalar::u32: return fill(ir, like, static_cast<std::uint32_t>(value));
        case Scalar::f32: return fill(ir, like, static_cast<float>(value));
        case Scalar::f16: return fill(ir, like, f16(static_cast<float>(value)));
        case Scalar::i64: return fill(ir, like, std::int64_t{value});
        case Scalar::u64: return fill(ir, like, static_cast<std::uint64_t>(value));
        case Scalar::f64: return fill(ir, like, static_cast<double>(value));
        case Scalar::i8:
        case Scalar::u8:
        case Scalar::i16:
        case Scalar::u16: break;  // nothing computes with them
    }
    return {};
}
/// f16 as f32, anything else as it is.
inline NodeId widen(IrBuilder& ir, NodeId e) {
    return scalar(ir, e) == Scalar::f16 ? ir.convert(Scalar::f32, e) : e;
}
/// Computes a function of f16 as one of f32, and rounds its result once.
template <class... E>
NodeId in_f32(IrBuilder& ir, NodeId (*function)(IrBuilder&, NodeId, E...), NodeId first, E... rest) {
    return ir.convert(Scalar::f16, function(ir, widen(ir, first), widen(ir, rest)...));
}
inline bool is_f16(IrBuilder& ir, NodeId e) { return scalar(ir, e) == Scalar::f16; }

/// As select(), but emits no node if the condition is a scalar constant.
inline NodeId choose(IrBuilder& ir, NodeId if_false, NodeId if_true, NodeId condition) {
    if (!ir.is_constant(condition) || width(ir, condition) != 1)
        return ir.select(if_false, if_true, condition);
    return ir.constant_words(condition)[0] != 0 ? if_true : if_false;
}

inline NodeId add(IrBuilder& ir, NodeId a, NodeId b) { return ir.binary(Op::add, a, b); }
inline NodeId sub(IrBuilder& ir, NodeId a, NodeId b) { return ir.binary(Op::sub, a, b); }
inline NodeId mul(IrBuilder& ir, NodeId a, NodeId b) { return ir.binary(Op::mul, a, b); }
inline NodeId div(IrBuilder& ir, NodeId a, NodeId b) { return ir.binary(Op::div, a, b); }
inline NodeId bit_and(IrBuilder& ir, NodeId a, NodeId b) { return ir.binary(Op::bit_and, a, b); }
inline NodeId bit_or(IrBuilder& ir, NodeId a, NodeId b) { return ir.binary(Op::bit_or, a, b); }
/// shl and shr: `count` is u32 and has e's width.
inline NodeId shl(IrBuilder& ir, NodeId e, NodeId count) { return ir.binary(Op::shift_left, e, count); }
inline NodeId shr(IrBuilder& ir, NodeId e, NodeId count) { return ir.binary(Op::shift_right, e, count); }
inline NodeId shl(IrBuilder& ir, NodeId e, std::uint32_t count) { return shl(ir, e, fill(ir, e, count)); }
inline NodeId shr(IrBuilder& ir, NodeId e, std::uint32_t count) { return shr(ir, e, fill(ir, e, count)); }

}  // namespace muster::builtins::detail
