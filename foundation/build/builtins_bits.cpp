#include <array>
#include <span>

#include <muster/foundation/build/builtins.hpp>
#include <muster/foundation/build/builtins_detail.hpp>

namespace muster::builtins {
namespace {

using namespace detail;

struct BitRange {
    NodeId bits, offset, count, empty;  // u32, u32, u32, bool; scalars
};

/// A range of the bits of e's scalars.
BitRange bit_range(IrBuilder& ir, NodeId e, NodeId offset, NodeId count) {
    const NodeId bits = ir.constant(8 * info(scalar(ir, e)).bytes);
    const NodeId o = ir.binary(Op::min, offset, bits);
    const NodeId c = ir.binary(Op::min, count, sub(ir, bits, o));
    return {bits, o, c, ir.binary(Op::eq, c, ir.constant(0u))};
}

NodeId constants(IrBuilder& ir, std::span<const std::uint32_t> words) {
    return ir.constant(type_of(Scalar::u32, static_cast<std::uint32_t>(words.size())), words);
}

/// The bit positions of the components: (0, 8, 16, 24) or (0, 16).
NodeId places(IrBuilder& ir, std::uint32_t width) {
    constexpr std::array<std::uint32_t, 4> bytes{0, 8, 16, 24};
    constexpr std::array<std::uint32_t, 2> halves{0, 16};
    return width == 4 ? constants(ir, bytes) : constants(ir, halves);
}
/// The left shifts that move each component's top bit to the word's.
NodeId tops(IrBuilder& ir, std::uint32_t width) {
    constexpr std::array<std::uint32_t, 4> bytes{24, 16, 8, 0};
    constexpr std::array<std::uint32_t, 2> halves{16, 0};
    return width == 4 ? constants(ir, bytes) : constants(ir, halves);
}

/// Packs the low bits of each component into one word; `parts` is a u32 vector.
NodeId join(IrBuilder& ir, NodeId parts) {
    const std::uint32_t n = width(ir, parts);
    const NodeId low = bit_and(ir, parts, fill(ir, parts, n == 4 ? 0xffu : 0xffffu));
    const NodeId placed = shl(ir, low, places(ir, n));
    NodeId word = ir.extract(placed, 0);
    for (std::uint32_t i = 1; i < n; ++i) word = bit_or(ir, word, ir.extract(placed, i));
    return word;
}

NodeId split_unsigned(IrBuilder& ir, NodeId word, std::uint32_t n) {
    const NodeId shifted = shr(ir, ir.splat(word, n), places(ir, n));
    return bit_and(ir, shifted, fill(ir, shifted, n == 4 ? 0xffu : 0xffffu));
}

NodeId split_signed(IrBuilder& ir, NodeId word, std::uint32_t n) {
    const NodeId raised = shl(ir, ir.splat(ir.bitcast(Scalar::i32, word), n), tops(ir, n));
    return shr(ir, raised, n == 4 ? 24u : 16u);
}

NodeId to_norm(IrBuilder& ir, NodeId e, float low, float scale) {
    const NodeId bounded = clamp(ir, e, fill(ir, e, low), fill(ir, e, 1.0f));
    const NodeId rounded =
        ir.unary(Op::floor, add(ir, fill(ir, e, 0.5f), mul(ir, fill(ir, e, scale), bounded)));
    return join(ir, ir.bitcast(Scalar::u32, ir.convert(Scalar::i32, rounded)));
}

NodeId from_snorm(IrBuilder& ir, NodeId word, std::uint32_t n, float scale) {
    const NodeId value = ir.convert(Scalar::f32, split_signed(ir, word, n));
    return ir.binary(Op::max, div(ir, value, fill(ir, value, scale)), fill(ir, value, -1.0f));
}

NodeId from_unorm(IrBuilder& ir, NodeId word, std::uint32_t n, float scale) {
    const NodeId value = ir.convert(Scalar::f32, split_unsigned(ir, word, n));
    return div(ir, value, fill(ir, value, scale));
}

/// Intermediate values of rounding to binary16: the magnitude's bits, and which case applies.
struct HalfParts {
    NodeId sign_bit;  // u32
    NodeId rounded;   // u32: binary32 bits of the magnitude, rounded to 10 bits of fraction
    NodeId steps;  // u32: binary32 bits of magnitude + 0.5: 0x3f000000 plus the magnitude in units of 2^-24
    NodeId tiny;   // bool: under 2^-14
    NodeId too_large;  // bool: infinite in binary16
    NodeId is_nan;     // bool
};

HalfParts half_parts(IrBuilder& ir, NodeId e) {
    const NodeId bits = ir.bitcast(Scalar::u32, e);
    const NodeId sign_bit = bit_and(ir, bits, fill(ir, e, 0x80000000u));
    const NodeId magnitude = bit_and(ir, bits, fill(ir, e, 0x7fffffffu));
    const NodeId odd = bit_and(ir, shr(ir, magnitude, 13), fill(ir, e, 1u));
    const NodeId raised = add(ir, add(ir, magnitude, fill(ir, e, 0xfffu)), odd);
    const NodeId rounded = bit_and(ir, raised, fill(ir, e, ~0x1fffu));
    const NodeId steps = ir.bitcast(Scalar::u32, add(ir, ir.unary(Op::abs, e), fill(ir, e, 0.5f)));
    return {sign_bit,
            rounded,
            steps,
            ir.binary(Op::lt, magnitude, fill(ir, e, 0x38800000u)),
            ir.binary(Op::ge, rounded, fill(ir, e, 0x47800000u)),
            ir.binary(Op::gt, magnitude, fill(ir, e, 0x7f800000u))};
}

}  // namespace

NodeId extract_bits(IrBuilder& ir, NodeId e, NodeId offset, NodeId count) {
    const BitRange range = bit_range(ir, e, offset, count);
    const NodeId left = sub(ir, range.bits, add(ir, range.offset, range.count));
    const NodeId right = sub(ir, range.bits, range.count);
    const std::uint32_t n = width(ir, e);
    const NodeId found = shr(ir, shl(ir, e, ir.splat(left, n)), ir.splat(right, n));
    return choose(ir, found, ir.zero(ir.type(e)), range.empty);
}

NodeId insert_bits(IrBuilder& ir, NodeId e, NodeId bits, NodeId offset, NodeId count) {
    const BitRange range = bit_range(ir, e, offset, count);
    const NodeId all = is_wide(scalar(ir, e)) ? ir.constant(UINT64_MAX) : ir.constant(UINT32_MAX);
    const NodeId ones = shr(ir, all, sub(ir, range.bits, range.count));
    const NodeId mask = choose(ir, shl(ir, ones, range.offset), ir.zero(ir.type(all)), range.empty);
    const std::uint32_t n = width(ir, e);
    const NodeId wide = ir.splat(ir.bitcast(scalar(ir, e), mask), n);
    const NodeId kept = bit_and(ir, e, ir.unary(Op::bit_not, wide));
    return bit_or(ir, kept, bit_and(ir, shl(ir, bits, ir.splat(range.offset, n)), wide));
}

NodeId first_leading_bit(IrBuilder& ir, NodeId e) {
    const std::uint32_t last = 8 * info(scalar(ir, e)).bytes - 1;
    const NodeId bits = is_signed(scalar(ir, e)) ? ir.binary(Op::bit_xor, e, shr(ir, e, last)) : e;
    return sub(ir, number(ir, e, static_cast<std::int32_t>(last)), ir.unary(Op::count_leading_zeros, bits));
}

NodeId first_trailing_bit(IrBuilder& ir, NodeId e) {
    const NodeId none = ir.binary(Op::eq, e, number(ir, e, 0));
    return ir.select(ir.unary(Op::count_trailing_zeros, e), number(ir, e, -1), none);
}

NodeId dot4_u8_packed(IrBuilder& ir, NodeId a, NodeId b) { return ir.binary(Op::dot4_u8_packed, a, b); }
NodeId dot4_i8_packed(IrBuilder& ir, NodeId a, NodeId b) { return ir.binary(Op::dot4_i8_packed, a, b); }

NodeId quantize_to_f16(IrBuilder& ir, NodeId e) {
    const HalfParts half = half_parts(ir, e);
    const NodeId tiny = sub(ir, ir.bitcast(Scalar::f32, half.steps), fill(ir, e, 0.5f));
    const NodeId magnitude = ir.select(ir.select(half.rounded, ir.bitcast(Scalar::u32, tiny), half.tiny),
                                       fill(ir, e, 0x7f800000u), half.too_large);
    return ir.select(ir.bitcast(Scalar::f32, bit_or(ir, half.sign_bit, magnitude)), e, half.is_nan);
}

NodeId pack2x16_float(IrBuilder& ir, NodeId e) {
    const HalfParts half = half_parts(ir, e);
    const NodeId normal = shr(ir, sub(ir, half.rounded, fill(ir, e, 0x38000000u)), 13);
    const NodeId tiny = sub(ir, half.steps, fill(ir, e, 0x3f000000u));
    const NodeId finite = ir.select(normal, tiny, half.tiny);
    const NodeId number = ir.select(finite, fill(ir, e, 0x7c00u), half.too_large);
    const NodeId magnitude = ir.select(number, fill(ir, e, 0x7e00u), half.is_nan);
    return join(ir, bit_or(ir, shr(ir, half.sign_bit, 16), magnitude));
}

NodeId unpack2x16_float(IrBuilder& ir, NodeId e) {
    const NodeId halves = split_unsigned(ir, e, 2);
    const NodeId sign_bit = shl(ir, bit_and(ir, halves, fill(ir, halves, 0x8000u)), 16);
    const NodeId magnitude = bit_and(ir, halves, fill(ir, halves, 0x7fffu));
    const NodeId shifted = shl(ir, magnitude, 13);
    const NodeId normal = add(ir, shifted, fill(ir, halves, 0x38000000u));
    const NodeId special = bit_or(ir, shifted, fill(ir, halves, 0x7f800000u));
    const NodeId tiny = mul(ir, ir.convert(Scalar::f32, magnitude), fill(ir, halves, 0x1p-24f));
    const NodeId small = ir.binary(Op::lt, magnitude, fill(ir, halves, 0x400u));
    const NodeId large = ir.binary(Op::ge, magnitude, fill(ir, halves, 0x7c00u));
    const NodeId bits = ir.select(ir.select(normal, ir.bitcast(Scalar::u32, tiny), small), special, large);
    return ir.bitcast(Scalar::f32, bit_or(ir, sign_bit, bits));
}

NodeId pack4x8_snorm(IrBuilder& ir, NodeId e) { return to_norm(ir, e, -1.0f, 127.0f); }
NodeId pack4x8_unorm(IrBuilder& ir, NodeId e) { return to_norm(ir, e, 0.0f, 255.0f); }
NodeId pack2x16_snorm(IrBuilder& ir, NodeId e) { return to_norm(ir, e, -1.0f, 32767.0f); }
NodeId pack2x16_unorm(IrBuilder& ir, NodeId e) { return to_norm(ir, e, 0.0f, 65535.0f); }
NodeId pack4x_i8(IrBuilder& ir, NodeId e) { return join(ir, ir.bitcast(Scalar::u32, e)); }
NodeId pack4x_u8(IrBuilder& ir, NodeId e) { return join(ir, e); }
NodeId pack4x_i8_clamp(IrBuilder& ir, NodeId e) {
    return pack4x_i8(ir, clamp(ir, e, fill(ir, e, -128), fill(ir, e, 127)));
}
NodeId pack4x_u8_clamp(IrBuilder& ir, NodeId e) { return join(ir, ir.binary(Op::min, e, fill(ir, e, 255u))); }
NodeId unpack4x8_snorm(IrBuilder& ir, NodeId e) { return from_snorm(ir, e, 4, 127.0f); }
NodeId unpack4x8_unorm(IrBuilder& ir, NodeId e) { return from_unorm(ir, e, 4, 255.0f); }
NodeId unpack2x16_snorm(IrBuilder& ir, NodeId e) { return from_snorm(ir, e, 2, 32767.0f); }
NodeId unpack2x16_unorm(IrBuilder& ir, NodeId e) { return from_unorm(ir, e, 2, 65535.0f); }
NodeId unpack4x_i8(IrBuilder& ir, NodeId e) { return split_signed(ir, e, 4); }
NodeId unpack4x_u8(IrBuilder& ir, NodeId e) { return split_unsigned(ir, e, 4); }

}  // namespace muster::builtins
