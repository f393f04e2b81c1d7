// The math functions' special values; and keeping or flushing subnormals makes no difference where it mustn't.

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <support/float_bits.hpp>

#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/math/functions.hpp>
#include <muster/foundation/semantics/semantics.hpp>

using namespace muster;
using muster::test::same;

namespace flushing {

// A float of a device that flushes subnormals: f32 operands and results of arithmetic and comparisons are
// flushed, moves aren't.
struct FlushedFloat {
    float value;
    FlushedFloat(float x) : value(x) {}  // NOLINT: literals convert
    float in() const { return semantics::flush(value); }
};
using F = FlushedFloat;
F operator+(F a, F b) { return semantics::flush(a.in() + b.in()); }
F operator-(F a, F b) { return semantics::flush(a.in() - b.in()); }
F operator*(F a, F b) { return semantics::flush(a.in() * b.in()); }
F operator/(F a, F b) { return semantics::flush(a.in() / b.in()); }
F operator-(F a) { return semantics::neg(a.value); }
bool operator<(F a, F b) { return a.in() < b.in(); }
bool operator>(F a, F b) { return a.in() > b.in(); }
bool operator==(F a, F b) { return a.in() == b.in(); }
F abs(F a) { return semantics::abs(a.value); }
F sqrt(F a) { return semantics::flush(semantics::sqrt(a.in())); }
F trunc(F a) { return semantics::flush(semantics::trunc(a.in())); }
F select(F if_false, F if_true, bool condition) { return condition ? if_true : if_false; }

struct Bits {
    std::uint32_t value;
    Bits(std::uint32_t x) : value(x) {}  // NOLINT: literals convert
};
Bits operator+(Bits a, Bits b) { return a.value + b.value; }
Bits operator-(Bits a, Bits b) { return a.value - b.value; }
Bits operator&(Bits a, Bits b) { return a.value & b.value; }
Bits operator|(Bits a, Bits b) { return a.value | b.value; }
Bits operator^(Bits a, Bits b) { return a.value ^ b.value; }
Bits operator*(Bits a, Bits b) { return a.value * b.value; }
Bits operator<<(Bits a, std::uint32_t count) { return a.value << count; }
Bits operator>>(Bits a, std::uint32_t count) { return a.value >> count; }
bool operator!=(Bits a, std::uint32_t b) { return a.value != b; }
bool operator>=(Bits a, std::uint32_t b) { return a.value >= b; }
Bits select(Bits if_false, Bits if_true, bool condition) { return condition ? if_true : if_false; }
Bits shift_left(Bits a, Bits count) { return semantics::shift_left(a.value, count.value); }
Bits shift_right(Bits a, Bits count) { return semantics::shift_right(a.value, count.value); }
F number_of_integer(Bits a) { return semantics::flush(math::number_of_integer(a.value)); }
Bits integer_of_number(F a) { return math::integer_of_number(a.in()); }
Bits bits_of(F a) { return semantics::to_bits(a.value); }
F float_of(Bits a) { return semantics::from_bits(a.value); }

}  // namespace flushing

