// 16-bit floats: the host's type, the semantics, the expansion into f32's operations, text, and C++ kernels.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/lang/kernel.hpp>
#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/math/halves.hpp>
#include <muster/foundation/semantics/semantics.hpp>

#include "support/parse.hpp"
#include "support/reread.hpp"
#include "support/run_kernel.hpp"
#include "support/same_program.hpp"
#include "support/text.hpp"

using namespace muster;
using test::has;
using test::Words;

namespace {

constexpr std::uint32_t all_halves = 65536;

f16 half(std::uint32_t bits) { return f16::from_bits(static_cast<std::uint16_t>(bits)); }

/// The value by the definition of binary16.
double value_of_half(std::uint32_t bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
    double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31)
        value = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                              : std::numeric_limits<double>::infinity();
    return (bits & 0x8000u) != 0 ? -value : value;
}

/// The f16 nearest to numerator * 2^-48, with one rounding, in integers.
f16 nearest_half(__int128 numerator, bool negative_zero) {
    const bool negative = numerator < 0 || (numerator == 0 && negative_zero);
    unsigned __int128 rest = static_cast<unsigned __int128>(numerator < 0 ? -numerator : numerator);
    int exponent = -48;  // of the last bit
    bool lost = false;
    std::uint32_t tail = 0;  // the last bit that was dropped
    while (rest >= 2048 || exponent < -24) {
        lost = lost || tail != 0;
        tail = static_cast<std::uint32_t>(rest & 1);
        rest >>= 1;
        ++exponent;
    }
    auto whole = static_cast<std::uint32_t>(rest);
    if (tail != 0 && (lost || (whole & 1) != 0)) ++whole;
    // A carry out of the fraction leads to the next exponent, and at last to infinity.
    const auto bits = std::min(static_cast<std::uint32_t>(exponent + 24) * 1024 + whole, 0x7c00u);
    return half(bits | (negative ? 0x8000u : 0u));
}

std::int64_t steps_of_half(f16 x) {
    return static_cast<std::int64_t>(std::ldexp(static_cast<double>(x), 24));
}

bool same_half(f16 a, f16 b) {
    return a.bits() == b.bits() || (semantics::is_nan(a) && semantics::is_nan(b));
}

/// Numbers that cover the range, its ends, and what they round to.
std::vector<std::uint32_t> some_halves() {
    std::vector<std::uint32_t> all{0,      1,      2,      0x3ff,  0x400,  0x401,  0x3bff, 0x3c00, 0x3c01,
                                   0x3555, 0x4248, 0x7bff, 0x7c00, 0x7e00, 0x7c01, 0x0200, 0x5bff, 0x6400};
    std::mt19937 random(16);
    for (const math::HalfwayCase& each : math::halfway_cases) all.push_back(f16(std::abs(each.x)).bits());
    while (all.size() < 120) all.push_back(random() & 0x7fffu);
    const std::size_t positive = all.size();
    for (std::size_t i = 0; i < positive; ++i) all.push_back(all[i] | 0x8000u);
    return all;
}

/// y[i] = op(a[i], b[i], c[i]) on f16, or to[i] = ... if the result is another type.
ValidProgram on_halves(Op op, std::uint32_t width) {
    IrBuilder ir("main", {64, 1, 1});
    const TypeId type = type_of(Scalar::f16, width);
    const auto array = [&](const char* name, std::uint32_t binding, TypeId of) {
        return ir.variable({.name = name,
                            .type = ir.types().runtime_array(of),
                            .space = AddressSpace::storage,
                            .binding = binding});
    };
    const NodeId i = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
    const std::array inputs{array("a", 0, type), array("b", 1, type), array("c", 2, type)};
    std::vector<NodeId> operands;
    for (std::int8_t k = 0; k < info(op).operands; ++k)
        operands.push_back(ir.load(ir.ref_index(ir.ref(inputs[static_cast<std::uint8_t>(k)]), i)));
    NodeId value;
    if (op == Op::fma)
        value = ir.fma(operands[0], operands[1], operands[2]);
    else
        value = operands.size() == 1 ? ir.unary(op, operands[0]) : ir.binary(op, operands[0], operands[1]);
    if (ir.types()[ir.type(value)].scalar == Scalar::boolean) value = ir.convert(Scalar::f16, value);
    ir.store(ir.ref_index(ir.ref(array("y", 3, type)), i), value);
    Result<Program> made = std::move(ir).finish();
    REQUIRE(made);
    const Result<ValidProgram> valid = validate(*made);
    REQUIRE_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    return *valid;
}

