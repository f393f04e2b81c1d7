// Numbers of 64 bits: layout, literals, constants, text, and what is refused.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/lang/kernel.hpp>
#include <muster/foundation/semantics/semantics.hpp>

#include "support/parse.hpp"
#include "support/reread.hpp"
#include "support/run_kernel.hpp"
#include "support/same_program.hpp"
#include "support/text.hpp"

using namespace muster;
using test::has;

namespace {

/// `statements` behind the extensions, with bindings of the three types.
std::string with_wide(const std::string& statements, const std::string& declarations = {}) {
    return "enable muster_int64, muster_float64, f16;\n" + declarations +
           "@group(0) @binding(0) var<storage, read_write> i: array<i64>;\n"
           "@group(0) @binding(1) var<storage, read_write> u: array<u64>;\n"
           "@group(0) @binding(2) var<storage, read_write> f: array<f64>;\n"
           "@compute @workgroup_size(1) fn main() {\n" +
           statements + "\n}\n";
}

std::string wide_fault(const std::string& statements, const std::string& declarations = {}) {
    return test::first_fault(with_wide(statements, declarations));
}

std::string const_fault(const std::string& assertion) {
    return test::first_fault("enable muster_int64, muster_float64;\nconst_assert " + assertion + ";");
}

}  // namespace

TEST_CASE("numbers of 64 bits take two words, and eight bytes in memory") {
    TypeTable types;
    for (const Scalar scalar : {Scalar::i64, Scalar::u64, Scalar::f64}) {
        CHECK(types[type_of(scalar)].words == 2);
        CHECK(types[type_of(scalar)].size == 8);
        CHECK(types[type_of(scalar, 3)].words == 6);
        CHECK(types[type_of(scalar, 3)].scalars == 3);
        CHECK(types[type_of(scalar, 3)].size == 24);
        CHECK(types[type_of(scalar, 3)].align == 32);
        CHECK(types[types.runtime_array(type_of(scalar))].stride == 8);
        CHECK(types[types.array(type_of(scalar, 3), 2)].stride == 32);
    }
}

TEST_CASE("const-expressions of 64 bits have the values that the operators give at run time") {
    for (const char* each :
         {"9223372036854775807li + 1 == -9223372036854775807li - 1",
          "18446744073709551615lu > 1",
          "18446744073709551615lu / 10 == 1844674407370955161lu",
          "18446744073709551615lu % 10 == 5",
          "u64(5) - 6 == 18446744073709551615lu",
          "i64(-7) / 2 == -3",
          "1lu << 63 == 9223372036854775808lu",
          "(18446744073709551615lu >> 60) == 15",
          "(-16li >> 2) == -4",
          "~0lu == 18446744073709551615lu",
          "0x7fffffffffffffffli == 9223372036854775807li",
          "0.1lf + 0.2lf != 0.3lf",
          "f64(0.1f) != 0.1lf",
          "f64(1) / 3 == 0.333333333333333314829616256247lf",
          "1e300lf * 1e8 == 1e308lf",
          "length(vec2<f64>(0x3p600, 0x4p600)) == f64(0x5p600)",
          "length(vec2<f64>(0x3p-600, 0x4p-600)) == f64(0x5p-600)",
          "normalize(vec2<f64>(3e-200, 4e-200)).y == 0.8lf",
          "distance(vec2<f64>(1, 2), vec2<f64>(4, 6)) == 5",
          "degrees(1lf) == 57.295779513082320876798lf",
          "smoothstep(0lf, 4, 1) == 0.15625",
          "determinant(mat2x2<f64>(1, 2, 3, 4)) == -2",
          "(mat2x2<f64>(1, 2, 3, 4) * vec2<f64>(0.5, 0.25)).x == 1.25",
          "modf(-2.75lf).fract == -0.75",
          "frexp(-3e300lf).fract == -0.5599581711019314lf && frexp(-3e300lf).exp == 999",
          "frexp(vec2<f64>(0, 0.125)).exp.y == -2",
          "ldexp(-0.75lf, 1024) == -1.348269851146737e308lf && ldexp(1lf, -1022) == f64(0x1p-1022)",
          "exp(1lf) == 2.718281828459045lf && exp2(-3lf) == 0.125 && exp(-800lf) == 0",
          "log(10lf) == 2.302585092994046lf && log2(f64(0x1p-1022)) == -1022",
          "abs(sin(1e22lf) + 0.8522008497671888lf) < 1e-15 && cos(0lf) == 1",
          "atan2(-1lf, -0.0) == -1.5707963267948966lf && acos(-1lf) == 3.141592653589793lf",
          "pow(2lf, 0.5) == 1.4142135623730951lf && pow(-3lf, 3) == -27",
          "inverseSqrt(0.25lf) == 2 && all(tanh(vec2<f64>(0, 40)) == vec2<f64>(0, 1))",
          "u64(1.5lf) == 1",
          "i64(-1e300lf) == -9223372036854775807li - 1",
          "u32(4294967297li) == 1",
          "f32(16777217li) == 16777216",
          "bitcast<i64>(vec2<u32>(1, 2)) == 8589934593li",
          "bitcast<f64>(0x3ff0000000000000li) == 1",
          "countOneBits(18446744073709551615lu) == 64",
          "countLeadingZeros(1li) == 63",
          "firstLeadingBit(1lu << 40) == 40",
          "extractBits(0x123456789abcdeflu, 8, 40) == 0x456789abcdlu",
          "max(-1li, 2) == 2",
          "sqrt(2.25lf) == 1.5",
          "clamp(18446744073709551615lu, 1, 9223372036854775808lu) == 9223372036854775808lu",
          "dot(vec2<i64>(3, 4), vec2(5, 6)) == 39",
          "all(vec3<f64>(1, 2, 3).zyx == vec3(3, 2, 1))",
          "mix(1.0lf, 2, 0.5) == 1.5",
          "select(1li, 2, true) == 2"}) {
        CAPTURE(std::string(each));
        CHECK_EQ(const_fault(each), "");
    }
}