namespace {

constexpr float inf = INFINITY, not_number = NAN;

struct Row {
    Op op;
    float a, b, result;
};

// clang-format off
const Row rows[] = {
    {Op::exp, 0, 0, 1}, {Op::exp, -0.0f, 0, 1}, {Op::exp, inf, 0, inf}, {Op::exp, -inf, 0, 0}, {Op::exp, 88.73f, 0, inf},
    {Op::exp, -104, 0, 0}, {Op::exp, 0x1.fffffep127f, 0, inf}, {Op::exp, -0x1.fffffep127f, 0, 0},
    {Op::exp2, 10, 0, 1024}, {Op::exp2, -126, 0, 0x1p-126f}, {Op::exp2, -149, 0, 0x1p-149f}, {Op::exp2, 127, 0, 0x1p127f},
    {Op::exp2, 128, 0, inf}, {Op::exp2, -151, 0, 0}, {Op::exp2, inf, 0, inf}, {Op::exp2, -inf, 0, 0},
    {Op::log, 1, 0, 0}, {Op::log, 0, 0, -inf}, {Op::log, -0.0f, 0, -inf}, {Op::log, -1, 0, not_number}, {Op::log, inf, 0, inf},
    {Op::log, -inf, 0, not_number}, {Op::log2, 0x1p-149f, 0, -149}, {Op::log2, 0x1p-126f, 0, -126}, {Op::log2, 8, 0, 3},
    {Op::log2, 0, 0, -inf}, {Op::log2, -0x1p-149f, 0, not_number}, {Op::log2, inf, 0, inf},
    {Op::sin, 0, 0, 0}, {Op::sin, -0.0f, 0, -0.0f}, {Op::sin, inf, 0, not_number}, {Op::cos, -inf, 0, not_number}, {Op::cos, 0, 0, 1},
    {Op::tan, -0.0f, 0, -0.0f}, {Op::tan, inf, 0, not_number},
    {Op::asin, 0, 0, 0}, {Op::asin, -0.0f, 0, -0.0f}, {Op::asin, 1, 0, math::half_pi<float>}, {Op::asin, -1, 0, -math::half_pi<float>},
    {Op::asin, 1.0000001f, 0, not_number}, {Op::asin, -inf, 0, not_number}, {Op::acos, 1, 0, 0}, {Op::acos, -1, 0, math::pi<float>},
    {Op::acos, 0, 0, math::half_pi<float>}, {Op::acos, -1.0000001f, 0, not_number}, {Op::acos, inf, 0, not_number},
    {Op::atan, -0.0f, 0, -0.0f}, {Op::atan, inf, 0, math::half_pi<float>}, {Op::atan, -inf, 0, -math::half_pi<float>},
    {Op::atan2, 0, 1, 0}, {Op::atan2, -0.0f, 1, -0.0f}, {Op::atan2, 0, -1, math::pi<float>}, {Op::atan2, -0.0f, -1, -math::pi<float>},
    {Op::atan2, 0, 0, 0}, {Op::atan2, -0.0f, 0, -0.0f}, {Op::atan2, 0, -0.0f, math::pi<float>}, {Op::atan2, -0.0f, -0.0f, -math::pi<float>},
    {Op::atan2, 1, 0, math::half_pi<float>}, {Op::atan2, -1, -0.0f, -math::half_pi<float>}, {Op::atan2, inf, inf, math::half_pi<float> / 2},
    {Op::atan2, inf, -inf, 0x1.2d97c8p1f}, {Op::atan2, -inf, inf, -math::half_pi<float> / 2}, {Op::atan2, -inf, -inf, -0x1.2d97c8p1f},
    {Op::atan2, 1, inf, 0}, {Op::atan2, -1, -inf, -math::pi<float>}, {Op::atan2, inf, 1, math::half_pi<float>},
    {Op::atan2, 1, not_number, not_number}, {Op::atan2, 0x1p-149f, -0x1p127f, math::pi<float>}, {Op::atan2, 0x1p127f, 0x1p127f, math::half_pi<float> / 2},
    {Op::sinh, -0.0f, 0, -0.0f}, {Op::sinh, inf, 0, inf}, {Op::sinh, -inf, 0, -inf}, {Op::sinh, 90, 0, inf},
    {Op::cosh, 0, 0, 1}, {Op::cosh, -inf, 0, inf}, {Op::cosh, 90, 0, inf},
    {Op::tanh, -0.0f, 0, -0.0f}, {Op::tanh, inf, 0, 1}, {Op::tanh, -inf, 0, -1}, {Op::tanh, 50, 0, 1},
    {Op::asinh, -0.0f, 0, -0.0f}, {Op::asinh, inf, 0, inf}, {Op::asinh, -inf, 0, -inf},
    {Op::acosh, 1, 0, 0}, {Op::acosh, inf, 0, inf}, {Op::acosh, 0.99f, 0, not_number}, {Op::acosh, -5, 0, not_number}, {Op::acosh, -inf, 0, not_number},
    {Op::atanh, -0.0f, 0, -0.0f}, {Op::atanh, 1, 0, inf}, {Op::atanh, -1, 0, -inf}, {Op::atanh, 1.1f, 0, not_number},
    {Op::atanh, -inf, 0, not_number}, {Op::inverse_sqrt, 4, 0, 0.5f}, {Op::inverse_sqrt, 0, 0, inf},
    {Op::inverse_sqrt, -0.0f, 0, -inf}, {Op::inverse_sqrt, inf, 0, 0}, {Op::inverse_sqrt, -1, 0, not_number},
    {Op::inverse_sqrt, -inf, 0, not_number}, {Op::inverse_sqrt, -0x1.fffffep127f, 0, not_number},
};
// clang-format on

constexpr Op first = Op::exp, last = Op::inverse_sqrt;
std::vector<Op> math_group() {
    std::vector<Op> all;
    for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i)
        all.push_back(static_cast<Op>(i));
    return all;
}

}  // namespace

