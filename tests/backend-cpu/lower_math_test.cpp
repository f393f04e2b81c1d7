// The math functions of fast mode on lanes of every machine at hand. Compared with double's functions, they are
// within the bounds of WGSL's section "Concrete Floating Point Accuracy", or of our own promise if that is
// tighter.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "lane_functions.hpp"

using namespace muster;
using namespace muster::test;

namespace {

struct Bound {
    double ulps, absolute;  // the larger one applies
};

struct Function {
    Op op;
    double (*reference)(double, double);
    float low, high;  // the range of the operands
    Bound (*allowed)(double x, double result);
    bool second = false;  // takes a second operand, of the same range
};

Bound ulps(double count) { return {count, 0}; }
Bound within(double absolute) { return {0, absolute}; }
Bound of_exp(double x, double) { return ulps(3 + 2 * std::fabs(x)); }
Bound of_log(double x, double) { return x >= 0.5 && x <= 2 ? within(0x1p-21) : ulps(3); }
Bound of_sin(double, double) { return within(0x1p-22); }  // WGSL: 2^-11 in [-pi, pi]
Bound ours(double, double) { return {8, 0}; }
// exp2(y * log2(x)), with both functions at their largest error.
Bound of_pow(double, double result) { return ulps(3 + 6 * std::fabs(std::log2(result))); }

#define ON_DOUBLE(f) [](double x, double) { return std::f(x); }
const Function functions[]{
    {Op::exp, ON_DOUBLE(exp), -87.3f, 88.7f, of_exp},
    {Op::exp2, ON_DOUBLE(exp2), -125.9f, 127.9f, of_exp},
    {Op::log, ON_DOUBLE(log), 1e-3f, 10.0f, of_log},
    {Op::log, ON_DOUBLE(log), 1e-37f, 1e38f, of_log},
    {Op::log2, ON_DOUBLE(log2), 1e-3f, 10.0f, of_log},
    {Op::log2, ON_DOUBLE(log2), 1e-37f, 1e38f, of_log},
    {Op::sin, ON_DOUBLE(sin), -3.2f, 3.2f, of_sin},
    {Op::sin, ON_DOUBLE(sin), -1e5f, 1e5f, of_sin},
    {Op::cos, ON_DOUBLE(cos), -3.2f, 3.2f, of_sin},
    {Op::cos, ON_DOUBLE(cos), -1e5f, 1e5f, of_sin},
    {Op::tan, ON_DOUBLE(tan), -1.5f, 1.5f, ours},
    {Op::asin, ON_DOUBLE(asin), -1.0f, 1.0f, ours},
    {Op::acos, ON_DOUBLE(acos), -1.0f, 0.99f, ours},
    {Op::atan, ON_DOUBLE(atan), -20.0f, 20.0f, ours},
    {Op::sinh, ON_DOUBLE(sinh), -20.0f, 20.0f, ours},
    {Op::cosh, ON_DOUBLE(cosh), -20.0f, 20.0f, ours},
    {Op::tanh, ON_DOUBLE(tanh), -12.0f, 12.0f, ours},
    {Op::asinh, ON_DOUBLE(asinh), -50.0f, 50.0f, ours},
    {Op::acosh, ON_DOUBLE(acosh), 1.0f, 50.0f, ours},
    {Op::atanh, ON_DOUBLE(atanh), -0.99f, 0.99f, ours},
    {Op::inverse_sqrt, [](double x, double) { return 1 / std::sqrt(x); }, 1e-3f, 10.0f,
     [](double, double) { return ulps(2); }},
    {Op::atan2, [](double y, double x) { return std::atan2(y, x); }, -10.0f, 10.0f, ours, true},
    {Op::pow, [](double x, double y) { return std::pow(x, y); }, 0.01f, 15.0f, of_pow, true},
};

constexpr std::size_t samples = 1 << 16;

double ulp(double x) {
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(1.0, std::max(exponent - 24, -149));
}

// Values spread evenly over the range, and a second operand that runs over it many times.
std::array<std::vector<std::uint32_t>, 2> inputs(const Function& f) {
    std::array<std::vector<std::uint32_t>, 2> columns;
    const auto at = [&](std::size_t k) {
        const float part = static_cast<float>(k) / static_cast<float>(samples - 1);
        return std::bit_cast<std::uint32_t>(f.low * (1 - part) + f.high * part);
    };
    for (std::size_t i = 0; i < samples; ++i) {
        columns[0].push_back(at(i));
        columns[1].push_back(at(i * 977 % samples));
    }
    return columns;
}

void check_accuracy(const LaneFunctions& lanes, std::size_t number, const std::string& machine) {
    const Function& f = functions[number];
    const auto columns = inputs(f);
    std::vector<std::uint32_t> out(samples);
    for (std::size_t i = 0; i < samples; i += lanes.width())
        lanes.call(number, {&columns[0][i], &columns[1][i], nullptr}, &out[i]);
    for (std::size_t i = 0; i < samples; ++i) {
        const double x = std::bit_cast<float>(columns[0][i]), y = std::bit_cast<float>(columns[1][i]);
        const double expected = f.reference(x, y), got = std::bit_cast<float>(out[i]);
        const Bound bound = f.allowed(x, expected);
        if (std::fabs(expected) > 0x1p126 || (f.second && std::fabs(expected) < 0x1p-120)) continue;
        if (std::fabs(got - expected) <= std::max(bound.ulps * ulp(expected), bound.absolute)) continue;
        FAIL_CHECK(fmt::format("{}({}, {}) on {} x {} gives {}, not {}: {:.1f} ULP", info(f.op).name, x, y,
                               machine, lanes.width(), got, expected,
                               std::fabs(got - expected) / ulp(expected)));
        return;
    }
}

float of_one(const LaneFunctions& lanes, std::size_t function, float x) {
    const std::vector<std::uint32_t> words(lanes.width(), std::bit_cast<std::uint32_t>(x));
    std::vector<std::uint32_t> out(lanes.width());
    lanes.call(function, {words.data(), words.data(), nullptr}, out.data());
    return std::bit_cast<float>(out.back());
}

}  // namespace

