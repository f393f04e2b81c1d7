#include <array>
#include <bit>
#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>
#include <support/float_bits.hpp>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/semantics/fold.hpp>

using namespace muster;
using muster::test::bits;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t one = std::bit_cast<std::uint32_t>(1.0f);
constexpr std::uint32_t infinity = 0x7f800000u;

struct Given {
    TypeId type;
    Words words;
};

// The folded words; empty if fold() declines.
Words folded(Op op, TypeId result, std::initializer_list<Given> given, std::uint32_t payload = 0,
             const TypeTable& types = TypeTable()) {
    std::vector<ConstantValue> operands;
    for (const Given& g : given) operands.push_back({g.type, g.words});
    return fold(op, types, result, operands, payload).value_or(Words{});
}

constexpr TypeId vec2u = type_of(Scalar::u32, 2);
constexpr TypeId vec2f = type_of(Scalar::f32, 2);
constexpr TypeId vec3i = type_of(Scalar::i32, 3);
constexpr TypeId vec2b = type_of(Scalar::boolean, 2);

}  // namespace

TEST_CASE("fold computes scalars by their own type") {
    const std::uint32_t minus_seven = static_cast<std::uint32_t>(-7);
    CHECK(folded(Op::div, i32_type, {{i32_type, {minus_seven}}, {i32_type, {2}}}) ==
          Words{static_cast<std::uint32_t>(-3)});
    CHECK(folded(Op::div, u32_type, {{u32_type, {minus_seven}}, {u32_type, {2}}}) == Words{0x7ffffffcu});
    CHECK(folded(Op::add, f32_type, {{f32_type, {one}}, {f32_type, {bits(0.5f)}}}) == Words{bits(1.5f)});
    CHECK(folded(Op::shift_right, i32_type, {{i32_type, {minus_seven}}, {u32_type, {33}}}) ==
          Words{static_cast<std::uint32_t>(-4)});
    CHECK(folded(Op::shift_right, u32_type, {{u32_type, {minus_seven}}, {u32_type, {33}}}) ==
          Words{0x7ffffffcu});
    CHECK(folded(Op::fma, f32_type, {{f32_type, {one}}, {f32_type, {one}}, {f32_type, {one}}}) ==
          Words{bits(2.0f)});
}

TEST_CASE("fold computes vectors componentwise") {
    CHECK(folded(Op::mul, vec2u, {{vec2u, {2, 3}}, {vec2u, {5, 7}}}) == Words{10, 21});
    CHECK(folded(Op::neg, vec3i, {{vec3i, {1, 0, 0x80000000u}}}) == Words{0xffffffffu, 0, 0x80000000u});
    CHECK(folded(Op::lt, vec2b, {{vec2u, {2, 9}}, {vec2u, {5, 7}}}) == Words{1, 0});
    CHECK(folded(Op::select, vec2u, {{vec2u, {1, 2}}, {vec2u, {3, 4}}, {vec2b, {0, 1}}}) == Words{1, 4});
    CHECK(folded(Op::select, vec2u, {{vec2u, {1, 2}}, {vec2u, {3, 4}}, {bool_type, {1}}}) == Words{3, 4});
    CHECK(folded(Op::all, bool_type, {{vec2b, {1, 0}}}) == Words{0});
    CHECK(folded(Op::any, bool_type, {{vec2b, {1, 0}}}) == Words{1});
    CHECK(folded(Op::logical_not, vec2b, {{vec2b, {1, 0}}}) == Words{0, 1});
    CHECK(folded(Op::bit_and, vec2b, {{vec2b, {1, 0}}, {vec2b, {1, 1}}}) == Words{1, 0});
}