/// Halves, two in a word.
Words halves_in_memory(const std::vector<std::uint32_t>& halves) {
    Words words((halves.size() + 1) / 2);
    for (std::size_t i = 0; i < halves.size(); ++i) words[i / 2] |= halves[i] << (i % 2 * 16);
    return words;
}
f16 half_at(const Words& memory, std::size_t i) { return half(memory[i / 2] >> (i % 2 * 16) & 0xffffu); }

/// A text's program, run on words: f: array<f16>, u: array<u32>.
std::vector<Words> run_text(const std::string& body, std::vector<Words> memory) {
    const std::string text =
        "enable f16;\n@group(0) @binding(0) var<storage, read_write> h: array<f16>;\n"
        "@group(0) @binding(1) var<storage, read_write> u: array<u32>;\n"
        "@compute @workgroup_size(1) fn main() { _ = h[0]; _ = u[0];\n" +
        body + "\n}\n";
    const Program program = test::parse(text);
    test::printed(program);
    const Result<ValidProgram> valid = validate(program);
    REQUIRE_MESSAGE(valid, (valid ? "" : valid.error().to_string()));
    const auto expanded = expand(*valid, OpSet::all_exact());
    REQUIRE(expanded);
    if (program.bindings().size() == 1) memory.erase(memory.begin());  // only u is used
    const std::vector<Words> native = test::run(*valid, memory);
    CHECK(test::run(*expanded, memory) == native);
    return native;
}

std::uint32_t text_gives(const std::string& expression) {
    return run_text("u[0] = " + expression + ";", {{0x40003c00u, 0x44004200u}, Words(1)}).back()[0];
}

}  // namespace

TEST_CASE("every f16 has its value as a float, and rounds back to itself") {
    for (std::uint32_t bits = 0; bits < all_halves; ++bits) {
        const f16 x = half(bits);
        if (std::isnan(value_of_half(bits))) {
            REQUIRE(semantics::is_nan(x));
            REQUIRE(f16(x).bits() == bits);
            REQUIRE(f16(float{x}).bits() == 0x7e00);
            continue;
        }
        REQUIRE(static_cast<double>(x) == value_of_half(bits));
        REQUIRE(std::signbit(float{x}) == ((bits & 0x8000u) != 0));
        REQUIRE(f16(float{x}).bits() == bits);
        REQUIRE(semantics::to_f16(value_of_half(bits)).bits() == bits);
    }
}

TEST_CASE("floats and doubles round to the nearest f16, ties to even") {
    for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
        const double low = value_of_half(bits), high = bits == 0x7bff ? 65536.0 : value_of_half(bits + 1);
        const double middle = (low + high) / 2;
        const std::uint32_t even = bits + (bits & 1);
        for (const double sign : {1.0, -1.0}) {
            const std::uint32_t negative = sign < 0 ? 0x8000u : 0u;
            const auto rounded = [&](double x) { return semantics::to_f16(sign * x).bits(); };
            REQUIRE(rounded(middle) == (even | negative));
            REQUIRE(rounded(std::nextafter(middle, 0.0)) == (bits | negative));
            REQUIRE(rounded(std::nextafter(middle, 1e9)) == ((bits + 1) | negative));
            const auto narrow = static_cast<float>(middle);  // exact
            REQUIRE(f16(static_cast<float>(sign) * narrow).bits() == (even | negative));
            REQUIRE(f16(static_cast<float>(sign) * std::nextafter(narrow, 1e9f)).bits() ==
                    ((bits + 1) | negative));
        }
    }
    CHECK(f16(1e30f).bits() == 0x7c00);
    CHECK(semantics::to_f16(-1e300).bits() == 0xfc00);
    CHECK(semantics::to_f16(1e-300).bits() == 0);
    CHECK(f16(-1e-40f).bits() == 0x8000);
    CHECK(f16(std::numeric_limits<float>::quiet_NaN()).bits() == 0x7e00);
}

