#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

#include <math_errors/exact.hpp>
#include <math_errors/ulp.hpp>
#include <mpfr.h>

namespace muster::math_errors {
namespace {

constexpr mpfr_prec_t precision_bits = 160;

/// What MPFR keeps for each thread: given back when the thread ends.
struct Caches {
    ~Caches() { mpfr_free_cache(); }
};

class Exact {
  public:
    Exact() {
        static thread_local const Caches caches;
        mpfr_init2(value, precision_bits);
    }
    explicit Exact(double x) : Exact() { mpfr_set_d(value, x, MPFR_RNDN); }
    Exact(const Exact&) = delete;
    Exact& operator=(const Exact&) = delete;
    ~Exact() { mpfr_clear(value); }
    mpfr_t value;  // NOLINT: an array of one, as MPFR wants it
};

using Exactly = void (*)(Exact& result, const Exact& x, const Exact& y);

struct Row {
    Op op;
    Exactly exactly;
};

template <auto function>
void unary(Exact& result, const Exact& x, const Exact&) {
    function(result.value, x.value, MPFR_RNDN);
}
template <auto function>
void binary(Exact& result, const Exact& x, const Exact& y) {
    function(result.value, x.value, y.value, MPFR_RNDN);
}

constexpr std::array rows{
    Row{Op::exp, unary<mpfr_exp>},
    Row{Op::exp2, unary<mpfr_exp2>},
    Row{Op::log, unary<mpfr_log>},
    Row{Op::log2, unary<mpfr_log2>},
    Row{Op::sin, unary<mpfr_sin>},
    Row{Op::cos, unary<mpfr_cos>},
    Row{Op::tan, unary<mpfr_tan>},
    Row{Op::asin, unary<mpfr_asin>},
    Row{Op::acos, unary<mpfr_acos>},
    Row{Op::atan, unary<mpfr_atan>},
    Row{Op::sinh, unary<mpfr_sinh>},
    Row{Op::cosh, unary<mpfr_cosh>},
    Row{Op::tanh, unary<mpfr_tanh>},
    Row{Op::asinh, unary<mpfr_asinh>},
    Row{Op::acosh, unary<mpfr_acosh>},
    Row{Op::atanh, unary<mpfr_atanh>},
    Row{Op::inverse_sqrt, unary<mpfr_rec_sqrt>},
    Row{Op::pow, binary<mpfr_pow>},
    Row{Op::atan2, binary<mpfr_atan2>},
};

Exactly exactly_of(Op op) {
    const auto* const found = std::ranges::find(rows, op, &Row::op);
    assert(found != rows.end() && "an operation of the math group");
    return found->exactly;
}

}  // namespace

double exact_error(Op op, float x, float y, float got) {
    const Exact a(static_cast<double>(x)), b(static_cast<double>(y));
    Exact exact;
    exactly_of(op)(exact, a, b);
    const bool overflows = mpfr_cmpabs(exact.value, Exact(0x1p127).value) >= 0 &&
                           std::fabs(mpfr_get_d(exact.value, MPFR_RNDZ)) >= overflow_from;
    if (std::isinf(got) && overflows && std::signbit(got) == (mpfr_signbit(exact.value) != 0)) return 0;
    const double units = units_per_1(mpfr_get_d(exact.value, MPFR_RNDZ));
    Exact result(static_cast<double>(got));
    if (std::isinf(got)) mpfr_set_si_2exp(result.value, got < 0 ? -1 : 1, 128, MPFR_RNDN);
    mpfr_sub(result.value, result.value, exact.value, MPFR_RNDN);
    return std::fabs(mpfr_get_d(result.value, MPFR_RNDN)) * units;
}

double exact_error(Op op, double x, double y, double got) {
    if (op == Op::inverse_sqrt && x == 0) return got == 1 / x ? 0 : HUGE_VAL;  // as below
    const Exact a(x), b(y);
    Exact exact;
    exactly_of(op)(exact, a, b);
    const double nearest = mpfr_get_d(exact.value, MPFR_RNDN);
    if (std::isnan(nearest) || std::isnan(got)) return std::isnan(nearest) && std::isnan(got) ? 0 : HUGE_VAL;
    if (nearest == got) return mpfr_cmp_d(exact.value, got) == 0 || std::isinf(got) ? 0 : 0.5;
    if (mpfr_zero_p(exact.value) || mpfr_inf_p(exact.value)) return HUGE_VAL;
    // MPFR's exponent is one greater than that of a significand in [1, 2).
    const long exponent = std::clamp<long>(mpfr_get_exp(exact.value) - 1, -1022, 1023);
    Exact result(got);
    if (std::isinf(got)) mpfr_set_si_2exp(result.value, got < 0 ? -1 : 1, 1024, MPFR_RNDN);
    mpfr_sub(result.value, result.value, exact.value, MPFR_RNDN);
    mpfr_mul_2si(result.value, result.value, 52 - exponent, MPFR_RNDN);
    return std::fabs(mpfr_get_d(result.value, MPFR_RNDN));
}

float exact_to_odd(Op op, float x) {
    if (op == Op::inverse_sqrt && x == 0) return 1 / x;  // IEEE 754's rSqrt; MPFR's gives +infinity for -0
    Exact exact;
    const Exact argument(static_cast<double>(x));
    exactly_of(op)(exact, argument, argument);
    const float towards_zero = mpfr_get_flt(exact.value, MPFR_RNDZ);
    const bool changed =
        std::isfinite(towards_zero) && mpfr_cmp_d(exact.value, static_cast<double>(towards_zero)) != 0;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(towards_zero) | (changed ? 1u : 0u));
}

}  // namespace muster::math_errors
