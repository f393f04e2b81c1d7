// Const-expressions: their values and their faults.

#include <array>

#include "support/parse.hpp"

using namespace muster;
using test::first_fault;

TEST_CASE("const-expressions have the values that WGSL gives them") {
    constexpr std::array cases{
        // Precedence, literals, abstract numbers.
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "-5 == 0 - 5",
        "-2147483648 + 2147483648 == 0",
        "1 + 2.5 == 3.5",
        "0x7fffffffffffffff - 1 == 9223372036854775806",
        "7 / 2 == 3",
        "-7 / 2 == -3",
        "-7 % 2 == -1",
        "7.5 % 2 == 1.5",
        "1 / 2.0 == 0.5",
        "1u << 31u == 0x80000000u",
        "-8 >> 1 == -4",
        "0x80000000u >> 31 == 1",
        "~0u == 0xffffffffu",
        "~0 == -1",
        "(5 & 3) == 1",
        "(5 | 3) == 7",
        "(5 ^ 3) == 6",
        "!(1 > 2)",
        "true & !false",
        // Concrete integers wrap.
        "2147483647i + 1i == i32(-2147483648)",
        "4294967295u + 1u == 0",
        "0u - 1u == 4294967295u",
        "-1 * i32(-2147483648) == i32(-2147483648)",
        "-i32(-2147483648) == i32(-2147483648)",
        "abs(i32(-2147483648)) == i32(-2147483648)",
        // f32 rounds once per operation, abstract floats are f64.
        "0.1f + 0.2f == 0.3f",
        "0.1 + 0.2 != 0.3",
        "16777216f + 1f == 16777216f",
        "16777216.0 + 1.0 == 16777217.0",
        "f32(0.1) != 0.1f + 0.0000001f",
        "1f / 3f == 0.33333334f",
        // Short circuits leave the other side unevaluated.
        "!(false && (10i < i32(5 * 1000 * 1000 * 1000)))",
        "true || 1 / 0 == 1",
        "!(false && array<u32, 1 + 2>(0, 1, 2)[0] == 0)",
        // Conversions: toward zero, clamped to what both types have.
        "u32(3.9f) == 3",
        "u32(-1f) == 0",
        "u32(1e20f) == 4294967040u",
        "i32(-3.9f) == -3",
        "i32(1e20f) == 2147483520",
        "i32(-1e20f) == i32(-2147483648)",
        "i32(4294967295u) == -1",
        "u32(-1i) == 4294967295u",
        "f32(16777217) == 16777216",
        "bool(2) && !bool(0.0)",
        "f32(true) == 1",
        "bitcast<u32>(1.0f) == 0x3f800000u",
        "bitcast<f32>(0x40490fdbu) == 3.14159274f",
        "bitcast<i32>(0xffffffffu) == -1",
        // Vectors, arrays, structures.
        "all(vec3(1, 2, 3) * 2 == vec3(2, 4, 6))",
        "all(vec3(1, 2, 3).zyx == vec3(3, 2, 1))",
        "vec4(1, 2, 3, 4).a == 4",
        "all(vec4(vec2(1, 2), 3, 4) == vec4(1, 2, 3, 4))",
        "all(vec3<f32>(1) == vec3f(1.0, 1.0, 1.0))",
        "all(vec2<i32>(vec2(1.9, -1.9)) == vec2(1, -1))",
        "array(1, 2.5, 3)[1] == 2.5",
        "array<vec2<u32>, 2>(vec2(1, 2), vec2(3, 4))[1].y == 4",
        "S(1, vec2(2, 3)).b.y == 3",
        "S().a == 0",
        "vec3().x == 0",
        // Functions.
        "abs(-3) == 3",
        "max(1, 2.5) == 2.5",
        "clamp(5, 1, 3) == 3",
        "sign(-2.5) == -1",
        "select(1, 2, true) == 2",
        "all(select(vec2(1, 2), vec2(3, 4), vec2(true, false)) == vec2(3, 2))",
        "floor(-1.5) == -2 && ceil(-1.5) == -1 && trunc(-1.5) == -1",
        "round(2.5) == 2 && round(3.5) == 4 && round(-0.5f) == 0",
        "fract(-0.25f) == 0.75",
        "sqrt(2f) == 1.41421354f",
        "log2(32) == 5",
        "exp2(10f) == 1024",
        "pow(2f, 10f) == 1024",
        "dot(vec3(1, 2, 3), vec3(4, 5, 6)) == 32",
        "dot(vec2f(1, 2), vec2f(3, 4)) == 11",
        "all(cross(vec3(1, 0, 0), vec3(0, 1, 0)) == vec3(0, 0, 1))",
        "length(vec2(3, 4)) == 5",
        "length(vec2f(3e30, 4e30)) == 5e30f",
        "distance(1, 4) == 3",
        "all(normalize(vec2f(0, 2)) == vec2f(0, 1))",
        "mix(1, 3, 0.5) == 2",
        "all(mix(vec2(1, 2), vec2(3, 4), 0.5) == vec2(2, 3))",
        "step(1, 2) == 1 && step(2f, 1f) == 0",
        "smoothstep(0, 2, 1) == 0.5",
        "saturate(3.0) == 1",
        "frexp(1.5).fract == 0.75 && frexp(1.5).exp == 1",
        "frexp(-12f).fract == -0.75 && frexp(-12f).exp == 4",
        "modf(-1.25).fract == -0.25 && modf(-1.25f).whole == -1",
        "ldexp(0.75, 1) == 1.5 && ldexp(0.75f, 127) == 0x1.8p126f",
        "countOneBits(0xffu) == 8",
        "countLeadingZeros(1) == 31 && countTrailingZeros(8u) == 3",
        "firstLeadingBit(-1) == -1 && firstLeadingBit(8u) == 3 && firstTrailingBit(0u) == 0xffffffffu",
        "reverseBits(1u) == 0x80000000u",
        "extractBits(0xabcdu, 4, 8) == 0xbcu && extractBits(0xf0i, 4, 4) == -1",
        "insertBits(0u, 0xffu, 4, 4) == 0xf0u",
        "pack4x8unorm(vec4(0, 0.5, 1, 2)) == 0xffff8000u",
        "pack2x16float(vec2(1, -2)) == 0xc0003c00u",
        "all(unpack4xU8(0x04030201u) == vec4(1, 2, 3, 4))",
        "all(unpack2x16float(0xc0003c00u) == vec2(1, -2))",
        "dot4I8Packed(0xff01u, 0x0202u) == 0",
        "quantizeToF16(1.0009765625f) == 1.0009765625f && quantizeToF16(1.0001f) == 1",
        "fma(2, 3, 4) == 10",
        "reflect(vec2(1, -1), vec2(0, 1)).y == 1",
        "degrees(radians(90f)) == 90 && atan2(0, -1) > 3.14159",
    };
    for (const char* each : cases) {
        CAPTURE(std::string(each));
        CHECK_EQ(first_fault(std::string("struct S { a: i32, b: vec2<u32> }\nconst_assert ") + each + ";"),
                 "");
        // The negated expression must fail: this shows that the assertion is really evaluated.
        CHECK_EQ(first_fault(std::string("struct S { a: i32, b: vec2<u32> }\nconst_assert !(") + each + ");"),
                 "2:1: The const_assert fails: its condition is false.");
    }
}

