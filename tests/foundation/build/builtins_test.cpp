// Built-in functions that muster expands, compared with plain C++, at the edges of the range, and with
// subnormals kept and flushed.

#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "support/parse.hpp"
#include "support/run_kernel.hpp"

using namespace muster;
using test::Words;

namespace {

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
bool is_normal_or_zero(float x) { return std::isnormal(x) || x == 0; }

/// Evaluates `expression`, a u32 of the words a, b, c and d, once per four words of the input.
Words map(std::string_view expression, const Words& input, bool flush = false) {
    const auto count = static_cast<std::uint32_t>(input.size() / 4);
    const Program program = test::parse(
        "@group(0) @binding(0) var<storage> in: array<vec4<u32>>;\n"
        "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
        "fn f(x: u32) -> f32 { return bitcast<f32>(x); }\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "  let a = in[id.x].x; let b = in[id.x].y; let c = in[id.x].z; let d = in[id.x].w;\n"
        "  out[id.x] = d - d + (" +
        std::string(expression) + ");\n}\n");
    const Result<ValidProgram> valid = validate(program);
    REQUIRE(valid);
    return test::run(*valid, {input, Words(count)}, test::groups((count + 63) / 64),
                     {.flush_subnormals = flush})[1];
}

/// Floats of every exponent and sign, exact powers among them.
Words float_samples(std::size_t words, std::uint32_t seed) {
    std::mt19937 random(seed);
    Words samples(words);
    for (std::uint32_t& sample : samples) {
        sample = static_cast<std::uint32_t>(random());
        if (random() % 8 == 0) sample &= 0xff800000u;
        if ((sample & 0x7f800000u) == 0x7f800000u) sample ^= 0x40000000u;  // finite
        if ((sample & 0x7f800000u) == 0) sample = 0;                       // normal or zero
    }
    return samples;
}
Words word_samples(std::size_t words, std::uint32_t seed) {
    std::mt19937 random(seed);
    Words samples(words);
    for (std::uint32_t& sample : samples) sample = static_cast<std::uint32_t>(random()) >> (random() % 32);
    return samples;
}

float to_half_and_back(float x) {
    if (x == 0 || std::isnan(x)) return x;
    if (std::fabs(x) >= 65520.0f) return std::copysign(INFINITY, x);
    const double quantum = std::ldexp(1.0, std::max(std::ilogb(x), -14) - 10);
    return std::copysign(static_cast<float>(std::nearbyint(std::fabs(double{x}) / quantum) * quantum), x);
}

}  // namespace

