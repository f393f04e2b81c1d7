// Division, square root and fma from exact operations are the hardware's, bit for bit.

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <support/float_bits.hpp>
#include <support/programs.hpp>
#include <support/run_kernel.hpp>

#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/math/division.hpp>
#include <muster/foundation/math/fused.hpp>
#include <muster/foundation/semantics/semantics.hpp>

using namespace muster;
using muster::test::bits;
using muster::test::Kernel;
using muster::test::same;
using muster::test::Words;

namespace {

constexpr int random_cases = 1 << 23;

using Random = std::mt19937_64;

float of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t any(Random& random) { return static_cast<std::uint32_t>(random() >> 32); }

/// Compares results and prints the first few differences.
struct Comparison {
    int wrong = 0;
    void operator()(float got, float expected, float a, float b = 0, float c = 0) {
        if (same(got, expected) || ++wrong > 3) return;
        CAPTURE(bits(a));
        CAPTURE(bits(b));
        CAPTURE(bits(c));
        CHECK(bits(got) == bits(expected));
    }
    void divide(float a, float b) { (*this)(math::divide(a, b), a / b, a, b); }
    void root(float a) { (*this)(math::square_root(a), std::sqrt(a), a); }
    void fused(float a, float b, float c) {
        (*this)(math::fused_multiply_add(a, b, c), std::fma(a, b, c), a, b, c);
    }
    ~Comparison() { CHECK(wrong == 0); }
};

/// The magnitudes at which a case of the algorithms begins or ends, and their neighbours.
std::vector<float> edges() {
    std::vector<float> all;
    for (const std::uint32_t around :
         {0x00000000u, 0x00000010u, 0x00400000u, 0x00800000u, 0x01000000u, 0x0c000000u, 0x20000000u,
          0x33800000u, 0x3f000000u, 0x3f800000u, 0x40000000u, 0x4b000000u, 0x4b800000u, 0x5f800000u,
          0x7e800000u, 0x7f000000u, 0x7f800000u, 0x3fffffffu, 0x007fffffu, 0x7fc00000u})
        for (const std::uint32_t offset : {0xfffffffeu, 0xffffffffu, 0u, 1u, 2u})
            for (const std::uint32_t sign : {0u, 0x80000000u})
                all.push_back(of(((around + offset) & 0x7fffffffu) | sign));
    return all;
}

/// A number whose exponent is within `width` of `biased`, with few significant bits or many.
float near_exponent(Random& random, int biased, int width) {
    const int exponent = std::clamp(biased + std::uniform_int_distribution(-width, width)(random), 0, 254);
    const std::uint32_t few = 0xffffffffu << (random() % 24);
    return of((any(random) & (few | 0x80000000u) & 0x807fffffu) |
              (static_cast<std::uint32_t>(exponent) << 23));
}
int exponent_of(float x) { return static_cast<int>((bits(x) >> 23) & 255u); }

}  // namespace

TEST_CASE("division is the hardware's: any bits") {
    Random random(1);
    Comparison compare;
    for (int i = 0; i < random_cases; ++i) compare.divide(of(any(random)), of(any(random)));
}

TEST_CASE("division is the hardware's: edges, exact quotients, subnormal results, near overflow") {
    Comparison compare;
    for (const float a : edges())
        for (const float b : edges()) compare.divide(a, b);
    Random random(2);
    for (int i = 0; i < random_cases / 4; ++i) {
        const float a = near_exponent(random, 127, 20), b = near_exponent(random, 127, 20);
        compare.divide(a, b);
        compare.divide(a * b, b);  // an exact quotient, or nearly
        compare.divide(a * 0x1p-126f, b);
        compare.divide(near_exponent(random, 2, 3),
                       near_exponent(random, 127 + 12, 14));  // ties of subnormals
        compare.divide(near_exponent(random, 252, 2), near_exponent(random, 127, 3));
    }
}

TEST_CASE("square root is the hardware's: any bits, every significand, edges") {
    Random random(3);
    Comparison compare;
    for (int i = 0; i < random_cases; ++i) compare.root(of(any(random)));
    for (std::uint32_t i = 0; i < 1u << 24; i += 3) compare.root(of(0x3f800000u + i));
    for (const float a : edges()) compare.root(a);
    for (std::uint32_t i = 0; i < 1u << 20; ++i) compare.root(of(i * 8 + i % 8));  // subnormals
    for (int i = 1; i < 4096; ++i) {
        const auto root = static_cast<float>(i);
        compare.root(root * root);
        compare.root(std::nextafter(root * root, 0.0f));
        compare.root(std::nextafter(root * root, 1e30f));
    }
}