TEST_CASE("text with numbers of 64 bits reads back as it was, with any constant") {
    const std::string text = test::printed(test::parse(
        with_wide("var v = vec3<i64>(-9223372036854775807li - 1, 7, -1); v.y++; i[0] = v[u32(u[0])];\n"
                  "u[1] = u[2] / 18446744073709551615lu + (u[3] << u32(i[1]));\n"
                  "f[0] = f[1] * 1e-310lf + f64(i[2]) + bitcast<f64>(u[0]) - 4503599627370496.5lf;\n"
                  "let bits = vec2(0u, 0x7ff00000u); f[2] = bitcast<f64>(bits);")));
    CHECK(has(text, "enable muster_int64;"));
    CHECK(has(text, "enable muster_float64;"));
}

TEST_CASE("numbers of 64 bits are refused where they aren't enabled, don't fit, or have no operation") {
    CHECK(has(test::first_fault("const a = 1li;"), "The suffix li needs the extension muster_int64"));
    CHECK(has(test::first_fault("const a = 1.0lf;"), "The suffix lf needs the extension muster_float64"));
    CHECK(has(test::first_fault("var<private> a: f64;"), "The type f64 needs the extension muster_float64"));
    CHECK(has(test::first_fault("enable muster_int64; var<private> a: f64;"), "muster_float64"));
    CHECK(has(const_fault("18446744073709551616lu == 0"), "18446744073709551615, the largest u64"));
    CHECK(has(const_fault("9223372036854775808li == 0"), "9223372036854775807"));
    CHECK(has(const_fault("u64(-1) == 0"), "doesn't fit in u64"));
    CHECK(has(const_fault("1lu / 0 == 0"), "zero"));
    CHECK(has(const_fault("1lu << 64 == 0"), "A shift by 64 is as wide as u64"));
    CHECK(has(const_fault("1e308lf * 10 == 0"), "overflows f64"));
    CHECK(has(wide_fault("f[0] = exp(u[1]);"), "No overload of exp takes (u64)"));
    CHECK(has(wide_fault("f[0] = quantizeToF16(f[1]);"), "No overload of quantizeToF16 takes (f64)"));
    CHECK(has(const_fault("exp(710lf) == 0"), "exp(710) isn't a finite number"));
    CHECK(has(wide_fault("f[0] = f[1] * 1.0f;"), "f64 and f32"));
    CHECK(has(wide_fault("i[0] = i[1] + u[1];"), "i64 and u64"));
    CHECK(has(wide_fault("i[i[0]] = 1;"), "index"));
    CHECK(has(wide_fault("i[0] = i[1] << u[0];"), "doesn't take operands of types i64 and u64"));
    CHECK(has(wide_fault("u[0] = -u[1];"), "a signed number"));
    CHECK(has(wide_fault("switch i[0] { default {} }"), "i64"));
    CHECK(has(wide_fault("", "var<workgroup> a: atomic<f64>;"), "atomic<f64> isn't a type"));
    CHECK(has(test::first_fault("var<workgroup> a: atomic<u64>;"), "needs the extension muster_int64"));
    CHECK(has(wide_fault("", "var<private> a: mat2x2<u64>;"), "A matrix can't have components of type u64"));
}