TEST_CASE("quantizeToF16 rounds to the nearest even 16-bit float") {
    Words input = float_samples(40'000, 1);
    for (std::size_t n = 0; n < input.size();
         n += 8)  // half of the arguments are near the range of 16-bit floats
        input[n] = (input[n] & 0x807fffffu) | ((100u + input[n] % 46u) << 23);
    for (bool flush : {false, true}) {
        const Words output = map("bitcast<u32>(quantizeToF16(f(a)))", input, flush);
        std::size_t wrong = 0;
        for (std::size_t n = 0; n < output.size(); ++n)
            wrong +=
                output[n] == std::bit_cast<std::uint32_t>(to_half_and_back(as_float(input[4 * n]))) ? 0 : 1;
        CHECK_EQ(wrong, 0);
    }
}

TEST_CASE("16-bit floats are unpacked exactly and packed back to themselves") {
    Words input(4 * 65536);
    for (std::uint32_t half = 0; half < 65536; ++half) input[4 * half] = half | 0x3c000000u;
    const Words unpacked = map("bitcast<u32>(unpack2x16float(a).x)", input);
    const Words packed = map("pack2x16float(unpack2x16float(a))", input);
    std::size_t wrong = 0;
    for (std::uint32_t half = 0; half < 65536; ++half) {
        const std::uint32_t exponent = (half >> 10) & 31, fraction = half & 1023;
        if (exponent == 31 && fraction != 0) {
            wrong += std::isnan(as_float(unpacked[half])) && (packed[half] & 0x7fff) == 0x7e00 ? 0 : 1;
            continue;
        }
        const double magnitude = exponent == 31 ? INFINITY
                                 : exponent == 0
                                     ? std::ldexp(fraction, -24)
                                     : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
        const auto expected = static_cast<float>((half & 0x8000) != 0 ? -magnitude : magnitude);
        wrong += unpacked[half] == std::bit_cast<std::uint32_t>(expected) && packed[half] == input[4 * half]
                     ? 0
                     : 1;
    }
    CHECK_EQ(wrong, 0);
}

TEST_CASE("length and normalize neither overflow nor depend on flushing") {
    Words input = float_samples(40'000, 2);
    for (std::size_t n = 0; n < input.size(); n += 4)  // components of similar magnitude
        for (std::size_t k = 1; k < 4; ++k)
            if (n % 3 != 0 && input[n] != 0)
                input[n + k] = (input[n + k] & 0x807fffffu) | (input[n] & 0x7f800000u);
    const Words kept = map("bitcast<u32>(length(vec4(f(a), f(b), f(c), f(d))))", input);
    const Words flushed = map("bitcast<u32>(length(vec4(f(a), f(b), f(c), f(d))))", input, true);
    const Words unit = map("bitcast<u32>(length(normalize(vec4(f(a), f(b), f(c), f(d)))))", input);
    const Words unit_flushed =
        map("bitcast<u32>(length(normalize(vec4(f(a), f(b), f(c), f(d)))))", input, true);
    std::size_t wrong = 0;
    for (std::size_t n = 0; n < kept.size(); ++n) {
        double square = 0;
        for (std::size_t k = 0; k < 4; ++k) square += std::pow(double{as_float(input[4 * n + k])}, 2);
        const double exact = std::sqrt(square);
        const float got = as_float(kept[n]);
        const bool close =
            exact > 3.4028236e38 ? std::isinf(got) || got > 3.4e38f : std::fabs(got - exact) <= 3e-7 * exact;
        wrong += close && kept[n] == flushed[n] ? 0 : 1;
        if (exact != 0)
            wrong += std::fabs(as_float(unit[n]) - 1.0f) < 1e-6f && unit[n] == unit_flushed[n] ? 0 : 1;
    }
    CHECK_EQ(wrong, 0);
}

TEST_CASE("frexp splits, ldexp joins") {
    Words input = float_samples(40'000, 3);
    for (std::size_t n = 0; n < input.size(); n += 4)
        input[n + 1] = static_cast<std::uint32_t>(static_cast<std::int32_t>(input[n + 1] % 600u) - 300);
    const Words fraction = map("bitcast<u32>(frexp(f(a)).fract)", input);
    const Words exponent = map("bitcast<u32>(frexp(f(a)).exp)", input, true);
    const Words joined = map("bitcast<u32>(ldexp(f(a), bitcast<i32>(b)))", input);
    const Words back = map("bitcast<u32>(ldexp(frexp(f(a)).fract, frexp(f(a)).exp))", input, true);
    std::size_t wrong = 0;
    for (std::size_t n = 0; n < joined.size(); ++n) {
        const float x = as_float(input[4 * n]);
        int e = 0;
        const float f = std::frexp(x, &e);
        wrong += std::bit_cast<std::uint32_t>(f) == fraction[n] &&
                         static_cast<std::uint32_t>(e) == exponent[n] && back[n] == input[4 * n]
                     ? 0
                     : 1;
        const double exact = std::ldexp(double{x}, static_cast<std::int32_t>(input[4 * n + 1]));
        const float expected =
            std::fabs(exact) < 0x1p-126 ? std::copysign(0.0f, x) : static_cast<float>(exact);
        wrong += std::bit_cast<std::uint32_t>(expected) == joined[n] ? 0 : 1;
        CHECK(is_normal_or_zero(f));
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(map("bitcast<u32>(frexp(f(a)).fract)", {0x7f800000u, 0, 0, 0})[0], 0x7f800000u);
    CHECK_EQ(map("bitcast<u32>(frexp(f(a)).exp)", {0x00000001u, 0, 0, 0})[0], 0);
    CHECK_EQ(map("bitcast<u32>(ldexp(f(a), bitcast<i32>(b)))", {0x3f800000u, 0x7fffffffu, 0, 0})[0],
             0x7f800000u);
}

TEST_CASE("bit fields follow WGSL's clamped offsets and counts") {
    const Words input = word_samples(40'000, 4);
    const Words unsigned_bits = map("extractBits(a, b, c)", input);
    const Words signed_bits = map("bitcast<u32>(extractBits(bitcast<i32>(a), b & 31, c & 63))", input);
    const Words inserted = map("insertBits(a, d, b & 63, c & 63)", input);
    std::size_t wrong = 0;
    const auto ones = [](std::uint32_t count) { return count >= 32 ? 0xffffffffu : (1u << count) - 1; };
    for (std::size_t n = 0; n < inserted.size(); ++n) {
        const std::uint32_t a = input[4 * n], b = input[4 * n + 1], c = input[4 * n + 2],
                            d = input[4 * n + 3];
        const auto extract = [&](std::uint32_t offset, std::uint32_t count) {
            const std::uint32_t o = std::min(offset, 32u), w = std::min(count, 32 - o);
            return std::pair{w == 0 ? 0 : (a >> o) & ones(w), w};
        };
        wrong += unsigned_bits[n] == extract(b, c).first ? 0 : 1;
        const auto [bits, width] = extract(b & 31, c & 63);
        const std::uint32_t extended = width != 0 && (bits >> (width - 1)) != 0 ? bits | ~ones(width) : bits;
        wrong += signed_bits[n] == extended ? 0 : 1;
        const std::uint32_t o = std::min(b & 63, 32u), w = std::min(c & 63, 32 - o);
        const std::uint32_t mask = w == 0 ? 0 : ones(w) << o;
        wrong += inserted[n] == ((a & ~mask) | (w == 0 ? 0 : (d << o) & mask)) ? 0 : 1;
    }
    CHECK_EQ(wrong, 0);
}

TEST_CASE("packing clamps, rounds and places as WGSL says") {
    Words input = float_samples(40'000, 5);
    for (std::size_t n = 0; n < input.size(); ++n)
        if (n % 4 != 3)
            input[n] = std::bit_cast<std::uint32_t>(
                static_cast<float>(static_cast<int>(input[n] % 4001u) - 2000) / 1500.0f);
    const Words snorm = map("pack4x8snorm(vec4(f(a), f(b), f(c), f(d)))", input);
    const Words unorm = map("pack2x16unorm(vec2(f(b), f(d)))", input);
    const Words bytes =
        map("pack4xI8Clamp(vec4<i32>(bitcast<i32>(a) >> 20, bitcast<i32>(b), 300, -7))", input);
    const auto lane = [](float x, double low, double scale) {
        return static_cast<std::int32_t>(std::floor(
            0.5f + static_cast<float>(scale) * std::min(std::max(x, static_cast<float>(low)), 1.0f)));
    };
    std::size_t wrong = 0;
    for (std::size_t n = 0; n < snorm.size(); ++n) {
        std::uint32_t expected = 0;
        for (std::uint32_t k = 0; k < 4; ++k)
            expected |= (static_cast<std::uint32_t>(lane(as_float(input[4 * n + k]), -1, 127)) & 0xff)
                        << (8 * k);
        wrong += snorm[n] == expected ? 0 : 1;
        wrong += unorm[n] == (static_cast<std::uint32_t>(lane(as_float(input[4 * n + 1]), 0, 65535)) |
                              static_cast<std::uint32_t>(lane(as_float(input[4 * n + 3]), 0, 65535)) << 16)
                     ? 0
                     : 1;
        const auto clamped = [](std::int32_t x) {
            return static_cast<std::uint32_t>(std::clamp(x, -128, 127)) & 0xff;
        };
        wrong += bytes[n] == (clamped(static_cast<std::int32_t>(input[4 * n]) >> 20) |
                              clamped(static_cast<std::int32_t>(input[4 * n + 1])) << 8 | 0x7fu << 16 |
                              0xf9u << 24)
                     ? 0
                     : 1;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(map("bitcast<u32>(unpack4x8snorm(a).y)", {0x8000u, 0, 0, 0})[0], 0xbf800000u);
    CHECK_EQ(map("bitcast<u32>(unpack4x8unorm(a).w)", {0xff000000u, 0, 0, 0})[0], 0x3f800000u);
    CHECK_EQ(map("bitcast<u32>(dot4I8Packed(a, b))", {0x80ff7f01u, 0x80017f02u, 0, 0})[0],
             128 * 128 - 1 + 127 * 127 + 2);
}

TEST_CASE("a constant call has the bits of the same call at run time") {
    for (const char* call :
         {"length(vec3(%, 2.5, -3.25))", "normalize(vec3(%, 2.5, -3.25)).z", "smoothstep(0.5, 3.5, %)",
          "mix(0.1, 0.7, %)", "dot(vec3(%, 0.3, 0.7), vec3(0.11, 0.13, 0.17))",
          "refract(normalize(vec2(%, -1.0)), vec2(0.0, 1.0), 0.7).x",
          "reflect(vec2(%, -1.0), vec2(0.6, 0.8)).y", "degrees(%)", "radians(%)", "fract(%)",
          "quantizeToF16(%)", "cross(vec3(%, 2.0, 3.0), vec3(4.0, 5.0, 6.5)).y",
          "distance(vec2(%, 2.0), vec2(0.1, 0.2))", "% % 0.7", "sqrt(%) / 3.0"}) {
        CAPTURE(std::string(call));
        const auto with = [&](std::string_view x) {
            std::string text(call);
            text.replace(text.find('%'), 1, x);
            return "bitcast<u32>(" + text + ")";
        };
        CHECK_EQ(map(with("1.3f"), {0, 0, 0, 0})[0],
                 map(with("f(a)"), {std::bit_cast<std::uint32_t>(1.3f), 0, 0, 0})[0]);
    }
}