TEST_CASE("fma is the hardware's: any bits") {
    Random random(4);
    Comparison compare;
    for (int i = 0; i < random_cases; ++i) compare.fused(of(any(random)), of(any(random)), of(any(random)));
}

TEST_CASE("fma is the hardware's: cancellation, ties, subnormal results, near overflow") {
    Random random(5);
    Comparison compare;
    for (int i = 0; i < random_cases / 4; ++i) {
        const float a = near_exponent(random, 127, 60), b = near_exponent(random, 127, 60);
        const std::uint32_t product = bits(a * b);
        compare.fused(a, b, of(product ^ 0x80000000u));
        compare.fused(a, b, of((product ^ 0x80000000u) + any(random) % 65 - 32));
        compare.fused(a, b, near_exponent(random, exponent_of(a * b), 3));
        compare.fused(a, b, near_exponent(random, exponent_of(a * b), 60));
        const float small = near_exponent(random, 60, 62), other = near_exponent(random, 127 - 60, 30);
        compare.fused(small, other, near_exponent(random, 3, 4));
        compare.fused(near_exponent(random, 200, 50), near_exponent(random, 180, 8),
                      near_exponent(random, 250, 8));
    }
}

TEST_CASE("fma is the hardware's: edges") {
    Comparison compare;
    const std::vector<float> all = edges();
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const float b : all)
            for (std::size_t k = i % 3; k < all.size(); k += 3) compare.fused(all[i], b, all[k]);
}

namespace {

constexpr std::uint32_t count = 4096, width = 4;

/// A program: out[i] = op(a[i], b[i], c[i]), on scalars or vec4s.
ValidProgram applying(Op op, bool vectors) {
    Kernel kernel({64, 1, 1});
    IrBuilder& ir = kernel.ir;
    const TypeId array = ir.types().runtime_array(vectors ? type_of(Scalar::f32, width) : f32_type);
    std::array<VariableId, 4> bound;
    for (std::uint32_t k = 0; k < 4; ++k)
        bound[k] = kernel.storage(std::array{"a", "b", "c", "result"}[k], array);
    const NodeId i = kernel.global_x();
    const NodeId a = kernel.get(bound[0], i), b = kernel.get(bound[1], i), c = kernel.get(bound[2], i);
    const auto operands = info(op).operands;
    const NodeId value = operands == 3   ? ir.fma(a, b, c)
                         : operands == 1 ? ir.unary(op, a)
                                         : ir.binary(op, a, b);
    // Uses all bindings, so that none is dropped.
    kernel.set_at(bound[3], i, ir.select(ir.binary(Op::add, b, c), value, ir.constant(true)));
    return kernel.finish();
}

OpSet none_of_them() {
    OpSet set = OpSet::all_exact();
    for (const Op op : {Op::div, Op::sqrt, Op::fma}) set.core.reset(static_cast<std::size_t>(op));
    return set;
}

ValidProgram expanded(const ValidProgram& program) {
    auto result = expand(program, none_of_them());
    REQUIRE_MESSAGE(result, (result ? "" : result.error().to_string()));
    return *result;
}

std::array<Words, 3> inputs() {
    Random random(6);
    const std::vector<float> special = edges();
    std::array<Words, 3> all;
    for (std::uint32_t i = 0; i < count; ++i) {
        const float a = near_exponent(random, 127, 20), b = near_exponent(random, 127, 20);
        const float c = i % 2 ? near_exponent(random, exponent_of(a * b), 30) : -(a * b);
        const auto pick = [&](float usual) {
            if (i % 4 == 0) return any(random);
            return i % 4 == 1 ? bits(special[random() % special.size()]) : bits(usual);
        };
        const std::array words{pick(a), pick(b), pick(c)};
        for (std::size_t k = 0; k < 3; ++k) all[k].push_back(words[k]);
    }
    return all;
}

Words results(const ValidProgram& program, bool vectors, bool flush) {
    auto [a, b, c] = inputs();
    return test::run(program, {a, b, c, Words(count)}, test::groups(count / 64 / (vectors ? width : 1)),
                     {.threads = 1, .flush_subnormals = flush})[3];
}

/// Replaces every NaN by the same one.
Words canonical(Words words) {
    for (std::uint32_t& word : words) word = semantics::to_bits(of(word));
    return words;
}

float expected(Op op, float a, float b, float c) {
    if (op == Op::div) return a / b;
    return op == Op::sqrt ? std::sqrt(a) : std::fma(a, b, c);
}
bool is_normal(float x) { return (bits(x) & 0x7f800000u) != 0 || (bits(x) & 0x7fffffffu) == 0; }

}  // namespace