TEST_CASE("overrides of 64 bits take values of 64 bits") {
    const std::string text =
        with_wide("i[0] = a; u[0] = b; f[0] = c + f64(d);",
                  "override a: i64; override b = 7lu; override c: f64; override d: u64 = 2;\n");
    const auto with = [&](const std::string& a, const std::string& b, const std::string& c) {
        return wgsl::parse(text, {.overrides = {{"a", a}, {"b", b}, {"c", c}}});
    };
    const auto program = with("-9223372036854775808", "0xfFfFfFfFfFfFfFfFlu", "0.1lf");
    REQUIRE(program);
    const Result<ValidProgram> valid = validate(*program);
    REQUIRE(valid);
    const std::vector<test::Words> after = test::run(*valid, {{0, 0}, {0, 0}, {0, 0}});
    CHECK(after[0] == test::Words{0, 0x80000000u});
    CHECK(after[1] == test::Words{UINT32_MAX, UINT32_MAX});
    const std::uint64_t sum = std::bit_cast<std::uint64_t>(2.1);
    CHECK(after[2] == test::Words{static_cast<std::uint32_t>(sum), static_cast<std::uint32_t>(sum >> 32)});
    CHECK(has(with("9223372036854775808", "0", "0").error().to_string(),
              "from -9223372036854775808 to 9223372036854775807"));
    CHECK(has(with("0", "-1", "0").error().to_string(), "from 0 to 18446744073709551615"));
    CHECK(has(with("0", "18446744073709551616", "0").error().to_string(), "18446744073709551616"));
    CHECK(has(with("0", "0", "1e400").error().to_string(), "1e400"));
}

TEST_CASE("conversions to and from f64 round once") {
    namespace s = semantics;
    CHECK(s::to_i64(9.3e18) == 0x7ffffffffffffc00);
    CHECK(s::to_i64(9.3e18f) == 0x7fffff8000000000);
    CHECK(s::to_u64(1e30) == 0xfffffffffffff800u);
    CHECK(s::to_u64(-1.0) == 0u);
    CHECK(s::to_i32(2147483647.9) == 2147483647);
    CHECK(s::to_f16(1.00048828125000001).bits() == 0x3c00);
    CHECK(s::to_f16(1.0004882812500002).bits() == 0x3c01);
}

TEST_CASE("the least and greatest of 64 bits are written out for devices without") {
    const Result<ValidProgram> program = validate(test::parse(
        with_wide("for (var k = 0u; k < 36; k++) {\n"
                  "    let a = f[k / 6]; let b = f[k % 6]; f[6 + k] = min(a, b); f[42 + k] = max(a, b);\n"
                  "    i[6 + k] = min(i[k / 6], i[k % 6]); u[6 + k] = max(u[k / 6], u[k % 6]);\n}")));
    REQUIRE(program);
    OpSet native = OpSet::all_exact();
    for (const Op op : {Op::min, Op::max}) native.core.reset(static_cast<std::size_t>(op));
    const Result<ValidProgram> expanded = expand(*program, native);
    REQUIRE(expanded);
    CHECK(native.contains((*expanded)->required_ops()));
    test::Words doubles,
        integers{5, 0, 0, 0x80000000u, UINT32_MAX, UINT32_MAX, 0, 0, UINT32_MAX, 0x7fffffffu, 1, 1};
    for (const double x : {0.0, -0.0, std::numeric_limits<double>::quiet_NaN(), 1.5, -HUGE_VAL, 1e-320}) {
        const std::uint64_t bits = semantics::to_bits(x);
        doubles.push_back(static_cast<std::uint32_t>(bits));
        doubles.push_back(static_cast<std::uint32_t>(bits >> 32));
    }
    doubles.resize(156);
    integers.resize(84);
    const std::vector<test::Words> memory{integers, integers, doubles};
    CHECK(test::run(*program, memory) == test::run(*expanded, memory));
}