TEST_CASE("arithmetic of f16 is correctly rounded, fma too") {
    const std::vector<std::uint32_t> all = some_halves();
    std::mt19937 random(7);
    for (const std::uint32_t a : all) {
        for (const std::uint32_t b : all) {
            const f16 x = half(a), y = half(b);
            if (!semantics::is_finite(x) || !semantics::is_finite(y)) continue;
            const __int128 scaled_x = static_cast<__int128>(steps_of_half(x)) << 24,
                           scaled_y = static_cast<__int128>(steps_of_half(y)) << 24;
            const __int128 product = static_cast<__int128>(steps_of_half(x)) * steps_of_half(y);
            const bool minus = std::signbit(float{x}) && std::signbit(float{y});
            REQUIRE(same_half(semantics::add(x, y), nearest_half(scaled_x + scaled_y, minus)));
            REQUIRE(same_half(semantics::mul(x, y),
                              nearest_half(product, std::signbit(float{x}) != std::signbit(float{y}))));
            for (int k = 0; k < 8; ++k) {
                // Half of the addends nearly cancel the product, or lie far below it.
                f16 z = half(all[random() % all.size()]);
                if (k % 2 == 0) z = semantics::neg(semantics::mul(x, y));
                if (k % 4 == 2) z = half(random() & 0x83ffu);
                if (!semantics::is_finite(z)) continue;
                const bool negative_zero =
                    (std::signbit(float{x}) != std::signbit(float{y})) && std::signbit(float{z});
                REQUIRE(same_half(
                    semantics::fma(x, y, z),
                    nearest_half(product + (static_cast<__int128>(steps_of_half(z)) << 24), negative_zero)));
            }
            if (steps_of_half(y) == 0) continue;
            // The quotient: no f16 is nearer.
            const f16 quotient = semantics::div(x, y);
            if (!semantics::is_finite(quotient)) continue;
            const auto error = [&](f16 q) {
                return std::fabs(static_cast<double>(q) * static_cast<double>(y) - static_cast<double>(x));
            };
            REQUIRE(error(quotient) <= error(half(quotient.bits() + 1u)));
            if ((quotient.bits() & 0x7fffu) != 0)
                REQUIRE(error(quotient) <= error(half(quotient.bits() - 1u)));
        }
    }
    for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
        const f16 root = semantics::sqrt(half(bits));
        const double below = value_of_half(root.bits() == 0 ? 0 : root.bits() - 1u),
                     above = value_of_half(root.bits() + 1u);
        const double low = (below + value_of_half(root.bits())) / 2,
                     high = (above + value_of_half(root.bits())) / 2;
        REQUIRE(low * low <= value_of_half(bits));
        REQUIRE(high * high >= value_of_half(bits));
    }
    CHECK(same_half(semantics::fma(half(0x7c00), half(0), half(0x3c00)), half(0x7e00)));
    CHECK(semantics::fma(half(0x7bff), half(0x7bff), half(0xfbff)).bits() == 0x7c00);
    CHECK(semantics::fma(half(0x7bff), half(0x7bff), half(0xfc00)).bits() == 0xfc00);
}