TEST_CASE("expanded division, square root and fma give the same bits, flushed subnormals or not") {
    const auto [a, b, c] = inputs();
    for (const Op op : {Op::div, Op::sqrt, Op::fma})
        for (const bool vectors : {false, true})
            for (const bool flush : {false, true}) {
                const ValidProgram program = expanded(applying(op, vectors));
                CHECK(none_of_them().contains(program->required_ops()));
                const Words got = results(program, vectors, flush);
                Comparison compare;
                int compared = 0;
                for (std::uint32_t i = 0; i < count; ++i) {
                    const float x = of(a[i]), y = of(b[i]), z = of(c[i]);
                    const float right = expected(op, x, y, z);
                    if (flush && !(is_normal(x) && is_normal(y) && is_normal(z) && is_normal(right)))
                        continue;
                    compare(of(got[i]), right, x, y, z);
                    ++compared;
                }
                CHECK(compared > static_cast<int>(count / 2));
            }
}

TEST_CASE("what division, square root and fma cost, and mathematics made of them") {
    const auto placed = [](const ValidProgram& program) { return program->block(program->body()).size(); };
    for (std::size_t i = 0; i < op_count; ++i) {
        const Op op = static_cast<Op>(i);
        const bool emulated = op == Op::div || op == Op::sqrt || op == Op::fma;
        if (!emulated && info(op).group != OpGroup::math) continue;
        const ValidProgram before = applying(op, false), after = expanded(before);
        const std::size_t operations = placed(after) - placed(before) + 1;
        MESSAGE(info(op).name << ": " << operations << " operations");
        CHECK(operations <= (emulated ? 150u : 250u));
    }
}

TEST_CASE("what mathematics and remainders divide by is emulated too") {
    OpSet native = none_of_them();
    native.core.reset(static_cast<std::size_t>(Op::rem));
    for (const Op op : {Op::tan, Op::acosh, Op::inverse_sqrt}) {
        const ValidProgram program = test::map_unary(op);
        auto result = expand(program, native);
        REQUIRE(result);
        CHECK(native.contains((*result)->required_ops()));
        Words data{bits(1.5f), bits(0.75f), bits(100.0f), bits(-2.0f)};
        CHECK(canonical(test::run(*result, {data})[0]) == canonical(test::run(program, {data})[0]));
    }
    const ValidProgram remainder = applying(Op::rem, false);
    auto result = expand(remainder, native);
    REQUIRE(result);
    CHECK(native.contains((*result)->required_ops()));
    CHECK(canonical(results(*result, false, false)) == canonical(results(remainder, false, false)));
}

TEST_CASE("no backend has to list min and max, neither integers' nor floats'") {
    OpSet native = none_of_them();
    for (const Op op : {Op::min, Op::max, Op::rem}) native.core.reset(static_cast<std::size_t>(op));
    const auto replaced = [&](const ValidProgram& program) {
        const OpSet needed = needed_after_expansion(program, native);
        CHECK(native.contains(needed));
        auto result = expand(program, native);
        REQUIRE(result);
        CHECK(needed.contains((*result)->required_ops()));
        return *result;
    };
    const Words words{0, 1, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x80000005u, bits(1.5f), bits(NAN)};
    for (const Scalar scalar : {Scalar::i32, Scalar::u32, Scalar::f32})
        for (const Op op : {Op::min, Op::max}) {
            Kernel kernel({8, 1, 1});
            const VariableId data = kernel.words("data");
            const auto value = [&](std::uint32_t row) {
                const NodeId index = kernel.add(kernel.local_index(), kernel.u(8 * row));
                return kernel.ir.bitcast(scalar, kernel.get(data, index));
            };
            NodeId result = value(0);
            for (std::uint32_t row = 1; row < 8; ++row) result = kernel.ir.binary(op, result, value(row));
            kernel.set_at(data, kernel.add(kernel.local_index(), kernel.u(64)),
                          kernel.ir.bitcast(Scalar::u32, result));
            const ValidProgram program = kernel.finish();
            Words memory;
            for (std::uint32_t row = 0; row < 8; ++row)
                for (std::uint32_t lane = 0; lane < 8; ++lane)
                    memory.push_back(words[(row < 4 ? lane : row * 3 + lane) % 8]);
            memory.resize(72);
            const ValidProgram without = replaced(program);
            CHECK(native.contains(without->required_ops()));
            CHECK(test::run(without, {memory}) == test::run(program, {memory}));
        }
    for (const Op op : {Op::div, Op::rem, Op::fma, Op::tan}) {
        const ValidProgram program = applying(op, true);
        CHECK(canonical(results(replaced(program), true, false)) == canonical(results(program, true, false)));
    }
}