TEST_CASE("const-expressions without a value are faults") {
    struct Case {
        const char* expression;
        const char* fault;
    };
    constexpr std::array cases{
        Case{"9223372036854775807 + 1", "9223372036854775807 + 1 overflows AbstractInt, which has 64 bits."},
        Case{"i32(5000000000)", "The value 5000000000 doesn't fit in i32."},
        Case{"u32(-1)", "The value -1 doesn't fit in u32."},
        Case{"1e308 * 10", "1e+308 * 10 overflows AbstractFloat."},
        Case{"3e38f * 10f", "3e+38 * 10 overflows f32."},
        Case{"f32(1e39)", "The value 1e+39 doesn't fit in f32."},
        Case{"1 / 0", "The right operand of / is zero."},
        Case{"1u % 0u", "The right operand of % is zero."},
        Case{"1.0 / 0", "1 / 0 divides by zero."},
        Case{"i32(-2147483648) / -1", "-2147483648 / -1 overflows i32."},
        Case{"1i << 32", "A shift by 32 is as wide as i32 or wider."},
        Case{"1i << 31", "1 << 31 overflows i32."},
        Case{"0xffu << 28", "255 << 28 overflows u32."},
        Case{"1 << 63", "1 << 63 overflows AbstractInt."},
        Case{"acos(2)", "acos(2) isn't a finite number."},
        Case{"sqrt(-1f)", "sqrt(-1) isn't a finite number."},
        Case{"log(0.0)", "log(0) isn't a finite number."},
        Case{"pow(-1, 2)", "pow(-1, 2) isn't a finite number."},
        Case{"normalize(vec2f())", "normalize(vec2<f32>(0, 0)) isn't a finite number."},
        Case{"clamp(1, 3, 2)", "clamp's low, 3, is greater than its high, 2."},
        Case{"smoothstep(1, 1, 0)", "smoothstep's two edges are equal: 1."},
        Case{"extractBits(1u, 30, 3)", "offset 30 and count 3 reach past bit 32."},
        Case{"ldexp(1f, 129)", "ldexp's exponent, 129, is over 128."},
        Case{"quantizeToF16(1e5f)", "100000 is outside the range of 16-bit floats."},
        Case{"bitcast<f32>(0x7f800000u)", "bitcast of 0x7f800000 to f32 gives inf."},
        Case{"array(1, 2)[2]", "The index 2 is outside array<AbstractInt, 2>."},
        Case{"vec2(1, 2)[-1]", "The index -1 is outside vec2<AbstractInt>."},
    };
    for (const Case& each : cases) {
        CAPTURE(std::string(each.expression));
        const std::string fault = first_fault(std::string("const c = ") + each.expression + ";");
        CHECK_EQ(fault.substr(std::min(fault.size(), fault.find(": ") + 2)), std::string(each.fault));
    }
}

TEST_CASE("a constant right operand is checked beside a value known only at run time") {
    CHECK_EQ(first_fault(test::in_main("i[0] = i[1] / 0;")), "6:13: The right operand of / is zero.");
    CHECK_EQ(first_fault(test::in_main("u[0] = u[1] << 32;")),
             "6:13: A shift by 32 is as wide as u32 or wider.");
    CHECK_EQ(first_fault(test::in_main("f[0] = clamp(f[1], 2.0, 1.0);")),
             "6:8: clamp's low, 2, is greater than its high, 1.");
    CHECK_EQ(first_fault(test::in_main("i[0] = i[1] / 2;")), "");
}