TEST_CASE("fold converts and casts bits") {
    CHECK(folded(Op::convert, i32_type, {{f32_type, {bits(-3.9f)}}}) ==
          Words{static_cast<std::uint32_t>(-3)});
    CHECK(folded(Op::convert, u32_type, {{f32_type, {bits(1e20f)}}}) == Words{4294967040u});
    CHECK(folded(Op::convert, f32_type, {{i32_type, {0xffffffffu}}}) == Words{bits(-1.0f)});
    CHECK(folded(Op::convert, f32_type, {{u32_type, {0xffffffffu}}}) == Words{bits(4294967296.0f)});
    CHECK(folded(Op::convert, f32_type, {{bool_type, {1}}}) == Words{one});
    CHECK(folded(Op::convert, vec2b, {{vec2f, {bits(-0.0f), bits(0.1f)}}}) == Words{0, 1});
    CHECK(folded(Op::convert, bool_type, {{i32_type, {8}}}) == Words{1});
    CHECK(folded(Op::bitcast, u32_type, {{f32_type, {one}}}) == Words{one});
    CHECK(folded(Op::bitcast, u32_type, {{f32_type, {0xffc12345u}}}) == Words{0x7fc00000u});
}

TEST_CASE("fold takes composites apart and puts them together") {
    TypeTable types;
    const TypeId array = types.array(vec2u, 2);
    const std::array members{MemberDeclaration{"a", u32_type}, MemberDeclaration{"b", vec2f}};
    const TypeId structure = types.structure("S", members);
    CHECK(folded(Op::compose, array, {{vec2u, {1, 2}}, {vec2u, {3, 4}}}, 0, types) == Words{1, 2, 3, 4});
    CHECK(folded(Op::extract, vec2u, {{array, {1, 2, 3, 4}}}, 1, types) == Words{3, 4});
    CHECK(folded(Op::extract, vec2f, {{structure, {1, 2, 3}}}, 1, types) == Words{2, 3});
    CHECK(folded(Op::extract_dynamic, vec2u, {{array, {1, 2, 3, 4}}, {i32_type, {1}}}, 0, types) ==
          Words{3, 4});
    CHECK(folded(Op::extract_dynamic, vec2u, {{array, {1, 2, 3, 4}}, {i32_type, {0xffffffffu}}}, 0, types) ==
          Words{0, 0});
    CHECK(folded(Op::swizzle, vec2u, {{vec3i, {1, 2, 3}}}, 0b0010) == Words{3, 1});
    CHECK(folded(Op::splat, vec2f, {{f32_type, {one}}}) == Words{one, one});
}

TEST_CASE("fold declines what has no text, an effect, or no constant meaning") {
    CHECK(folded(Op::div, f32_type, {{f32_type, {one}}, {f32_type, {0}}}).empty());
    CHECK(folded(Op::div, f32_type, {{f32_type, {0}}, {f32_type, {0}}}).empty());
    CHECK(folded(Op::add, vec2f, {{vec2f, {one, bits(3e38f)}}, {vec2f, {one, bits(3e38f)}}}).empty());
    CHECK(folded(Op::exp, f32_type, {{f32_type, {one}}}).empty());
    CHECK(folded(Op::load, f32_type, {{f32_type, {one}}}).empty());
}

TEST_CASE("moves keep NaN and infinities") {
    CHECK(folded(Op::bitcast, f32_type, {{u32_type, {infinity}}}) == Words{infinity});
    CHECK(folded(Op::splat, vec2f, {{f32_type, {infinity}}}) == Words{infinity, infinity});
    CHECK(folded(Op::compose, vec2f, {{f32_type, {infinity}}, {f32_type, {one}}}) == Words{infinity, one});
}

TEST_CASE("fold declines operands that don't fit, without harm") {
    CHECK(folded(Op::add, vec2u, {{vec2u, {1, 2}}, {u32_type, {1}}}).empty());
    CHECK(folded(Op::add, u32_type, {{u32_type, {1}}}).empty());
    CHECK(folded(Op::bit_not, f32_type, {{f32_type, {one}}}).empty());
    CHECK(folded(Op::extract, u32_type, {{vec2u, {1, 2}}}, 2).empty());
    CHECK(folded(Op::swizzle, vec2u, {{vec2u, {1, 2}}}, 0b1100).empty());
}

TEST_CASE("the builder folds constant expressions") {
    IrBuilder ir("main", {1, 1, 1});
    const NodeId sum = ir.binary(Op::add, ir.constant(2u), ir.constant(3u));
    CHECK(sum == ir.constant(5u));
    CHECK_FALSE(ir.is_constant(ir.binary(Op::div, ir.constant(1.0f), ir.constant(0.0f))));
}