TEST_CASE("products of packed bytes are written out where a device has none") {
    const Words pairs{0x80808080u, 0x80808080u, 0xffffffffu, 0xffffffffu,
                      0x7f80ff01u, 0x80017f02u, 0x01020304u, 0xfffefdfcu};
    for (const Op op : {Op::dot4_u8_packed, Op::dot4_i8_packed}) {
        Kernel kernel({4, 1, 1});
        const VariableId data = kernel.words("data");
        const NodeId at = kernel.ir.binary(Op::mul, kernel.local_index(), kernel.u(2));
        const NodeId product =
            kernel.ir.binary(op, kernel.get(data, at), kernel.get(data, kernel.add(at, kernel.u(1))));
        kernel.set_at(data, kernel.add(kernel.local_index(), kernel.u(8)),
                      kernel.ir.bitcast(Scalar::u32, product));
        const ValidProgram program = kernel.finish();
        OpSet native = OpSet::all_exact();
        CHECK_FALSE(native.contains(program->required_ops()));
        CHECK(native.contains(needed_after_expansion(*program, native)));
        auto written_out = expand(program, native);
        REQUIRE(written_out);
        CHECK(native.contains((*written_out)->required_ops()));
        Words memory = pairs;
        memory.resize(12);
        const auto results = test::run(program, {memory});
        CHECK(results == test::run(*written_out, {memory}));
        const bool is_signed = op == Op::dot4_i8_packed;
        CHECK(results[0][8] == 4u * 128 * 128);
        CHECK(results[0][9] == (is_signed ? 4u : 4u * 255 * 255));
        native.insert(OpGroup::packed);
        CHECK((*expand(program, native))->required_ops() == program->required_ops());
    }
}

TEST_CASE("dividing by constant powers of two is multiplying by another") {
    const auto halving = [](float by, bool multiply) {
        Kernel kernel;
        const VariableId data = kernel.storage("data", f32_type);
        kernel.set(data, multiply ? kernel.ir.binary(Op::mul, kernel.get(data), kernel.ir.constant(1 / by))
                                  : kernel.ir.binary(Op::div, kernel.get(data), kernel.ir.constant(by)));
        return kernel.finish();
    };
    for (const float by : {2.0f, -0.25f, 0x1p126f, 0x1p-126f})
        CHECK(expanded(halving(by, false))->fingerprint() == halving(by, true)->fingerprint());
    for (const float by : {3.0f, 0.0f, 0x1p127f, 0x1p-127f, INFINITY, NAN})
        CHECK(expanded(halving(by, false))->node_count() > 20);
}

TEST_CASE("integers' division stays, and is still asked for") {
    Kernel kernel;
    const VariableId data = kernel.storage("data", i32_type);
    kernel.set(data, kernel.ir.binary(Op::div, kernel.get(data), kernel.ir.constant(7)));
    const ValidProgram integers = kernel.finish();
    CHECK(expanded(integers)->fingerprint() == integers->fingerprint());
    CHECK(needed_after_expansion(integers, none_of_them()).contains(Op::div));
    CHECK_FALSE(needed_after_expansion(integers, none_of_them()).contains(Op::count_leading_zeros));
    for (const Op op : {Op::div, Op::sqrt, Op::fma}) {
        const ValidProgram floats = applying(op, true);
        const OpSet needed = needed_after_expansion(floats, none_of_them());
        CHECK_FALSE(needed.contains(op));
        CHECK(needed.contains(Op::count_leading_zeros));
        CHECK(needed.contains(expanded(floats)->required_ops()));
        CHECK(none_of_them().contains(needed));
    }
}