TEST_CASE("conversions of f16 truncate, clamp and round as WGSL says") {
    CHECK(semantics::to_i32(half(0x7c00)) == 65504);
    CHECK(semantics::to_i32(half(0xfc00)) == -65504);
    CHECK(semantics::to_u32(half(0x7c00)) == 65504u);
    CHECK(semantics::to_u32(half(0xbc00)) == 0u);
    CHECK(semantics::to_i32(half(0x7e00)) == 0);
    CHECK(semantics::to_i32(half(0xc39a)) == -3);
    CHECK(semantics::to_f16(65519).bits() == 0x7bff);
    CHECK(semantics::to_f16(65520).bits() == 0x7c00);
    CHECK(semantics::to_f16(-2147483647 - 1).bits() == 0xfc00);
    CHECK(semantics::to_f16(2049u).bits() == semantics::to_f16(2048u).bits());
    CHECK(semantics::to_f16(true).bits() == 0x3c00);
    CHECK(semantics::to_bool(half(0x8000)) == false);
    CHECK(semantics::to_bool(half(0x7e00)) == true);
    CHECK(semantics::to_bits(half(0xffff), half(0x8001)) == 0x80017e00u);
}

TEST_CASE("expanded f16 operations give the same bits as the interpreter's own") {
    const std::vector<std::uint32_t> all = some_halves();
    constexpr std::uint32_t count = 64 * 24;
    std::mt19937 random(3);
    std::array<std::vector<std::uint32_t>, 3> operands;
    for (auto& each : operands)
        for (std::uint32_t i = 0; i < 4 * count; ++i) each.push_back(all[random() % all.size()]);
    OpSet none = OpSet::all_exact();
    for (const Op op : {Op::div, Op::sqrt, Op::fma, Op::rem, Op::min, Op::max})
        none.core.reset(static_cast<std::size_t>(op));
    for (std::size_t k = 0; k < op_count; ++k) {
        const Op op = static_cast<Op>(k);
        const bool is_arithmetic = op >= Op::add && op <= Op::ge;
        if (!is_arithmetic && info(op).group != OpGroup::math) continue;
        CAPTURE(info(op).name);
        for (const std::uint32_t width : {1u, 3u, 4u}) {
            const ValidProgram program = on_halves(op, width);
            const std::uint32_t stride = width == 3 ? 4 : width;
            std::vector<Words> memory;
            for (const auto& each : operands)
                memory.push_back(halves_in_memory({each.begin(), each.begin() + count * stride}));
            memory.push_back(Words(count * stride / 2));
            const std::size_t needed = static_cast<std::uint8_t>(info(op).operands);
            memory.erase(memory.begin() + static_cast<std::ptrdiff_t>(needed), memory.end() - 1);
            const Words own = test::run(program, memory, test::groups(count / 64)).back();
            for (const OpSet& native : {OpSet::all_exact(), none}) {
                const auto expanded = expand(program, native);
                REQUIRE_MESSAGE(expanded, (expanded ? "" : expanded.error().to_string()));
                CHECK(native.contains((*expanded)->required_ops()));
                CHECK(needed_after_expansion(*program, native).contains((*expanded)->required_ops()));
                for (const bool flush : {false, true}) {
                    const Words got =
                        test::run(*expanded, memory, test::groups(count / 64), {.flush_subnormals = flush})
                            .back();
                    for (std::size_t i = 0; i < count * stride; ++i) {
                        if (width == 3 && i % 4 == 3) continue;
                        REQUIRE_MESSAGE(same_half(half_at(got, i), half_at(own, i)), i);
                    }
                }
            }
            OpSet every = OpSet::all_core();
            every.f16 = every.core;
            const auto kept = expand(program, every);
            REQUIRE(kept);
            CHECK((*kept)->fingerprint() == program->fingerprint());
        }
    }
}

