#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>
#include <utility>
#include <vector>

#include <muster/backend-vulkan/lowering/lower_operation.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/semantics/scalar_operations.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::vulkan {
namespace {

using scalar_operations::slot;

std::uint64_t bits_of(Scalar scalar, double value) {
    return scalar == Scalar::f64 ? std::bit_cast<std::uint64_t>(value)
                                 : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

// One operation to emit: its operands, and the building blocks for the table below.
struct Operation {
    Builder& builder;
    TypeId from_type, to_type;
    Scalar from, to;
    std::uint32_t width;
    std::array<Id, 3> operands{};

    Id a() const { return operands[0]; }
    Id b() const { return operands[1]; }
    Id c() const { return operands[2]; }
    bool is_number() const { return is_float(from); }
    bool is_signed() const { return muster::is_signed(from); }
    bool is_bool() const { return from == Scalar::boolean; }
    bool is_fast() const { return !builder.exact; }

    TypeId type(Scalar scalar) const { return type_of(scalar, width); }
    Id word(std::uint64_t bits) const { return builder.all(type(from), bits); }
    Id word(Scalar scalar, std::uint64_t bits) const { return builder.all(type(scalar), bits); }
    /// The number as a value of the operands' type.
    Id float_of(double value) const { return word(bits_of(from, value)); }
    /// The unsigned integer of the operands' width, its greatest value and its top bit.
    Scalar bits_scalar() const { return is_wide(from) ? Scalar::u64 : Scalar::u32; }
    std::uint64_t ones() const { return is_wide(from) ? UINT64_MAX : UINT32_MAX; }
    std::uint64_t top_bit() const { return ones() - ones() / 2; }

    // Results have the operands' type.
    Id same(spv::Op op, Id x, Id y) const { return builder.add(op, from_type, {x, y}); }
    Id same(spv::Op op, Id x) const { return builder.add(op, from_type, {x}); }
    Id number(spv::Op op, Id x, Id y) const { return builder.number(op, from_type, {x, y}); }
    Id glsl(GLSLstd450 function, Id x) const { return builder.glsl(function, from_type, {x}); }
    Id glsl_number(GLSLstd450 function, Id x) const { return builder.glsl_number(function, from_type, {x}); }
    Id glsl(GLSLstd450 function, Id x, Id y) const { return builder.glsl(function, from_type, {x, y}); }
    // Results are bools.
    Id test(spv::Op op, Id x, Id y) const { return builder.add(op, type(Scalar::boolean), {x, y}); }
    // Decorated too, as glslang does: otherwise Mesa turns a comparison and a select into fmin or fmax.
    Id test_numbers(spv::Op op, Id x, Id y) const {
        return builder.number(op, type(Scalar::boolean), {x, y});
    }
    Id both(Id x, Id y) const { return test(spv::Op::OpLogicalAnd, x, y); }
    Id either(Id x, Id y) const { return test(spv::Op::OpLogicalOr, x, y); }
    Id is_nan(Id x) const { return test_numbers(spv::Op::OpFUnordNotEqual, x, x); }

    Id select(Id condition, Id if_true, Id if_false) const {
        return builder.select(from_type, condition, if_true, if_false);
    }
    Id bits(Id number) const { return builder.add(spv::Op::OpBitcast, type(bits_scalar()), {number}); }
    Id from_bits(Id bits) const {
        return builder.add(spv::Op::OpBitcast, type(is_wide(from) ? Scalar::f64 : Scalar::f32), {bits});
    }

    template <class Passes>
    bool is_constant(Id value, Passes passes) const {
        const auto* components = builder.constant_components(value);
        return components != nullptr && std::ranges::all_of(*components, passes);
    }
};
using O = const Operation&;

// Integer division.

// The divisor, with 1 in place of values with an undefined result: the quotient is then the dividend and the
// remainder 0, as the semantics require.
Id harmless_divisor(O o) {
    const auto harmless = [&](std::uint64_t x) { return x != 0 && !(o.is_signed() && x == o.ones()); };
    if (o.is_constant(o.b(), harmless)) return o.b();
    Id undefined = o.test(spv::Op::OpIEqual, o.b(), o.word(0));
    if (o.is_signed()) {
        const Id least = o.test(spv::Op::OpIEqual, o.a(), o.word(o.top_bit()));
        const Id minus_one = o.test(spv::Op::OpIEqual, o.b(), o.word(o.ones()));
        undefined = o.either(undefined, o.both(least, minus_one));
    }
    return o.select(undefined, o.word(1), o.b());
}

Id divide_integers(O o) {
    return o.same(o.is_signed() ? spv::Op::OpSDiv : spv::Op::OpUDiv, o.a(), harmless_divisor(o));
}

// Vulkan leaves OpSRem undefined for negative operands.
Id remainder_of_integers(O o) {
    const Id divisor = harmless_divisor(o);
    if (!o.is_signed()) return o.same(spv::Op::OpUMod, o.a(), divisor);
    const Id quotient = o.same(spv::Op::OpSDiv, o.a(), divisor);
    return o.same(spv::Op::OpISub, o.a(), o.same(spv::Op::OpIMul, quotient, divisor));
}

// Arithmetic on floats.

/// The magnitude of a number with another one's sign.
Id with_sign_of(O o, Id magnitude, Id sign) {
    const TypeId words = o.type(o.bits_scalar());
    const Id top =
        o.builder.add(spv::Op::OpBitwiseAnd, words, {o.bits(sign), o.word(o.bits_scalar(), o.top_bit())});
    return o.from_bits(o.builder.add(spv::Op::OpBitwiseOr, words, {o.bits(magnitude), top}));
}

// On processors without AVX-512, llvmpipe (Mesa 22.3) rounds f64 down where GLSL's Trunc and RoundEven are
// asked for. Its floor is right on all.
Id truncated(O o, Id x) {
    if (o.from != Scalar::f64) return o.glsl_number(GLSLstd450Trunc, x);
    return with_sign_of(o, o.glsl_number(GLSLstd450Floor, o.glsl_number(GLSLstd450FAbs, x)), x);
}

/// To the nearest integer, and to the even one of two.
Id rounded_to_even(O o) {
    if (o.from != Scalar::f64) return o.glsl_number(GLSLstd450RoundEven, o.a());
    // Above 2^52 an f64 has no fraction; below, the sum with 2^52 rounds as asked for.
    const Id magnitude = o.glsl_number(GLSLstd450FAbs, o.a()), all = o.float_of(0x1p52);
    const Id sum = o.number(spv::Op::OpFAdd, magnitude, all);
    const Id whole = o.number(spv::Op::OpFSub, sum, all);
    const Id has_fraction = o.test_numbers(spv::Op::OpFOrdLessThan, magnitude, all);
    return with_sign_of(o, o.select(has_fraction, whole, magnitude), o.a());
}

Id remainder_of_floats(O o) {
    const Id whole = truncated(o, o.number(spv::Op::OpFDiv, o.a(), o.b()));
    return o.number(spv::Op::OpFSub, o.a(), o.number(spv::Op::OpFMul, o.b(), whole));
}

// x if it is strictly less (or greater) than y, otherwise y, also if they are equal or one is NaN.
Id nearer(O o, bool least, Id x, Id y) {
    const Id before = o.test_numbers(least ? spv::Op::OpFOrdLessThan : spv::Op::OpFOrdGreaterThan, x, y);
    return o.select(before, x, y);
}

// The minimum or maximum: the number if one operand is NaN; -0 is below +0.
Id extreme_of_floats(O o, bool least) {
    if (o.is_fast()) return o.glsl(least ? GLSLstd450NMin : GLSLstd450NMax, o.a(), o.b());
    Id a = o.a(), b = o.b();
    if (o.builder.constant_components(a) != nullptr) std::swap(a, b);
    // Constants for which the simple form is right: any number but zero, and the zero that wins.
    const std::uint64_t zero_that_wins = least ? o.top_bit() : 0;
    const std::uint64_t infinity = bits_of(o.from, std::numeric_limits<double>::infinity());
    const auto decides = [&](std::uint64_t bits) {
        const std::uint64_t magnitude = bits & ~o.top_bit();
        return magnitude <= infinity && (magnitude != 0 || bits == zero_that_wins);
    };
    const bool is_simple = o.is_constant(b, decides);
    b = o.builder.hidden(b, Builder::Hide::numbers);
    if (is_simple) return nearer(o, least, a, b);
    const Id number = o.select(o.is_nan(a), b, a);
    // Equal operands differ at most in a zero's sign.
    const Id equal = o.test_numbers(spv::Op::OpFOrdEqual, b, number);
    const spv::Op merge = least ? spv::Op::OpBitwiseOr : spv::Op::OpBitwiseAnd;
    const Id merged = o.builder.add(merge, o.type(o.bits_scalar()), {o.bits(b), o.bits(number)});
    return o.select(equal, o.from_bits(merged), nearer(o, least, b, number));
}

Id extreme(O o, bool least) {
    if (o.is_number()) return extreme_of_floats(o, least);
    if (o.is_signed()) return o.glsl(least ? GLSLstd450SMin : GLSLstd450SMax, o.a(), o.b());
    return o.glsl(least ? GLSLstd450UMin : GLSLstd450UMax, o.a(), o.b());
}

// The absolute value; of the least integer, itself, which GLSL's SAbs doesn't specify.
Id absolute(O o) {
    if (o.is_number()) return o.glsl_number(GLSLstd450FAbs, o.a());
    if (!o.is_signed()) return o.a();
    return o.glsl(GLSLstd450SMax, o.a(), o.same(spv::Op::OpSNegate, o.a()));
}

Id fused(O o) { return o.builder.glsl_number(GLSLstd450Fma, o.from_type, {o.a(), o.b(), o.c()}); }

// Conversion.

/// The least and the greatest integer that converting this float gives, as the float.
std::pair<double, double> range_of(Scalar from, Scalar to) {
    const auto ends = [to](auto infinity) -> std::pair<double, double> {
        using namespace semantics;
        const auto as_doubles = [](auto least, auto greatest) {
            return std::pair{static_cast<double>(least), static_cast<double>(greatest)};
        };
        if (to == Scalar::i32) return as_doubles(to_i32(-infinity), to_i32(infinity));
        if (to == Scalar::u32) return as_doubles(to_u32(-infinity), to_u32(infinity));
        if (to == Scalar::i64) return as_doubles(to_i64(-infinity), to_i64(infinity));
        return as_doubles(to_u64(-infinity), to_u64(infinity));
    };
    return from == Scalar::f64 ? ends(std::numeric_limits<double>::infinity())
                               : ends(std::numeric_limits<float>::infinity());
}

// Clamps first, since SPIR-V's conversion is undefined out of range; NaN then is the least integer.
Id integer_of_float(O o) {
    const auto [least, greatest] = range_of(o.from, o.to);
    const Id inside = nearer(o, true, nearer(o, false, o.a(), o.float_of(least)), o.float_of(greatest));
    if (!is_signed(o.to)) return o.builder.add(spv::Op::OpConvertFToU, o.to_type, {inside});
    const Id whole = o.builder.add(spv::Op::OpConvertFToS, o.to_type, {inside});
    return o.builder.select(o.to_type, o.is_nan(o.a()), o.word(o.to, 0), whole);
}

Id to_bool(O o) {
    if (o.is_number()) return o.test_numbers(spv::Op::OpFUnordNotEqual, o.a(), o.word(0));
    return o.test(spv::Op::OpINotEqual, o.a(), o.word(0));
}

Id from_bool(O o) {
    const std::uint64_t one = is_float(o.to) ? bits_of(o.to, 1.0) : 1;
    const auto hidden = [&](std::uint64_t bits) {
        return o.builder.hidden(o.word(o.to, bits), Builder::Hide::numbers);
    };
    return o.builder.select(o.to_type, o.a(), hidden(one), hidden(0));
}

// The integer is hidden, since a compiler that knows it also knows the number (builder_hidden.cpp).
Id float_of_integer(O o) {
    const Id from = o.builder.exact ? o.builder.unknown(o.from_type, o.a()) : o.a();
    return o.builder.number(o.is_signed() ? spv::Op::OpConvertSToF : spv::Op::OpConvertUToF, o.to_type,
                            {from});
}

// f16 is the low half of a u32, converted as muster::f16 is (base/f16.hpp): only integer operations and exact
// ones of floats, whatever the device has.

Id word_op(O o, spv::Op op, Id x, std::uint32_t y) {
    return o.builder.add(op, o.type(Scalar::u32), {x, o.word(Scalar::u32, y)});
}
Id word_select(O o, Id condition, Id if_true, Id if_false) {
    return o.builder.select(o.type(Scalar::u32), condition, if_true, if_false);
}
Id either_bits(O o, Id x, Id y) { return o.builder.add(spv::Op::OpBitwiseOr, o.type(Scalar::u32), {x, y}); }
Id word_test(O o, spv::Op op, Id x, std::uint32_t y) { return o.test(op, x, o.word(Scalar::u32, y)); }

Id widened(O o) {
    const Id half = o.is_fast() ? o.a() : o.builder.unknown(o.type(Scalar::u32), o.a());
    const Id magnitude = word_op(o, spv::Op::OpBitwiseAnd, half, 0x7fff);
    const Id sign =
        word_op(o, spv::Op::OpShiftLeftLogical, word_op(o, spv::Op::OpBitwiseAnd, half, 0x8000), 16);
    const Id shifted = word_op(o, spv::Op::OpShiftLeftLogical, magnitude, 13);
    const Id normal = word_op(o, spv::Op::OpIAdd, shifted, 0x38000000);
    const Id special = word_op(o, spv::Op::OpBitwiseOr, shifted, 0x7f800000);
    // Half plus the subnormal, which is a multiple of 2^-24.
    const Id above_half = o.from_bits(word_op(o, spv::Op::OpBitwiseOr, magnitude, 0x3f000000));
    const Id half_f32 = o.word(Scalar::f32, bits_of(Scalar::f32, 0.5));
    const Id tiny = o.bits(o.builder.number(spv::Op::OpFSub, o.type(Scalar::f32), {above_half, half_f32}));
    const Id small = word_test(o, spv::Op::OpULessThan, magnitude, 0x400);
    const Id large = word_test(o, spv::Op::OpUGreaterThanEqual, magnitude, 0x7c00);
    const Id wide = word_select(o, large, special, word_select(o, small, tiny, normal));
    return o.from_bits(either_bits(o, sign, wide));
}

Id narrowed(O o) {
    const Id bits = o.bits(o.a());
    const Id magnitude = word_op(o, spv::Op::OpBitwiseAnd, bits, 0x7fffffff);
    const Id sign =
        word_op(o, spv::Op::OpBitwiseAnd, word_op(o, spv::Op::OpShiftRightLogical, bits, 16), 0x8000);
    const Id odd =
        word_op(o, spv::Op::OpBitwiseAnd, word_op(o, spv::Op::OpShiftRightLogical, magnitude, 13), 1);
    const Id raised = word_op(o, spv::Op::OpIAdd, magnitude, 0xfffu - 0x38000000u);
    const Id sum = o.builder.add(spv::Op::OpIAdd, o.type(Scalar::u32), {raised, odd});
    const Id normal = word_op(o, spv::Op::OpShiftRightLogical, sum, 13);
    const Id steps =
        o.builder.number(spv::Op::OpFAdd, o.type(Scalar::f32), {o.from_bits(magnitude), o.float_of(0.5f)});
    const Id tiny = word_op(o, spv::Op::OpISub, o.bits(steps), 0x3f000000);
    const Id small = word_test(o, spv::Op::OpULessThan, magnitude, 0x38800000);
    const Id large = word_test(o, spv::Op::OpUGreaterThanEqual, magnitude, 0x477ff000);
    const Id infinity = o.word(Scalar::u32, 0x7c00), nan = o.word(Scalar::u32, 0x7e00);
    const Id number = word_select(o, large, infinity, word_select(o, small, tiny, normal));
    const Id not_a_number = word_test(o, spv::Op::OpUGreaterThan, magnitude, 0x7f800000);
    return word_select(o, not_a_number, nan, either_bits(o, sign, number));
}

// A narrow integer is an i32 or u32 with its number.
Id low_bits(O o) {
    const std::uint32_t dropped = 32 - 8 * info(o.to).bytes;
    if (!is_signed(o.to)) return word_op(o, spv::Op::OpBitwiseAnd, o.a(), UINT32_MAX >> dropped);
    const Id count = o.word(Scalar::u32, dropped);
    const Id high = o.builder.add(spv::Op::OpShiftLeftLogical, o.to_type, {o.a(), count});
    return o.builder.add(spv::Op::OpShiftRightArithmetic, o.to_type, {high, count});
}

// Only unsigned types result from OpUConvert.
Id integer_of_other_width(O o) {
    if (o.is_signed()) return o.builder.add(spv::Op::OpSConvert, o.to_type, {o.a()});
    const TypeId unsigned_type = o.type(is_wide(o.to) ? Scalar::u64 : Scalar::u32);
    const Id made = o.builder.add(spv::Op::OpUConvert, unsigned_type, {o.a()});
    return is_signed(o.to) ? o.builder.add(spv::Op::OpBitcast, o.to_type, {made}) : made;
}

Id convert(O o) {
    if (o.from == o.to) return o.a();
    if (o.from == Scalar::f16) return widened(o);
    if (o.to == Scalar::f16) return narrowed(o);
    if (is_narrow(o.to)) return low_bits(o);
    if (is_narrow(o.from)) return o.a();
    if (o.to == Scalar::boolean) return to_bool(o);
    if (o.is_bool()) return from_bool(o);
    if (o.is_number() && is_float(o.to)) return o.builder.number(spv::Op::OpFConvert, o.to_type, {o.a()});
    if (o.is_number()) return integer_of_float(o);
    if (is_float(o.to)) return float_of_integer(o);
    if (is_wide(o.from) != is_wide(o.to)) return integer_of_other_width(o);
    return o.builder.add(spv::Op::OpBitcast, o.to_type, {o.a()});
}

Id bitcast(O o);

// A word of 32 bits as two f16, and the reverse; `width` is the operand's.

Id component(O o, TypeId type, Id vector, std::uint32_t which) {
    return o.width == 1 ? vector : o.builder.add(spv::Op::OpCompositeExtract, type, {vector, which});
}

Id split_into_halves(O o) {
    const std::uint32_t count = o.width * words_of(o.from);
    const TypeId words_type = type_of(Scalar::u32, count);
    const Operation to_words{o.builder, o.from_type, words_type, o.from, Scalar::u32, o.width, o.operands};
    const Operation words{o.builder,   words_type, words_type,         Scalar::u32,
                          Scalar::u32, count,      {bitcast(to_words)}};
    const Id low = word_op(words, spv::Op::OpBitwiseAnd, words.a(), 0xffff);
    const Id high = word_op(words, spv::Op::OpShiftRightLogical, words.a(), 16);
    std::vector<Word> parts;
    for (std::uint32_t k = 0; k < count; ++k)
        for (const Id half : {low, high}) parts.push_back(component(words, u32_type, half, k));
    return o.builder.add(spv::Op::OpCompositeConstruct, o.builder.types.value(o.to_type), {}, parts);
}

Id join_halves(O o) {
    const Id magnitude = word_op(o, spv::Op::OpBitwiseAnd, o.a(), 0x7fff);
    const Id is_number = word_test(o, spv::Op::OpULessThanEqual, magnitude, 0x7c00);
    const Id halves = word_select(o, is_number, o.a(), o.word(Scalar::u32, 0x7e00));
    std::vector<Word> words;
    for (std::uint32_t k = 0; k < o.width; k += 2) {
        const Id low = component(o, u32_type, halves, k), high = component(o, u32_type, halves, k + 1);
        const Id shifted = o.builder.add(spv::Op::OpShiftLeftLogical, u32_type, {high, o.builder.word(16)});
        words.push_back(o.builder.add(spv::Op::OpBitwiseOr, u32_type, {low, shifted}));
    }
    const TypeId bits_type = type_of(Scalar::u32, o.width / 2);
    const Id bits = words.size() == 1 ? words[0]
                                      : o.builder.add(spv::Op::OpCompositeConstruct,
                                                      o.builder.types.value(bits_type), {}, words);
    return bitcast({o.builder, bits_type, o.to_type, Scalar::u32, o.to, o.width / 2, {bits}});
}

Id bitcast(O o) {
    if (o.from == o.to) return o.a();
    if (o.from == Scalar::f16) return join_halves(o);
    if (o.to == Scalar::f16) return split_into_halves(o);
    if (o.is_number() && (is_float(o.to) || is_wide(o.from) != is_wide(o.to))) {
        const Scalar as = o.bits_scalar();
        const Id bits = bitcast({o.builder, o.from_type, o.type(as), o.from, as, o.width, o.operands});
        return bitcast({o.builder, o.type(as), o.to_type, as, o.to, o.width, {bits}});
    }
    const bool is_hidden = is_float(o.to) && !o.is_fast();
    const Id from = is_hidden ? o.builder.unknown(o.from_type, o.a()) : o.a();  // as in float_of_integer()
    const Id bits = o.builder.add(spv::Op::OpBitcast, o.to_type, {from});
    if (!o.is_number() || o.is_fast()) return bits;
    const std::uint64_t nan =
        is_wide(o.from) ? semantics::canonical_nan_of_double : std::uint64_t{semantics::canonical_nan};
    return o.builder.select(o.to_type, o.is_nan(o.a()), o.word(o.to, nan), bits);
}

// Bits.

Id shift_count(O o) {
    const std::uint32_t most = 8 * info(o.from).bytes - 1;
    if (o.is_constant(o.b(), [&](std::uint64_t count) { return count <= most; })) return o.b();
    return word_op(o, spv::Op::OpBitwiseAnd, o.b(), most);
}

// Vulkan counts and reverses bits of words only: those of 64 bits are two.
struct Words {
    Operation low, high;
};
Words words_of_wide(O o) {
    const Id bits = o.is_signed() ? o.bits(o.a()) : o.a();
    const auto as_word = [&](Id wide) {
        const TypeId type = o.type(Scalar::u32);
        const Id word = o.builder.add(spv::Op::OpUConvert, type, {wide});
        return Operation{o.builder, type, type, Scalar::u32, Scalar::u32, o.width, {word}};
    };
    const Id high =
        o.builder.add(spv::Op::OpShiftRightLogical, o.type(Scalar::u64), {bits, o.word(Scalar::u32, 32)});
    return {as_word(bits), as_word(high)};
}
Id wide_of_word(O o, Id word) {
    const Id wide = o.builder.add(spv::Op::OpUConvert, o.type(Scalar::u64), {word});
    return o.is_signed() ? o.builder.add(spv::Op::OpBitcast, o.to_type, {wide}) : wide;
}
Id sum_of_words(O o, Id a, Id b) { return o.builder.add(spv::Op::OpIAdd, o.type(Scalar::u32), {a, b}); }

/// Counts the zeros before or after the first bit: of `first`, and of `second` if `first` is zero.
Id zeros_of_wide(O o, Id (*count)(O), O first, O second) {
    const Id in_first = count(first);
    const Id all = sum_of_words(o, count(second), o.word(Scalar::u32, 32));
    const Id is_zero = word_test(o, spv::Op::OpIEqual, first.a(), 0);
    return wide_of_word(o, word_select(o, is_zero, all, in_first));
}

Id one_bits(O o) {
    if (!is_wide(o.from)) return o.same(spv::Op::OpBitCount, o.a());
    const auto [low, high] = words_of_wide(o);
    return wide_of_word(o, sum_of_words(o, one_bits(low), one_bits(high)));
}

// FindUMsb gives -1 for zero, so the result is 32.
Id leading_zeros(O o) {
    if (is_wide(o.from)) {
        const auto [low, high] = words_of_wide(o);
        return zeros_of_wide(o, leading_zeros, high, low);
    }
    return o.same(spv::Op::OpISub, o.word(31), o.builder.glsl(GLSLstd450FindUMsb, o.from_type, {o.a()}));
}

// FindILsb gives -1 (all bits set) for zero, so the minimum is 32.
Id trailing_zeros(O o) {
    if (is_wide(o.from)) {
        const auto [low, high] = words_of_wide(o);
        return zeros_of_wide(o, trailing_zeros, low, high);
    }
    return o.glsl(GLSLstd450UMin, o.glsl(GLSLstd450FindILsb, o.a()), o.word(32));
}

Id reversed_bits(O o) {
    if (!is_wide(o.from)) return o.same(spv::Op::OpBitReverse, o.a());
    const auto [low, high] = words_of_wide(o);
    const Id upper =
        o.same(spv::Op::OpShiftLeftLogical, wide_of_word(o, reversed_bits(low)), o.word(Scalar::u32, 32));
    return o.same(spv::Op::OpBitwiseOr, upper, wide_of_word(o, reversed_bits(high)));
}

template <spv::Op F, spv::Op I, spv::Op U>
Id compare(O o) {
    if (o.is_number()) return o.test_numbers(F, o.a(), o.b());
    return o.test(o.is_signed() ? I : U, o.a(), o.b());
}

template <spv::Op on_integers, spv::Op on_bools>
Id logic(O o) {
    return o.same(o.is_bool() ? on_bools : on_integers, o.a(), o.b());
}

template <GLSLstd450 function>
Id rounded(O o) {
    return o.glsl_number(function, o.a());
}

template <spv::Op on_floats, spv::Op on_integers>
Id arithmetic(O o) {
    return o.is_number() ? o.number(on_floats, o.a(), o.b()) : o.same(on_integers, o.a(), o.b());
}

// The dot product of the four bytes in each of two words.
Id packed_product(O o, spv::Op op) {
    Module& module = o.builder.module;
    module.require(spv::Capability::DotProduct);
    module.require(spv::Capability::DotProductInput4x8BitPacked);
    if (!module.is_at_least(0x00010600)) module.require_extension("SPV_KHR_integer_dot_product");
    const std::array format{static_cast<Word>(spv::PackedVectorFormat::PackedVectorFormat4x8Bit)};
    return o.builder.add(op, o.builder.types.value(o.to_type), {o.a(), o.b()}, format);
}

// The table.

using Emit = Id (*)(O);
constexpr std::array<Emit, op_count> table = [] {
    using enum spv::Op;
    std::array<Emit, op_count> t{};
    t[slot(Op::add)] = arithmetic<spv::Op::OpFAdd, spv::Op::OpIAdd>;
    t[slot(Op::sub)] = arithmetic<spv::Op::OpFSub, spv::Op::OpISub>;
    t[slot(Op::mul)] = arithmetic<spv::Op::OpFMul, spv::Op::OpIMul>;
    t[slot(Op::div)] = [](O o) {
        return o.is_number() ? o.number(spv::Op::OpFDiv, o.a(), o.b()) : divide_integers(o);
    };
    t[slot(Op::rem)] = [](O o) { return o.is_number() ? remainder_of_floats(o) : remainder_of_integers(o); };
    t[slot(Op::neg)] = [](O o) {
        return o.is_number() ? o.builder.number(spv::Op::OpFNegate, o.from_type, {o.a()})
                             : o.same(spv::Op::OpSNegate, o.a());
    };
    t[slot(Op::abs)] = absolute;
    t[slot(Op::min)] = [](O o) { return extreme(o, true); };
    t[slot(Op::max)] = [](O o) { return extreme(o, false); };
    t[slot(Op::floor)] = rounded<GLSLstd450Floor>;
    t[slot(Op::ceil)] = rounded<GLSLstd450Ceil>;
    t[slot(Op::trunc)] = [](O o) { return truncated(o, o.a()); };
    t[slot(Op::round)] = rounded_to_even;
    t[slot(Op::sqrt)] = rounded<GLSLstd450Sqrt>;
    t[slot(Op::fma)] = fused;

    t[slot(Op::eq)] = [](O o) {
        return o.is_bool() ? o.test(OpLogicalEqual, o.a(), o.b())
                           : compare<OpFOrdEqual, OpIEqual, OpIEqual>(o);
    };
    t[slot(Op::ne)] = [](O o) {
        return o.is_bool() ? o.test(OpLogicalNotEqual, o.a(), o.b())
                           : compare<OpFUnordNotEqual, OpINotEqual, OpINotEqual>(o);
    };
    t[slot(Op::lt)] = compare<OpFOrdLessThan, OpSLessThan, OpULessThan>;
    t[slot(Op::le)] = compare<OpFOrdLessThanEqual, OpSLessThanEqual, OpULessThanEqual>;
    t[slot(Op::gt)] = compare<OpFOrdGreaterThan, OpSGreaterThan, OpUGreaterThan>;
    t[slot(Op::ge)] = compare<OpFOrdGreaterThanEqual, OpSGreaterThanEqual, OpUGreaterThanEqual>;
    t[slot(Op::logical_not)] = [](O o) { return o.same(OpLogicalNot, o.a()); };
    t[slot(Op::convert)] = convert;
    t[slot(Op::bitcast)] = bitcast;

    t[slot(Op::bit_and)] = logic<OpBitwiseAnd, OpLogicalAnd>;
    t[slot(Op::bit_or)] = logic<OpBitwiseOr, OpLogicalOr>;
    t[slot(Op::bit_xor)] = logic<OpBitwiseXor, OpLogicalNotEqual>;
    t[slot(Op::bit_not)] = [](O o) { return o.same(OpNot, o.a()); };
    t[slot(Op::shift_left)] = [](O o) { return o.same(OpShiftLeftLogical, o.a(), shift_count(o)); };
    t[slot(Op::shift_right)] = [](O o) {
        return o.same(o.is_signed() ? OpShiftRightArithmetic : OpShiftRightLogical, o.a(), shift_count(o));
    };
    t[slot(Op::count_one_bits)] = one_bits;
    t[slot(Op::count_leading_zeros)] = leading_zeros;
    t[slot(Op::count_trailing_zeros)] = trailing_zeros;
    t[slot(Op::reverse_bits)] = reversed_bits;

    t[slot(Op::dot4_u8_packed)] = [](O o) { return packed_product(o, spv::Op::OpUDot); };
    t[slot(Op::dot4_i8_packed)] = [](O o) { return packed_product(o, spv::Op::OpSDot); };
    return t;
}();
static_assert(covers(table, {OpKind::arithmetic, OpKind::comparison, OpKind::bits, OpKind::conversion,
                             OpKind::packed}));

}  // namespace

Id emit_operation(Builder& builder, Op op, TypeId from, TypeId to, std::span<const Id> operands) {
    assert(operands.size() <= 3);
    if (info(op).group == OpGroup::math)
        return builder.add(spv::Op::OpExtInst, builder.types.value(to),
                           {builder.module.glsl(), static_cast<Word>(math_function(op))}, operands);
    const Type& first = builder.types[from];
    Operation operation{.builder = builder,
                        .from_type = from,
                        .to_type = to,
                        .from = first.scalar,
                        .to = builder.types[to].scalar,
                        .width = first.width};
    std::ranges::copy(operands, operation.operands.begin());
    assert(table[slot(op)] != nullptr && "a componentwise operation");
    return table[slot(op)](operation);
}

}  // namespace muster::vulkan