TEST_CASE("special values") {
    for (const Row& row : rows) {
        const float got = math::evaluate(row.op, row.a, row.b);
        CAPTURE(row.a);
        CAPTURE(row.b);
        CAPTURE(got);
        CHECK_MESSAGE(same(got, row.result), info(row.op).name);
    }
}

TEST_CASE("special values of f64") {
    const auto bits = [](double x) { return semantics::to_bits(x); };
    for (const Row& row : rows) {
        const auto is_near_a_limit = [](float x) { return std::isfinite(x) && std::abs(x) > 50; };
        if (is_near_a_limit(row.a) || is_near_a_limit(row.b) || is_near_a_limit(row.result)) continue;
        const double got = math::evaluate(row.op, double{row.a}, double{row.b});
        CAPTURE(row.a);
        CAPTURE(row.b);
        CAPTURE(got);
        const bool is_special = !std::isfinite(row.result) || row.result == 0 || std::abs(row.result) == 1;
        CHECK_MESSAGE(
            (is_special ? bits(got) == bits(double{row.result}) : same(static_cast<float>(got), row.result)),
            info(row.op).name);
    }
    constexpr double most = 0x1.fffffffffffffp1023, least = 0x1p-1074;
    CHECK(math::evaluate(Op::exp, 709.78) < HUGE_VAL);
    CHECK(math::evaluate(Op::exp, 709.79) == HUGE_VAL);
    CHECK(math::evaluate(Op::exp, -most) == 0);
    CHECK(math::evaluate(Op::exp2, -1074.0) == least);
    CHECK(math::evaluate(Op::exp2, 1023.0) == 0x1p1023);
    CHECK(math::evaluate(Op::exp2, 1024.0) == HUGE_VAL);
    CHECK(math::evaluate(Op::log2, least) == -1074);
    CHECK(math::evaluate(Op::sinh, -711.0) == -HUGE_VAL);
    CHECK(math::evaluate(Op::cosh, 711.0) == HUGE_VAL);
    CHECK(math::evaluate(Op::asinh, most) < 711);
    CHECK(math::evaluate(Op::acosh, most) < 711);
    CHECK(math::evaluate(Op::atan2, least, -most) == 0x1.921fb54442d18p1);
    CHECK(math::evaluate(Op::atan2, least, least) == 0x1.921fb54442d18p-1);
    CHECK(math::evaluate(Op::inverse_sqrt, least) == 0x1p537);
    CHECK(std::abs(math::evaluate(Op::sin, most)) <= 1);
    CHECK(std::isnan(math::evaluate(Op::inverse_sqrt, -most)));
    CHECK(std::isnan(math::evaluate(Op::add, 1.0, 1.0)));  // not a math function
}