TEST_CASE(
    "a step of fast arithmetic on f16 isn't rounded, but what the kernel rounds itself, compares or stores "
    "is") {
    const auto roundings = [](const char* expression, F16Steps steps) {
        const ValidProgram program = *validate(*wgsl::parse(
            std::string("enable f16; @group(0) @binding(0) var<storage, read_write> h: array<f16, 8>;\n"
                        "@compute @workgroup_size(1) fn main() { h[4] = ") +
            expression + "; }"));
        const ValidProgram expanded = *expand(program, OpSet::all_exact(), 32, steps);
        int count = 0;
        for (std::uint32_t i = 0; i < expanded->node_count(); ++i)
            count += expanded->node(NodeId{i}).op == Op::convert && expanded->type(NodeId{i}) == f16_type;
        return count;
    };
    CHECK(roundings("h[0] * h[1] + h[2]", F16Steps::rounded) == 2);
    CHECK(roundings("h[0] * h[1] + h[2]", F16Steps::wide) == 1);
    CHECK(roundings("f16(f32(h[0]) * 0.1f) * h[2]", F16Steps::wide) == 2);
    CHECK(roundings("select(h[0], h[1], h[0] * h[1] < h[2])", F16Steps::wide) == 1);
}

TEST_CASE("functions of one f16 are correctly rounded where f32's result is half-way") {
    CHECK(math::evaluate(Op::exp, half(0x1f79)).bits() == 0x3c07);
    CHECK(math::evaluate(Op::sin, half(0xdcb0)).bits() == 0x3bff);
    CHECK(math::evaluate(Op::acos, half(0xacaf)).bits() == 0x3e93);
}

TEST_CASE("functions of one f16 are those of f32, rounded once") {
    const std::array exponents{0x3c00u, 0x3800u, 0x0001u, 0x7bffu, 0xbc00u, 0x7c00u};
    for (const Op op : {Op::exp, Op::log, Op::sin, Op::tanh}) {
        const Words got =
            test::run(on_halves(op, 1), {halves_in_memory({exponents.begin(), exponents.end()}), Words(3)},
                      test::groups(1))
                .back();
        for (std::size_t i = 0; i < exponents.size(); ++i)
            CHECK(same_half(half_at(got, i), f16(math::evaluate(op, half(exponents[i])))));
    }
}

TEST_CASE("text with f16 computes what it says, at compile time and at run time") {
    // h: 1, 2, 3, 4
    CHECK(text_gives("u32(h[0] + h[1])") == 3);
    CHECK(text_gives("bitcast<u32>(vec2(h[2] * h[3], 0.1h))") == 0x2e664a00u);
    CHECK(text_gives("bitcast<u32>(vec2(3h * 4h, 0.1h))") == 0x2e664a00u);
    CHECK(text_gives("bitcast<u32>(vec2h(h[0] / 3, fma(h[1], 0.6h, 2048.0)))") == 0x68013555u);
    CHECK(text_gives("bitcast<u32>(vec2h(1h / 3, fma(2h, 0.6h, 2048.0)))") == 0x68013555u);
    CHECK(text_gives("bitcast<vec2u>(vec4h(1, 2, h[2], -h[3])).y") == 0xc4004200u);
    CHECK(text_gives("u32(bitcast<vec2<f16>>(0x40003c00u).y)") == 2);
    CHECK(text_gives("u32(bitcast<vec2<f16>>(u[0] | 0x40003c00u).y)") == 2);
    CHECK(text_gives("u32(f32(h[1]) * 0.5)") == 1);
    CHECK(text_gives("u32(dot(vec3h(h[0], h[1], h[2]), vec3h(4, 5, 6)))") == 32);
    CHECK(text_gives("bitcast<u32>(vec2h(length(vec2h(h[2], h[3])) * 100, length(vec2(3h, 4h) * 10000)))") ==
          0x7a1a5fd0u);
    CHECK(text_gives("bitcast<u32>(vec2h(frexp(h[2]).fract, modf(2.5h).whole))") == 0x40003a00u);
    CHECK(text_gives("bitcast<u32>(vec2h(ldexp(h[0], -24), mix(h[0], h[2], 0.25h)))") == 0x3e000001u);
    CHECK(text_gives("bitcast<u32>(vec2h(clamp(h[3], 1, 3), saturate(h[1])))") == 0x3c004200u);
    CHECK(text_gives("bitcast<u32>(vec2h(sign(-h[3]), select(1h, h[2], h[0] < h[1])))") == 0x4200bc00u);
    CHECK(text_gives("bitcast<u32>(vec2h(max(h[0], 7h), exp2(h[2])))") == 0x48004700u);
    CHECK(text_gives("u32(i32(h[3] * 20000))") == 65504);
    CHECK(text_gives("pack2x16float(vec2f(vec2h(h[0], 0.1h)))") == 0x2e663c00u);
    CHECK(text_gives("bitcast<u32>(vec2h(h[0] % 0.3h, 7.5h % 2))") == 0x3e002e64u);
}