TEST_CASE("fast functions are as accurate as WGSL asks, on lanes and on scalars") {
    for (const Machine& machine : machines())
        for (const std::uint32_t width : {1u, machine.traits.vector_bytes / 4}) {
            LaneFunctions lanes(machine, width, Precision::fast);
            for (const Function& f : functions)
                lanes.add(
                    {.op = f.op, .from = Scalar::f32, .to = Scalar::f32, .operands = f.second ? 2u : 1u});
            lanes.compile();
            for (std::size_t i = 0; i < std::size(functions); ++i) check_accuracy(lanes, i, machine.cpu);
        }
}

TEST_CASE("fast functions keep the limits that kernels count on") {
    for (const Machine& machine : machines()) {
        LaneFunctions lanes(machine, machine.traits.vector_bytes / 4, Precision::fast);
        for (const Op op : {Op::exp, Op::exp2, Op::log, Op::log2, Op::sin, Op::cos})
            lanes.add({.op = op, .from = Scalar::f32, .to = Scalar::f32, .operands = 1});
        lanes.compile();
        CAPTURE(machine.cpu);
        for (const std::size_t exponential : {0u, 1u}) {
            CHECK(of_one(lanes, exponential, -HUGE_VALF) == 0.0f);
            CHECK(of_one(lanes, exponential, -1e30f) == 0.0f);
            CHECK(of_one(lanes, exponential, 0.0f) == 1.0f);
            CHECK(of_one(lanes, exponential, HUGE_VALF) == HUGE_VALF);
            CHECK(of_one(lanes, exponential, 129.0f) == HUGE_VALF);
        }
        for (const std::size_t logarithm : {2u, 3u}) {
            CHECK(of_one(lanes, logarithm, 0.0f) == -HUGE_VALF);
            CHECK(of_one(lanes, logarithm, 1.0f) == 0.0f);
            CHECK(of_one(lanes, logarithm, HUGE_VALF) == HUGE_VALF);
            CHECK(std::isnan(of_one(lanes, logarithm, -1.0f)));
        }
        for (const std::size_t wave : {4u, 5u})
            for (const float x : {1e9f, -1e20f, 3e38f}) CHECK(std::fabs(of_one(lanes, wave, x)) <= 1.0f);
        CHECK(of_one(lanes, 5, 0.0f) == 1.0f);
        for (std::size_t i = 0; i < 6; ++i) CHECK(std::isnan(of_one(lanes, i, NAN)));
    }
}
