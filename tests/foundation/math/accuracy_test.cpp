// The math functions compared with double precision: 2^20 samples each; prints the greatest error in units in
// the last place. tests/math_errors compares every float, with MPFR.

#include <algorithm>
#include <bit>
#include <cmath>
#include <ios>
#include <numbers>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/math/evaluate.hpp>

using namespace muster;

namespace {

constexpr double limit_ulp = 1.0;
constexpr int samples = 1 << 20;

// The distance between neighbouring floats at x; below 2^-126 that of the subnormals.
double ulp_at(double x) {
    const int exponent = std::max(std::ilogb(x), -126);
    return std::ldexp(1.0, exponent - 23);
}

// The difference of `got` and `exact`, in units in the last place of `exact`. Different kinds (NaN, infinity)
// count as 1e9.
double error_ulp(float got, double exact) {
    if (std::isnan(exact)) return std::isnan(got) ? 0 : 1e9;
    if (std::isnan(got)) return 1e9;
    if (std::isinf(exact)) return static_cast<double>(got) == exact ? 0 : 1e9;
    constexpr double top =
        0x1.ffffffp127;  // the midpoint of the greatest float and the next, if there were one
    if (std::abs(exact) >= top * (1 - 1e-9)) {
        const bool right_side = std::signbit(got) == std::signbit(exact);
        if (std::isinf(got) && right_side) return 0;
        if (std::abs(exact) > top * (1 + limit_ulp * 0x1p-24)) return 1e9;
    }
    if (std::isinf(got)) return std::abs(exact) > 0x1.fffffep127 * (1 - limit_ulp * 0x1p-24) ? 1 : 1e9;
    if (exact == 0) return got == 0 ? 0 : 1e9;
    return std::abs(static_cast<double>(got) - exact) / ulp_at(exact);
}

class Samples {
  public:
    explicit Samples(std::uint64_t seed) : random_(seed) {}
    float uniform(double low, double high) {
        return static_cast<float>(std::uniform_real_distribution<double>(low, high)(random_));
    }
    /// Any finite float with magnitude in [low, high], with all exponents equally likely.
    float spread(float low, float high, bool with_sign) {
        const auto first = std::bit_cast<std::uint32_t>(low), last = std::bit_cast<std::uint32_t>(high);
        const std::uint32_t bits = first + static_cast<std::uint32_t>(random_() % (last - first + 1ull));
        return std::bit_cast<float>(bits |
                                    (with_sign ? static_cast<std::uint32_t>(random_()) & 0x80000000u : 0));
    }
    /// A float within a few units in the last place of `centre`.
    float beside(double centre) {
        float x = static_cast<float>(centre);
        const int steps = static_cast<int>(random_() % 9) - 4;
        for (int i = 0; i < std::abs(steps); ++i) x = std::nextafterf(x, steps < 0 ? -INFINITY : INFINITY);
        return x;
    }
    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  private:
    std::mt19937_64 random_;
};

constexpr float tiniest = 0x1p-149f, largest = 0x1.fffffep127f;

struct Subject {
    Op op;
    double (*exact)(double);
    float low, high;  // magnitudes sampled by exponent
    bool with_sign;
    double from, to;            // sampled uniformly
    std::vector<double> close;  // sampled in their neighbourhood
};

const std::vector<Subject>& subjects() {
    static const std::vector<Subject> all{
        {Op::exp,
         [](double x) { return std::exp(x); },
         tiniest,
         110,
         true,
         -104,
         89,
         {0, 88.7228, -87.3365, -103.97}},
        {Op::exp2,
         [](double x) { return std::exp2(x); },
         tiniest,
         160,
         true,
         -150,
         128,
         {0, 128, -126, -149, 0.5}},
        {Op::log,
         [](double x) { return std::log(x); },
         tiniest,
         largest,
         false,
         0,
         4,
         {1, 2. / 3, 4. / 3, 0.5, 2}},
        {Op::log2,
         [](double x) { return std::log2(x); },
         tiniest,
         largest,
         false,
         0,
         4,
         {1, 2. / 3, 4. / 3, 0.5, 2}},
        {Op::sin, [](double x) { return std::sin(x); }, tiniest, largest, true, -1e5, 1e5, {}},
        {Op::cos, [](double x) { return std::cos(x); }, tiniest, largest, true, -1e5, 1e5, {}},
        {Op::tan, [](double x) { return std::tan(x); }, tiniest, largest, true, -1e5, 1e5, {}},
        {Op::asin, [](double x) { return std::asin(x); }, tiniest, 1, true, -1, 1, {0.5, 1, -0.5, -1}},
        {Op::acos, [](double x) { return std::acos(x); }, tiniest, 1, true, -1, 1, {0.5, 1, -0.5, -1}},
        {Op::atan,
         [](double x) { return std::atan(x); },
         tiniest,
         largest,
         true,
         -4,
         4,
         {0.4142135, 2.4142135, 1}},
        {Op::sinh,
         [](double x) { return std::sinh(x); },
         tiniest,
         100,
         true,
         -90,
         90,
         {0x1p-13, 0.3466, 1.04, 89.4159}},
        {Op::cosh,
         [](double x) { return std::cosh(x); },
         tiniest,
         100,
         true,
         -90,
         90,
         {0.3466, 1.04, 89.4159, -89.4}},
        {Op::tanh,
         [](double x) { return std::tanh(x); },
         tiniest,
         largest,
         true,
         -10,
         10,
         {0.3466, 1.04, 9.01, 10}},
        {Op::asinh,
         [](double x) { return std::asinh(x); },
         tiniest,
         largest,
         true,
         -4,
         4,
         {1. / 3, 0.75, 8192}},
        {Op::acosh, [](double x) { return std::acosh(x); }, 1, largest, false, 1, 3, {1, 4. / 3, 8192, 2}},
        {Op::atanh, [](double x) { return std::atanh(x); }, tiniest, 1, true, -1, 1, {1, -1, 0.5, 1. / 7}},
        {Op::inverse_sqrt,
         [](double x) { return 1 / std::sqrt(x); },
         tiniest,
         largest,
         false,
         0,
         4,
         {1, 2, 4}},
    };
    return all;
}

bool is_periodic(Op op) { return op == Op::sin || op == Op::cos || op == Op::tan; }

float sample(const Subject& subject, Samples& from, int i) {
    if (i % 3 == 0) return from.spread(subject.low, subject.high, subject.with_sign);
    if (i % 3 == 1 && is_periodic(subject.op)) {
        const auto quarter = static_cast<double>(from.below(127'324)) - 63'662;
        return from.beside(quarter * (std::numbers::pi / 2));
    }
    if (i % 3 == 1 && !subject.close.empty() && i % 2 == 0)
        return from.beside(subject.close[from.below(subject.close.size())]);
    return from.uniform(subject.from, subject.to);
}

struct Worst {
    double ulp = 0;
    float x = 0, y = 0;
    void note(double error, float at_x, float at_y = 0) {
        if (error > ulp) *this = {error, at_x, at_y};
    }
};

void report(Op op, const Worst& worst) {
    MESSAGE(info(op).name << ": at most " << worst.ulp << " ULP, at " << std::hexfloat << worst.x << " "
                          << worst.y << std::defaultfloat);
    CHECK_MESSAGE(worst.ulp <= limit_ulp, info(op).name);
}

}  // namespace

TEST_CASE("the math functions of one operand are within 1 ULP of double precision") {
    for (const Subject& subject : subjects()) {
        Samples from(static_cast<std::uint64_t>(subject.op));
        Worst worst;
        for (int i = 0; i < samples; ++i) {
            const float x = sample(subject, from, i);
            worst.note(error_ulp(math::evaluate(subject.op, x), subject.exact(static_cast<double>(x))), x);
        }
        report(subject.op, worst);
    }
}

TEST_CASE("pow is within 1 ULP of double precision over its whole range") {
    Samples from(7);
    Worst worst;
    const auto compare = [&](float x, float y) {
        const double exact = std::pow(static_cast<double>(x), static_cast<double>(y));
        worst.note(error_ulp(math::evaluate(Op::pow, x, y), exact), x, y);
    };
    // A large y makes most of log2 x's error, which is greatest between the centres of log2_pair (pow.hpp).
    compare(0x1.c62426p-1f, -0x1.71ef3cp+9f);
    for (int i = 0; i < samples; ++i) {
        float x = from.spread(tiniest, largest, false), y = 0;
        if (i % 4 == 1) x = from.uniform(0, 2);
        if (i % 4 == 2) x = from.beside(1);
        if (i % 4 == 3) {  // negative bases have whole exponents
            x = -from.uniform(0, 4);
            y = std::round(from.uniform(-140, 140));
        } else {
            // Exponents that cover the whole range of results, and some beyond.
            y = static_cast<float>(from.uniform(-152, 130) / std::log2(static_cast<double>(x)));
            if (i % 64 == 0) y = from.spread(tiniest, largest, true);
        }
        if (std::isfinite(y)) compare(x, y);
    }
    report(Op::pow, worst);
}

TEST_CASE("atan2 is within 1 ULP of double precision in all quadrants") {
    Samples from(8);
    Worst worst;
    for (int i = 0; i < samples; ++i) {
        float y = from.spread(tiniest, largest, true);
        float x = from.spread(tiniest, largest, true);
        if (i % 4 == 1) y = from.uniform(-4, 4), x = from.uniform(-4, 4);
        if (i % 4 == 2) y = x * from.uniform(0.2, 4);
        if (i % 4 == 3) y = x * from.beside(from.below(2) ? 0.41421356 : 2.41421356);
        if (!std::isfinite(y)) continue;
        worst.note(error_ulp(math::evaluate(Op::atan2, y, x),
                             std::atan2(static_cast<double>(y), static_cast<double>(x))),
                   y, x);
    }
    report(Op::atan2, worst);
}
