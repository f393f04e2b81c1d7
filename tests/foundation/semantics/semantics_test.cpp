#include <bit>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include <support/float_bits.hpp>

#include <muster/foundation/semantics/semantics.hpp>

namespace s = muster::semantics;
using muster::test::bits;
using muster::test::same;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr std::int32_t i32_max = std::numeric_limits<std::int32_t>::max();

}  // namespace

TEST_CASE("integers wrap") {
    CHECK(s::add(i32_max, 1) == s::i32_min);
    CHECK(s::sub(s::i32_min, 1) == i32_max);
    CHECK(s::mul(i32_max, 2) == -2);
    CHECK(s::neg(s::i32_min) == s::i32_min);
    CHECK(s::abs(s::i32_min) == s::i32_min);
    CHECK(s::abs(-5) == 5);
    CHECK(s::add(0xffffffffu, 2u) == 1u);
    CHECK(s::sub(0u, 1u) == 0xffffffffu);
    CHECK(s::mul(0x80000001u, 2u) == 2u);
}

TEST_CASE("integer division is total and truncates") {
    CHECK(s::div(-7, 2) == -3);
    CHECK(s::rem(-7, 2) == -1);
    CHECK(s::rem(7, -2) == 1);
    CHECK(s::div(9, 0) == 9);
    CHECK(s::rem(9, 0) == 0);
    CHECK(s::div(s::i32_min, -1) == s::i32_min);
    CHECK(s::rem(s::i32_min, -1) == 0);
    CHECK(s::div(9u, 0u) == 9u);
    CHECK(s::rem(9u, 0u) == 0u);
    CHECK(s::div(0xffffffffu, 2u) == 0x7fffffffu);
}

TEST_CASE("shift counts are modulo the width") {
    CHECK(s::shift_left(1u, 33) == 2u);
    CHECK(s::shift_right(4u, 34) == 1u);
    CHECK(s::shift_right(-4, 1) == -2);
    CHECK(s::shift_right(-1, 63) == -1);
}

TEST_CASE("bits are counted and reversed") {
    CHECK(s::count_one_bits(0xf00f0001u) == 9);
    CHECK(s::count_leading_zeros(0u) == 32);
    CHECK(s::count_leading_zeros(1u) == 31);
    CHECK(s::count_trailing_zeros(0u) == 32);
    CHECK(s::count_trailing_zeros(8u) == 3);
    CHECK(s::reverse_bits(1u) == 0x80000000u);
    CHECK(s::reverse_bits(0x12345678u) == 0x1e6a2c48u);
}

TEST_CASE("min and max take the number and order zeros") {
    CHECK(s::min(not_a_number, 1.0f) == 1.0f);
    CHECK(s::min(1.0f, not_a_number) == 1.0f);
    CHECK(s::max(not_a_number, 1.0f) == 1.0f);
    CHECK(s::max(1.0f, not_a_number) == 1.0f);
    CHECK(s::is_nan(s::min(not_a_number, not_a_number)));
    CHECK(same(s::min(0.0f, -0.0f), -0.0f));
    CHECK(same(s::min(-0.0f, 0.0f), -0.0f));
    CHECK(same(s::max(0.0f, -0.0f), 0.0f));
    CHECK(same(s::max(-0.0f, 0.0f), 0.0f));
    CHECK(s::min(-inf, 3.0f) == -inf);
    CHECK(s::max(2.0f, 3.0f) == 3.0f);
    CHECK(s::min(-1, 1) == -1);
    CHECK(s::min(0xffffffffu, 1u) == 1u);
}

TEST_CASE("neg and abs work on the sign bit alone") {
    CHECK(bits(s::neg(0.0f)) == 0x80000000u);
    CHECK(bits(s::abs(-0.0f)) == 0u);
    CHECK(bits(s::neg(s::from_bits(0x7fc12345u))) == 0xffc12345u);
    CHECK(bits(s::abs(s::from_bits(0xffc12345u))) == 0x7fc12345u);
}