TEST_CASE("the math functions of f64 are written out for every device") {
    std::string body;
    std::size_t results = 0;
    const auto store = [&](const std::string& value) {
        body += "f[o + " + std::to_string(results++) + " * n] = " + value + ";\n";
    };
    for (const char* each : {"exp", "exp2", "log", "log2", "sin", "cos", "tan", "asin", "acos", "atan",
                             "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "inverseSqrt"})
        store(std::string(each) + "(vec2(y, x)).y");
    store("pow(x, y)");
    store("atan2(x, y)");
    store("frexp(x).fract + f64(frexp(x).exp)");
    store("ldexp(x, i32(y))");
    const Result<ValidProgram> program = validate(test::parse(
        with_wide("u[0] = 1; i[0] = 1; let n = 196u;\n"
                  "for (var k = 0u; k < n; k++) { let x = f[k / 14]; let y = f[k % 14]; let o = 14 + k;\n" +
                  body + "}")));
    REQUIRE(program);
    const OpSet native = [] {
        OpSet all = OpSet::all_exact();
        all.insert(OpGroup::math);  // of f32
        return all;
    }();
    const Result<ValidProgram> expanded = expand(*program, native);
    REQUIRE(expanded);
    CHECK(OpSet::all_exact().contains((*expanded)->required_ops()));
    test::Words doubles;
    for (const double x : {0.0, -0.0, 0.3, -1.7, 1.0, 3e5, -2.5e300, 1e-310, 0x1p-1074, 7e-20, -708.5,
                           HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
        const std::uint64_t bits = semantics::to_bits(x);
        doubles.push_back(static_cast<std::uint32_t>(bits));
        doubles.push_back(static_cast<std::uint32_t>(bits >> 32));
    }
    doubles.resize(2 * (14 + 196 * results));
    const std::vector<test::Words> memory{{0, 0}, {0, 0}, doubles};
    const std::vector<test::Words> plain = test::run(*program, memory),
                                   written = test::run(*expanded, memory);
    const auto bits_at = [](const test::Words& words, std::size_t at) {  // one pattern for all NaNs
        return semantics::to_bits(std::bit_cast<double>(words[at] | std::uint64_t{words[at + 1]} << 32));
    };
    for (std::size_t k = 0; k < results; ++k)
        for (std::size_t at = 2 * (14 + 196 * k); at < 2 * (14 + 196 * (k + 1)); at += 2) {
            const std::size_t pair = at / 2 - 14 - 196 * k;
            INFO("function ", k, " of numbers ", pair / 14, " and ", pair % 14);
            REQUIRE(bits_at(plain[2], at) == bits_at(written[2], at));
        }
}

TEST_CASE("fma of f64 is written out for devices without, and rounds once") {
    const Result<ValidProgram> program = validate(test::parse(
        with_wide("let n = arrayLength(&u) / 2;\n"
                  "for (var k = 0u; k < n; k++) {\n"
                  "    let a = f[3 * k]; let b = f[3 * k + 1]; let c = f[3 * k + 2];\n"
                  "    u[k] = bitcast<u64>(fma(a, b, c));\n"
                  "    u[n + k] = bitcast<u64>(fma(vec2(c, a), vec2(a, b), vec2(b, -a * b)).y);\n}\n"
                  "i[0] = 0;")));
    REQUIRE(program);
    OpSet native = OpSet::all_exact();
    native.core.reset(static_cast<std::size_t>(Op::fma));
    const Result<ValidProgram> expanded = expand(*program, native);
    REQUIRE(expanded);
    CHECK(native.contains((*expanded)->required_ops()));

    std::vector<double> numbers;
    constexpr double inf = HUGE_VAL, nan = std::numeric_limits<double>::quiet_NaN();
    constexpr std::array specials{
        0.0,     -0.0, 1.0,  -1.0,    0x1p-1074, -0x1p-1074, 0x1.fffffffffffffp-1023,
        0x1p-52, 3.0,  -inf, 0x1p537, inf,       nan,        0x1.fffffffffffffp1023};
    for (const double a : specials)
        for (const double b : specials)
            for (const double c : specials) numbers.insert(numbers.end(), {a, b, c});
    std::mt19937_64 random(64);
    const auto number = [&](std::int64_t exponent) {  // of few bits, in half of the cases
        const std::uint64_t bits = random(),
                            mantissa = bits & (random() % 2 == 0 ? 0xfffffu << 20 : UINT64_MAX);
        return std::ldexp(1.0 + static_cast<double>(mantissa & ((std::uint64_t{1} << 52) - 1)) * 0x1p-52,
                          static_cast<int>(exponent)) *
               (bits >> 63 != 0 ? -1.0 : 1.0);
    };
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    for (int k = 0; k < 30'000; ++k) {
        const std::int64_t sum = k % 3 == 0 ? below(2200) - 1150 : k % 3 == 1 ? below(140) - 1130 : below(60);
        const std::int64_t first = below(900) - 450 + sum / 2;
        const double a = number(first), b = number(sum - first);
        const double near = std::nextafter(-a * b, (random() % 2 == 0 ? 1.0 : -1.0) * inf);
        const double c = k % 4 == 0 ? -a * b : k % 4 == 1 ? near : number(sum + below(240) - 120);
        numbers.insert(numbers.end(), {a, b, c});
    }
    test::Words words;
    for (const double x : numbers) {
        const std::uint64_t bits = semantics::to_bits(x);
        words.insert(words.end(), {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)});
    }
    const std::vector<test::Words> memory{{0, 0}, test::Words(4 * numbers.size() / 3), words};
    const std::vector<test::Words> plain = test::run(*program, memory),
                                   written = test::run(*expanded, memory);
    for (std::size_t k = 0; k < plain[1].size() / 2; ++k) {
        const std::size_t of = k % (numbers.size() / 3);
        CHECK_MESSAGE((plain[1][2 * k] == written[1][2 * k] && plain[1][2 * k + 1] == written[1][2 * k + 1]),
                      numbers[3 * of], " ", numbers[3 * of + 1], " ", numbers[3 * of + 2]);
    }
}

TEST_CASE("kernels in C++ with numbers of 64 bits are those of the text") {
    using namespace muster::lang;
    const auto built = kernel("mix64(x, y, out)", {64}, [](In<f64> x, In<vec2<u64>> y, InOut<i64> out) {
        Workgroup<Atomic<u64>, 2> tile;
        const auto i = global_invocation_id().x();
        Value<f64> a = x[i] * 2.0 + 1;
        Value<vec2<u64>> v = y[i] ^ (y[i] >> 7u);
        Var<i64> sum = to<i64>(fma(a, floor(a), 0.5));
        sum += bits<i64>(v.x()) % 9;
        out[i] = select(sum, -sum, v.y() == 18446744073709551615u);
        out[i + 1u] = to<i64>(bits<u32>(a).y()) + clamp(sum, -5, 5) + count_one_bits(sum);
        Value<u64> old = tile[1u].max(v.x());
        out[i + 2u] = bits<i64>(old);
    });
    test::check_same(built, R"(
        enable muster_int64, muster_float64;
        @group(0) @binding(0) var<storage, read> x: array<f64>;
        @group(0) @binding(1) var<storage, read> y: array<vec2<u64>>;
        @group(0) @binding(2) var<storage, read_write> out: array<i64>;
        var<workgroup> tile: array<atomic<u64>, 2>;
        @compute @workgroup_size(64) fn mix64(@builtin(global_invocation_id) id: vec3<u32>) {
            let i = id.x;
            let a = x[i] * 2.0 + 1;
            let v = y[i] ^ (y[i] >> vec2(7u));
            var sum = i64(fma(a, floor(a), 0.5));
            sum += bitcast<i64>(v.x) % 9;
            out[i] = select(sum, -sum, v.y == 18446744073709551615lu);
            out[i + 1u] = i64(bitcast<vec2<u32>>(a).y) + clamp(sum, -5, 5) + countOneBits(sum);
            let old = atomicMax(&tile[1], v.x);
            out[i + 2u] = bitcast<i64>(old);
        })");
    CHECK_FALSE(kernel("k(y)", {1}, [](InOut<u64> y) { y[0] = -1; }));
    static_assert(byte_size<Array<vec3<f64>, 2>> == 64 && byte_size<i64> == 8);
    static_assert(IntegerType<vec3<u64>> && SignedType<i64> && !SignedType<u64> && FloatType<f64>);
}