TEST_CASE("f16 without value, out of range or not enabled is refused") {
    const auto fault = [](const std::string& statement) {
        return test::first_fault("enable f16;\n@compute @workgroup_size(1) fn main() {\n" + statement +
                                 "\n}\n");
    };
    CHECK(fault("_ = 65504h; _ = 0x1p-24h; _ = 5.96e-8h;").empty());
    CHECK(has(fault("_ = 65520h;"), "65504, the largest f16"));
    CHECK(has(fault("_ = 0x1.002p0h;"), "f16"));
    CHECK(has(fault("const a: f16 = 70000;"), "The value 70000 doesn't fit in f16."));
    CHECK(has(fault("const a = f16(1e6);"), "doesn't fit in f16."));
    CHECK(has(fault("const a = f16(100000u);"), "doesn't fit in f16."));
    CHECK(has(fault("const a = 60000h + 60000h;"), "overflows f16"));
    CHECK(has(fault("const a = 1h / 0;"), "divides by zero"));
    CHECK(has(fault("const a = 1h + 1f;"), "f16"));
    CHECK(has(fault("const a = exp(20h);"), "isn't a finite number"));
    CHECK(has(fault("const a = ldexp(1h, 17);"), "ldexp's exponent, 17, is over 16."));
    CHECK(has(fault("const a = quantizeToF16(1h);"), "No overload of quantizeToF16"));
    CHECK(has(fault("const a = bitcast<u32>(1h);"), "f16 can't be seen as u32."));
    CHECK(has(fault("const a = bitcast<vec2h>(0x7c00u);"), "bitcast of 0x00007c00 to f16 gives inf."));
    CHECK(has(fault("var a: atomic<f16>;"), "atomic<f16> isn't a type."));
    CHECK(test::first_fault("alias h = f16;") ==
          "1:11: The type f16 needs the extension f16, which isn't enabled.");
    CHECK(
        test::first_fault("enable f16; const a: vec3h = vec3h(1, 2, 3) * 2h; override o: f16 = 1;").empty());
}