TEST_CASE("rounding to integers agrees with the C library") {
    const float edges[] = {0.0f,        -0.0f,        0.5f,        -0.5f,      1.5f,       2.5f,   -2.5f,
                           0.49999997f, 8388607.5f,   -8388607.5f, 8388608.0f, 1e30f,      -1e30f, inf,
                           -inf,        not_a_number, 1e-40f,      -1e-40f,    4194304.5f, -0.7f};
    for (float x : edges) {
        CAPTURE(x);
        CHECK(same(s::floor(x), std::floor(x)));
        CHECK(same(s::ceil(x), std::ceil(x)));
        CHECK(same(s::trunc(x), std::trunc(x)));
        CHECK(same(s::round(x), std::nearbyint(x)));
    }
    std::uint32_t word = 1;
    for (int i = 0; i < 20000; ++i) {
        word = word * 1664525u + 1013904223u;
        const float x = s::from_bits(word);
        if (same(s::floor(x), std::floor(x)) && same(s::ceil(x), std::ceil(x)) &&
            same(s::trunc(x), std::trunc(x)) && same(s::round(x), std::nearbyint(x)))
            continue;
        FAIL_CHECK("rounding differs for " << x);
    }
}

TEST_CASE("float remainder is four rounded operations") {
    CHECK(s::rem(5.5f, 2.0f) == 1.5f);
    CHECK(s::rem(-5.5f, 2.0f) == -1.5f);
    CHECK(s::is_nan(s::rem(1.0f, 0.0f)));
    CHECK(s::is_nan(s::rem(1.0f, inf)));
    // 1 / 0.1f rounds to 10, so the remainder is 0; fmod gives almost 0.1.
    CHECK(s::rem(1.0f, 0.1f) == 1.0f - 0.1f * 10.0f);
    CHECK(std::fmod(1.0f, 0.1f) > 0.09f);
}

TEST_CASE("fma rounds once, a * b + c twice") {
    const float a = 1.0f + 0x1p-12f;
    CHECK(s::fma(a, a, -1.0f - 0x1p-11f) == 0x1p-24f);
    CHECK(s::add(s::mul(a, a), -1.0f - 0x1p-11f) == 0.0f);
}

TEST_CASE("floats convert to integers toward zero and clamp") {
    CHECK(s::to_i32(3.9f) == 3);
    CHECK(s::to_i32(-3.9f) == -3);
    CHECK(s::to_i32(1e20f) == 2147483520);
    CHECK(s::to_i32(inf) == 2147483520);
    CHECK(s::to_i32(-1e20f) == s::i32_min);
    CHECK(s::to_i32(-2147483648.0f) == s::i32_min);
    CHECK(s::to_i32(not_a_number) == 0);
    CHECK(s::to_u32(3.9f) == 3u);
    CHECK(s::to_u32(-1.0f) == 0u);
    CHECK(s::to_u32(1e20f) == 4294967040u);
    CHECK(s::to_u32(3e9f) == 3000000000u);
    CHECK(s::to_u32(not_a_number) == 0u);
}

TEST_CASE("integers convert to the nearest float, ties to even") {
    CHECK(s::to_f32(16777217) == 16777216.0f);
    CHECK(s::to_f32(16777219) == 16777220.0f);
    CHECK(s::to_f32(0xffffffffu) == 4294967296.0f);
    CHECK(s::to_f32(true) == 1.0f);
}

TEST_CASE("anything but zero is true") {
    CHECK_FALSE(s::to_bool(0.0f));
    CHECK_FALSE(s::to_bool(-0.0f));
    CHECK(s::to_bool(not_a_number));
    CHECK(s::to_bool(1e-45f));
    CHECK(s::to_bool(8u));
    CHECK_FALSE(s::to_bool(0u));
}

TEST_CASE("comparisons with NaN are false, but not-equal") {
    CHECK_FALSE(s::eq(not_a_number, not_a_number));
    CHECK(s::ne(not_a_number, not_a_number));
    CHECK_FALSE(s::lt(not_a_number, 1.0f));
    CHECK_FALSE(s::ge(not_a_number, 1.0f));
    CHECK(s::eq(0.0f, -0.0f));
    CHECK(s::lt(-1, 1));
    CHECK_FALSE(s::lt(0xffffffffu, 1u));
}

TEST_CASE("the bits of a NaN are canonical") {
    CHECK(s::to_bits(s::from_bits(0xff800001u)) == s::canonical_nan);
    CHECK(s::to_bits(-1.0f) == 0xbf800000u);
}

TEST_CASE("flush turns subnormals to zeros of their sign and leaves the rest") {
    CHECK(bits(s::flush(1e-40f)) == 0u);
    CHECK(bits(s::flush(-1e-40f)) == 0x80000000u);
    const float least_normal = std::numeric_limits<float>::min();
    CHECK(s::flush(least_normal) == least_normal);
    CHECK(s::flush(-inf) == -inf);
    CHECK(s::is_nan(s::flush(not_a_number)));
}