TEST_CASE("NaN in, NaN out") {
    for (const Op op : math_group()) {
        CHECK_MESSAGE(std::isnan(math::evaluate(op, double{not_number}, 2.0)), info(op).name);
        if (info(op).operands == 2)
            CHECK_MESSAGE(std::isnan(math::evaluate(op, 2.0, double{not_number})), info(op).name);
        CHECK_MESSAGE(std::isnan(math::evaluate(op, not_number, 2.0f)), info(op).name);
        if (info(op).operands == 2)
            CHECK_MESSAGE(std::isnan(math::evaluate(op, 2.0f, not_number)), info(op).name);
    }
    CHECK(std::isnan(math::evaluate(Op::add, 1.0f, 1.0f)));  // not a math function
}

TEST_CASE("pow's special values are C's") {
    const float values[] = {0.0f,     -0.0f, 1,     -1,   2,           -2,         3,
                            -3,       0.5f,  -0.5f, inf,  -inf,        not_number, 0x1p-149f,
                            0x1p127f, 1e9f,  -1e9f, 2.5f, 16777215.0f, 4e9f};
    for (const float x : values) {
        for (const float y : values) {
            const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
            const float rounded = static_cast<float>(exact);
            CAPTURE(x);
            CAPTURE(y);
            const float got = math::evaluate(Op::pow, x, y);
            CAPTURE(got);
            const bool special =
                std::isnan(rounded) || std::isinf(rounded) || rounded == 0 || std::abs(rounded) == 1;
            CHECK((special ? same(got, rounded) : std::abs(got / rounded - 1) < 1e-6f));
            const double twice = math::evaluate(Op::pow, double{x}, double{y});
            const bool as_c = exact == 0 || !std::isfinite(exact)
                                  ? semantics::to_bits(twice) == semantics::to_bits(exact)
                                  : std::abs(twice - exact) <= std::abs(exact) * 0x1p-51;
            CHECK(as_c);
        }
    }
}

TEST_CASE("sin and cos stay in [-1, 1]") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 100'000; ++i) {
        const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (!std::isfinite(x)) continue;
        REQUIRE(std::abs(math::evaluate(Op::sin, x)) <= 1.0f);
        REQUIRE(std::abs(math::evaluate(Op::cos, x)) <= 1.0f);
        const auto twice = std::bit_cast<double>(random() & ~(std::uint64_t{1} << 62));
        REQUIRE(std::abs(math::evaluate(Op::sin, twice)) <= 1.0);
        REQUIRE(std::abs(math::evaluate(Op::cos, twice)) <= 1.0);
    }
}

TEST_CASE("where inputs and outputs are normal, flushing subnormals changes nothing") {
    using flushing::FlushedFloat;
    std::mt19937_64 random(4);
    const auto any = [&](bool everyday) {
        if (everyday) return std::uniform_real_distribution<float>(-10, 10)(random);
        return std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    };
    const auto counts = [](float x) { return x == 0 || semantics::flush(x) == x; };
    for (const Op op : math_group()) {
        const auto function = math::functions<FlushedFloat>[static_cast<std::size_t>(op)];
        int compared = 0, wrong = 0;
        for (int i = 0; i < 200'000; ++i) {
            const float a = any(i % 3 == 0), b = i % 5 == 0 ? a * any(true) : any(i % 3 != 1);
            const float kept = math::evaluate(op, a, b);
            if (!counts(a) || !counts(b) || !(std::abs(kept) >= 0x1p-126f)) continue;
            ++compared;
            const float flushed = function(a, b).value;
            if (same(kept, flushed) || ++wrong > 3) continue;
            CAPTURE(a);
            CAPTURE(b);
            CAPTURE(flushed);
            CHECK_MESSAGE(kept == flushed, info(op).name);
        }
        CHECK_MESSAGE(wrong == 0, info(op).name);
        CHECK_MESSAGE(compared > 1000, info(op).name);
    }
}