TEST_CASE("f16 has WGSL's layout, and stores touch no neighbour") {
    TypeTable types;
    const TypeId vec3h = type_of(Scalar::f16, 3);
    CHECK(types[f16_type].size == 2);
    CHECK(types[vec3h].size == 6);
    CHECK(types[vec3h].align == 8);
    CHECK(types[types.array(vec3h, 3)].stride == 8);
    CHECK(types[types.array(f16_type, 3)].size == 6);
    const std::array members{MemberDeclaration{"a", f16_type}, MemberDeclaration{"b", vec3h},
                             MemberDeclaration{"c", f16_type}, MemberDeclaration{"d", f32_type},
                             MemberDeclaration{"e", f16_type}};
    const Type s = types[types.structure("S", members)];
    CHECK(s.members[1].offset == 8);
    CHECK(s.members[2].offset == 14);
    CHECK(s.members[3].offset == 16);
    CHECK(s.members[4].offset == 20);
    CHECK(s.size == 24);
    CHECK(s.words == 7);
    // The store of a whole element leaves its padding; one of an f16 leaves the other half of its word.
    const Program program = test::parse(
        "enable f16;\nstruct S { a: f16, b: vec3h, c: f16, d: f32, e: f16 }\n"
        "@group(0) @binding(0) var<storage, read_write> s: array<S>;\n"
        "@group(0) @binding(1) var<storage, read_write> h: array<f16>;\n"
        "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {\n"
        "    var t = s[0];\n    t.d += 1.0;\n    t.b.y = t.c;\n    s[1] = t;\n    s[2].b[i] = 4h;\n"
        "    if i != 1 { h[i] = f16(i) + h[5]; }\n    h[9] = 9;\n}\n");
    test::printed(program);
    const Result<ValidProgram> valid = validate(program);
    REQUIRE(valid);
    constexpr std::uint32_t f = 0xffffffffu;
    Words structures{0xffff3c00u, f, 0x42004000u, 0x45004400u, 0x3f800000u, 0xffff4600u};
    structures.resize(18, f);
    const auto after =
        test::run(*valid, {structures, {f, f, 0x4900ffffu}}, test::groups(1), {.report_races = true});
    CHECK(Words(after[0].begin() + 6, after[0].begin() + 12) ==
          Words{0xffff3c00u, f, 0x45004000u, 0x45004400u, 0x40000000u, 0xffff4600u});
    CHECK(Words(after[0].begin() + 12, after[0].end()) == Words{f, f, 0x44004400u, 0xffff4400u, f, f});
    CHECK(after[1] == Words{0xffff4900u, 0x4a804a00u, 0x4900ffffu});
    std::vector<Words> memory{structures, {f, f, 0x4900ffffu}};
    const auto report = test::try_run(*valid, memory, test::groups(1), {.report_races = true});
    REQUIRE(report);
    for (const Finding& each : report->findings) CHECK(each.variable == "s");
}

TEST_CASE("kernels in C++ with f16 are those of the text") {
    using namespace muster::lang;
    const Program built =
        test::made(kernel("mixed(a, x, y)", {64}, [](Uniform<f16> a, In<vec2<f16>> x, InOut<f16> y) {
            const auto i = global_invocation_id().x();
            Value<vec2<f16>> each = x[i];
            Value<f16> scale = a;
            Value<vec2<f16>> v = each * scale + 0.5f;
            Value<u32> word = bits<u32>(v);
            Value<f16> first = v.x();
            Value<f16> count = to<f16>(word);
            Value<f16> sum = fma(first, f16(0.1f), count);
            Value<f16> more = dot(v, bits<f16>(word));
            Value<f16> size = length(v);
            y[i] = sum + more + size;
        }));
    const Program text = test::parse(
        "enable f16;\n@group(0) @binding(0) var<uniform> a: f16;\n"
        "@group(0) @binding(1) var<storage, read> x: array<vec2<f16>>;\n"
        "@group(0) @binding(2) var<storage, read_write> y: array<f16>;\n"
        "@compute @workgroup_size(64) fn mixed(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "    let i = id.x;\n    let each = x[i];\n    let scale = a;\n    let v = each * scale + 0.5h;\n"
        "    let word = bitcast<u32>(v);\n    let first = v.x;\n    let count = f16(word);\n"
        "    let sum = fma(first, 0.1h, count);\n    let more = dot(v, bitcast<vec2<f16>>(word));\n"
        "    let size = length(v);\n    y[i] = sum + more + size;\n}\n");
    CHECK(built.fingerprint() == text.fingerprint());
    CHECK(contains(built.needs().scalars, Scalar::f16));
    CHECK_FALSE(kernel("k(y)", {1}, [](InOut<f16> y) { y[0] = 1e5f; }));
    static_assert(byte_size<Array<vec3<f16>, 2>> == 16 && byte_size<f16> == 2);
}
