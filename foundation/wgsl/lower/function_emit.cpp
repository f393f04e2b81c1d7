// Lowers built-in functions to nodes.

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/wgsl/resolve/functions.hpp>

namespace muster::wgsl {
namespace {

NodeId pair(IrBuilder& ir, TypeRef type, NodeId first, NodeId second) {
    return ir.compose(ir_type(ir.types(), type), std::array{first, second});
}

}  // namespace

NodeId emit(IrBuilder& ir, const FunctionCall& call, std::span<const NodeId> a) {
    namespace b = builtins;
    switch (call.function) {
        case Function::abs: return ir.unary(Op::abs, a[0]);
        case Function::acos: return ir.unary(Op::acos, a[0]);
        case Function::acosh: return ir.unary(Op::acosh, a[0]);
        case Function::all: return ir.types()[ir.type(a[0])].width == 1 ? a[0] : ir.unary(Op::all, a[0]);
        case Function::any: return ir.types()[ir.type(a[0])].width == 1 ? a[0] : ir.unary(Op::any, a[0]);
        case Function::asin: return ir.unary(Op::asin, a[0]);
        case Function::asinh: return ir.unary(Op::asinh, a[0]);
        case Function::atan: return ir.unary(Op::atan, a[0]);
        case Function::atan2: return ir.binary(Op::atan2, a[0], a[1]);
        case Function::atanh: return ir.unary(Op::atanh, a[0]);
        case Function::ceil: return ir.unary(Op::ceil, a[0]);
        case Function::clamp: return b::clamp(ir, a[0], a[1], a[2]);
        case Function::cos: return ir.unary(Op::cos, a[0]);
        case Function::cosh: return ir.unary(Op::cosh, a[0]);
        case Function::countLeadingZeros: return ir.unary(Op::count_leading_zeros, a[0]);
        case Function::countOneBits: return ir.unary(Op::count_one_bits, a[0]);
        case Function::countTrailingZeros: return ir.unary(Op::count_trailing_zeros, a[0]);
        case Function::cross: return b::cross(ir, a[0], a[1]);
        case Function::degrees: return b::degrees(ir, a[0]);
        case Function::distance: return b::distance(ir, a[0], a[1]);
        case Function::dot: return b::dot(ir, a[0], a[1]);
        case Function::dot4I8Packed: return b::dot4_i8_packed(ir, a[0], a[1]);
        case Function::dot4U8Packed: return b::dot4_u8_packed(ir, a[0], a[1]);
        case Function::exp: return ir.unary(Op::exp, a[0]);
        case Function::exp2: return ir.unary(Op::exp2, a[0]);
        case Function::extractBits: return b::extract_bits(ir, a[0], a[1], a[2]);
        case Function::faceForward: return b::face_forward(ir, a[0], a[1], a[2]);
        case Function::firstLeadingBit: return b::first_leading_bit(ir, a[0]);
        case Function::firstTrailingBit: return b::first_trailing_bit(ir, a[0]);
        case Function::floor: return ir.unary(Op::floor, a[0]);
        case Function::fma: return ir.fma(a[0], a[1], a[2]);
        case Function::fract: return b::fract(ir, a[0]);
        case Function::frexp: {
            const b::Frexp parts = b::frexp(ir, a[0]);
            return pair(ir, call.result, parts.fract, parts.exp);
        }
        case Function::insertBits: return b::insert_bits(ir, a[0], a[1], a[2], a[3]);
        case Function::inverseSqrt: return ir.unary(Op::inverse_sqrt, a[0]);
        case Function::ldexp: return b::ldexp(ir, a[0], a[1]);
        case Function::length: return b::length(ir, a[0]);
        case Function::log: return ir.unary(Op::log, a[0]);
        case Function::log2: return ir.unary(Op::log2, a[0]);
        case Function::max: return ir.binary(Op::max, a[0], a[1]);
        case Function::min: return ir.binary(Op::min, a[0], a[1]);
        case Function::mix: return b::mix(ir, a[0], a[1], a[2]);
        case Function::modf: {
            const b::Modf parts = b::modf(ir, a[0]);
            return pair(ir, call.result, parts.fract, parts.whole);
        }
        case Function::normalize: return b::normalize(ir, a[0]);
        case Function::pack2x16float: return b::pack2x16_float(ir, a[0]);
        case Function::pack2x16snorm: return b::pack2x16_snorm(ir, a[0]);
        case Function::pack2x16unorm: return b::pack2x16_unorm(ir, a[0]);
        case Function::pack4x8snorm: return b::pack4x8_snorm(ir, a[0]);
        case Function::pack4x8unorm: return b::pack4x8_unorm(ir, a[0]);
        case Function::pack4xI8: return b::pack4x_i8(ir, a[0]);
        case Function::pack4xI8Clamp: return b::pack4x_i8_clamp(ir, a[0]);
        case Function::pack4xU8: return b::pack4x_u8(ir, a[0]);
        case Function::pack4xU8Clamp: return b::pack4x_u8_clamp(ir, a[0]);
        case Function::pow: return ir.binary(Op::pow, a[0], a[1]);
        case Function::quantizeToF16: return b::quantize_to_f16(ir, a[0]);
        case Function::radians: return b::radians(ir, a[0]);
        case Function::reflect: return b::reflect(ir, a[0], a[1]);
        case Function::refract: return b::refract(ir, a[0], a[1], a[2]);
        case Function::reverseBits: return ir.unary(Op::reverse_bits, a[0]);
        case Function::round: return ir.unary(Op::round, a[0]);
        case Function::saturate: return b::saturate(ir, a[0]);
        case Function::select: return ir.select(a[0], a[1], a[2]);
        case Function::sign: return b::sign(ir, a[0]);
        case Function::sin: return ir.unary(Op::sin, a[0]);
        case Function::sinh: return ir.unary(Op::sinh, a[0]);
        case Function::smoothstep: return b::smoothstep(ir, a[0], a[1], a[2]);
        case Function::sqrt: return ir.unary(Op::sqrt, a[0]);
        case Function::step: return b::step(ir, a[0], a[1]);
        case Function::tan: return ir.unary(Op::tan, a[0]);
        case Function::tanh: return ir.unary(Op::tanh, a[0]);
        case Function::trunc: return ir.unary(Op::trunc, a[0]);
        case Function::unpack2x16float: return b::unpack2x16_float(ir, a[0]);
        case Function::unpack2x16snorm: return b::unpack2x16_snorm(ir, a[0]);
        case Function::unpack2x16unorm: return b::unpack2x16_unorm(ir, a[0]);
        case Function::unpack4x8snorm: return b::unpack4x8_snorm(ir, a[0]);
        case Function::unpack4x8unorm: return b::unpack4x8_unorm(ir, a[0]);
        case Function::unpack4xI8: return b::unpack4x_i8(ir, a[0]);
        case Function::unpack4xU8: return b::unpack4x_u8(ir, a[0]);
    }
    return {};
}

}  // namespace muster::wgsl
