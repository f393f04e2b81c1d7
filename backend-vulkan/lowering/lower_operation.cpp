#include <array>
#include <bit>
#include <cassert>
#include <utility>

#include <muster/backend-vulkan/lowering/lower_operation.hpp>
#include <muster/foundation/semantics/scalar_operations.hpp>

namespace muster::vulkan {
namespace {

using scalar_operations::slot;

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
    bool is_f32() const { return from == Scalar::f32; }
    bool is_signed() const { return from == Scalar::i32; }
    bool is_bool() const { return from == Scalar::boolean; }
    bool is_fast() const { return !builder.exact; }

    TypeId type(Scalar scalar) const { return type_of(scalar, width); }
    Id word(std::uint32_t bits) const { return builder.all(type(from), bits); }
    Id word(Scalar scalar, std::uint32_t bits) const { return builder.all(type(scalar), bits); }
    Id float_of(float value) const { return word(Scalar::f32, std::bit_cast<std::uint32_t>(value)); }

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
    Id bits(Id number) const { return builder.add(spv::Op::OpBitcast, type(Scalar::u32), {number}); }
    Id from_bits(Id bits) const { return builder.add(spv::Op::OpBitcast, type(Scalar::f32), {bits}); }

    template <class Passes>
    bool is_constant(Id value, Passes passes) const {
        const auto* words = builder.constant_words(value);
        if (words == nullptr) return false;
        for (const std::uint32_t word : *words)
            if (!passes(word)) return false;
        return true;
    }
};
using O = const Operation&;

// Integer division.

// The divisor, with 1 in place of values with an undefined result: the quotient is then the dividend and the remainder
// 0, as the semantics require.
Id harmless_divisor(O o) {
    const auto harmless = [&](std::uint32_t x) { return x != 0 && !(o.is_signed() && x == 0xffffffffu); };
    if (o.is_constant(o.b(), harmless)) return o.b();
    Id undefined = o.test(spv::Op::OpIEqual, o.b(), o.word(0));
    if (o.is_signed()) {
        const Id least = o.test(spv::Op::OpIEqual, o.a(), o.word(0x80000000u));
        const Id minus_one = o.test(spv::Op::OpIEqual, o.b(), o.word(0xffffffffu));
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

// Arithmetic on f32.

Id remainder_of_floats(O o) {
    const Id whole = o.glsl_number(GLSLstd450Trunc, o.number(spv::Op::OpFDiv, o.a(), o.b()));
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
    if (o.builder.constant_words(a) != nullptr) std::swap(a, b);
    // Constants for which the simple form is right: any number but zero, and the zero that wins.
    const std::uint32_t zero_that_wins = least ? 0x80000000u : 0;
    const auto decides = [&](std::uint32_t bits) {
        const bool is_zero = (bits & 0x7fffffffu) == 0;
        return (bits & 0x7fffffffu) <= 0x7f800000u && (!is_zero || bits == zero_that_wins);
    };
    const bool is_simple = o.is_constant(b, decides);
    b = o.builder.hidden(b, Builder::Hide::numbers);
    if (is_simple) return nearer(o, least, a, b);
    const Id number = o.select(o.is_nan(a), b, a);
    // Equal operands differ at most in a zero's sign.
    const Id equal = o.test_numbers(spv::Op::OpFOrdEqual, b, number);
    const spv::Op merge = least ? spv::Op::OpBitwiseOr : spv::Op::OpBitwiseAnd;
    const Id merged = o.builder.add(merge, o.type(Scalar::u32), {o.bits(b), o.bits(number)});
    return o.select(equal, o.from_bits(merged), nearer(o, least, b, number));
}

Id extreme(O o, bool least) {
    if (o.is_f32()) return extreme_of_floats(o, least);
    if (o.is_signed()) return o.glsl(least ? GLSLstd450SMin : GLSLstd450SMax, o.a(), o.b());
    return o.glsl(least ? GLSLstd450UMin : GLSLstd450UMax, o.a(), o.b());
}

// The absolute value; of i32's least value, itself, which GLSL's SAbs doesn't specify.
Id absolute(O o) {
    if (o.is_f32()) return o.glsl_number(GLSLstd450FAbs, o.a());
    if (!o.is_signed()) return o.a();
    return o.glsl(GLSLstd450SMax, o.a(), o.same(spv::Op::OpSNegate, o.a()));
}

Id fused(O o) { return o.builder.glsl_number(GLSLstd450Fma, o.from_type, {o.a(), o.b(), o.c()}); }

// Conversion.

// Clamps first, since SPIR-V's conversion is undefined out of range; NaN becomes `low`.
Id clamped(O o, float low, float high) {
    return nearer(o, true, nearer(o, false, o.a(), o.float_of(low)), o.float_of(high));
}

Id integer_of_float(O o) {
    if (o.to == Scalar::u32)
        return o.builder.add(spv::Op::OpConvertFToU, o.to_type, {clamped(o, 0.0f, 4294967040.0f)});
    const Id whole =
        o.builder.add(spv::Op::OpConvertFToS, o.to_type, {clamped(o, -2147483648.0f, 2147483520.0f)});
    return o.builder.select(o.to_type, o.is_nan(o.a()), o.word(Scalar::i32, 0), whole);
}

Id to_bool(O o) {
    if (o.is_f32()) return o.test_numbers(spv::Op::OpFUnordNotEqual, o.a(), o.word(0));
    return o.test(spv::Op::OpINotEqual, o.a(), o.word(0));
}

Id from_bool(O o) {
    const std::uint32_t one = o.to == Scalar::f32 ? std::bit_cast<std::uint32_t>(1.0f) : 1;
    const auto hidden = [&](std::uint32_t bits) {
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

// f16 is the low half of a u32, converted as muster::f16 is (base/f16.hpp): only integer operations and exact ones of
// floats, whatever the device has.

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
    const Id tiny =
        o.bits(o.builder.number(spv::Op::OpFSub, o.type(Scalar::f32), {above_half, o.float_of(0.5f)}));
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

Id convert(O o) {
    if (o.from == o.to) return o.a();
    if (o.from == Scalar::f16) return widened(o);
    if (o.to == Scalar::f16) return narrowed(o);
    if (is_narrow(o.to)) return low_bits(o);
    if (is_narrow(o.from)) return o.a();
    if (o.to == Scalar::boolean) return to_bool(o);
    if (o.is_bool()) return from_bool(o);
    if (o.is_f32()) return integer_of_float(o);
    if (o.to == Scalar::f32) return float_of_integer(o);
    return o.builder.add(spv::Op::OpBitcast, o.to_type, {o.a()});
}

Id bitcast(O o);

// A word of 32 bits as two f16, and the reverse; `width` is the operand's.

Id component(O o, TypeId type, Id vector, std::uint32_t which) {
    return o.width == 1 ? vector : o.builder.add(spv::Op::OpCompositeExtract, type, {vector, which});
}

Id split_into_halves(O o) {
    const Operation to_words{o.builder,   o.from_type, o.type(Scalar::u32), o.from,
                             Scalar::u32, o.width,     o.operands};
    const Id bits = bitcast(to_words);
    const Id low = word_op(o, spv::Op::OpBitwiseAnd, bits, 0xffff);
    const Id high = word_op(o, spv::Op::OpShiftRightLogical, bits, 16);
    std::vector<Word> parts;
    for (std::uint32_t k = 0; k < o.width; ++k)
        for (const Id half : {low, high}) parts.push_back(component(o, u32_type, half, k));
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
    const bool is_hidden = o.to == Scalar::f32 && !o.is_fast();
    const Id from = is_hidden ? o.builder.unknown(o.from_type, o.a()) : o.a();  // as in float_of_integer()
    const Id bits = o.builder.add(spv::Op::OpBitcast, o.to_type, {from});
    if (!o.is_f32() || o.is_fast()) return bits;
    return o.builder.select(o.to_type, o.is_nan(o.a()), o.word(o.to, semantics::canonical_nan), bits);
}

// Bits.

Id shift_count(O o) {
    const auto in_range = [](std::uint32_t count) { return count < 32; };
    if (o.is_constant(o.b(), in_range)) return o.b();
    return o.builder.add(spv::Op::OpBitwiseAnd, o.type(Scalar::u32), {o.b(), o.word(Scalar::u32, 31)});
}

// FindUMsb gives -1 for zero, so the result is 32.
Id leading_zeros(O o) {
    return o.same(spv::Op::OpISub, o.word(31), o.builder.glsl(GLSLstd450FindUMsb, o.from_type, {o.a()}));
}

// FindILsb gives -1 (all bits set) for zero, so the minimum is 32.
Id trailing_zeros(O o) { return o.glsl(GLSLstd450UMin, o.glsl(GLSLstd450FindILsb, o.a()), o.word(32)); }

template <spv::Op F, spv::Op I, spv::Op U>
Id compare(O o) {
    if (o.is_f32()) return o.test_numbers(F, o.a(), o.b());
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
    return o.is_f32() ? o.number(on_floats, o.a(), o.b()) : o.same(on_integers, o.a(), o.b());
}

// The table.

using Emit = Id (*)(O);
using Table = std::array<Emit, op_count>;

constexpr void list_arithmetic(Table& t) {
    t[slot(Op::add)] = arithmetic<spv::Op::OpFAdd, spv::Op::OpIAdd>;
    t[slot(Op::sub)] = arithmetic<spv::Op::OpFSub, spv::Op::OpISub>;
    t[slot(Op::mul)] = arithmetic<spv::Op::OpFMul, spv::Op::OpIMul>;
    t[slot(Op::div)] = [](O o) {
        return o.is_f32() ? o.number(spv::Op::OpFDiv, o.a(), o.b()) : divide_integers(o);
    };
    t[slot(Op::rem)] = [](O o) { return o.is_f32() ? remainder_of_floats(o) : remainder_of_integers(o); };
    t[slot(Op::neg)] = [](O o) {
        return o.is_f32() ? o.builder.number(spv::Op::OpFNegate, o.from_type, {o.a()})
                          : o.same(spv::Op::OpSNegate, o.a());
    };
    t[slot(Op::abs)] = absolute;
    t[slot(Op::min)] = [](O o) { return extreme(o, true); };
    t[slot(Op::max)] = [](O o) { return extreme(o, false); };
    t[slot(Op::floor)] = rounded<GLSLstd450Floor>;
    t[slot(Op::ceil)] = rounded<GLSLstd450Ceil>;
    t[slot(Op::trunc)] = rounded<GLSLstd450Trunc>;
    t[slot(Op::round)] = rounded<GLSLstd450RoundEven>;
    t[slot(Op::sqrt)] = rounded<GLSLstd450Sqrt>;
    t[slot(Op::fma)] = fused;
}

constexpr void list_logic(Table& t) {
    using enum spv::Op;
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
}

constexpr void list_bits(Table& t) {
    using enum spv::Op;
    t[slot(Op::bit_and)] = logic<OpBitwiseAnd, OpLogicalAnd>;
    t[slot(Op::bit_or)] = logic<OpBitwiseOr, OpLogicalOr>;
    t[slot(Op::bit_xor)] = logic<OpBitwiseXor, OpLogicalNotEqual>;
    t[slot(Op::bit_not)] = [](O o) { return o.same(OpNot, o.a()); };
    t[slot(Op::shift_left)] = [](O o) { return o.same(OpShiftLeftLogical, o.a(), shift_count(o)); };
    t[slot(Op::shift_right)] = [](O o) {
        return o.same(o.is_signed() ? OpShiftRightArithmetic : OpShiftRightLogical, o.a(), shift_count(o));
    };
    t[slot(Op::count_one_bits)] = [](O o) { return o.same(OpBitCount, o.a()); };
    t[slot(Op::count_leading_zeros)] = leading_zeros;
    t[slot(Op::count_trailing_zeros)] = trailing_zeros;
    t[slot(Op::reverse_bits)] = [](O o) { return o.same(OpBitReverse, o.a()); };
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

constexpr void list_packed(Table& t) {
    t[slot(Op::dot4_u8_packed)] = [](O o) { return packed_product(o, spv::Op::OpUDot); };
    t[slot(Op::dot4_i8_packed)] = [](O o) { return packed_product(o, spv::Op::OpSDot); };
}

constexpr Table table = [] {
    Table t{};
    list_arithmetic(t);
    list_logic(t);
    list_bits(t);
    list_packed(t);
    return t;
}();

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
