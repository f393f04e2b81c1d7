// The build compiles this file with -ffast-math, with which glibc's header offers GCC its vector functions (libmvec, 4 ULP of
// double precision). Nothing here adds or compares, so nothing else changes.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include <math_errors/arguments.hpp>
#include <math_errors/doubles.hpp>
#include <mpfr.h>

namespace muster::math_errors {
namespace {

template <auto function>
void each(const double* x, const double*, double* exact, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) exact[i] = function(x[i]);
}
template <auto function>
void each_pair(const double* x, const double* y, double* exact, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) exact[i] = function(x[i], y[i]);
}

__extension__ using Wide = unsigned __int128;

/// x modulo 2 pi, in [-pi, pi]: libm's functions take ten times as long for large arguments.
class Turns {
  public:
    Turns() {
        mpfr_t turns, scaled;
        mpfr_inits2(600, turns, scaled, nullptr);
        mpfr_const_pi(turns, MPFR_RNDN);
        mpfr_ui_div(turns, 1, turns, MPFR_RNDN);
        for (unsigned exponent = 0; exponent < per_unit_.size(); ++exponent) {
            mpfr_mul_2si(scaled, turns, static_cast<long>(exponent) - 151, MPFR_RNDN);
            for (int half = 0; half < 2; ++half) {
                mpfr_frac(scaled, scaled, MPFR_RNDN);
                mpfr_mul_2ui(scaled, scaled, 64, MPFR_RNDN);
                per_unit_[exponent] = per_unit_[exponent] << 64 | mpfr_get_uj(scaled, MPFR_RNDZ);
            }
        }
        mpfr_clears(turns, scaled, nullptr);
    }

    double modulo(double x) const {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
        const std::uint32_t exponent = (bits >> 23) & 255u;
        if (exponent < 127 || exponent == 255) return x;
        const Wide turns = per_unit_[exponent] * ((bits & 0x7fffffu) | 0x800000u);
        const double angle = (static_cast<double>(static_cast<std::int64_t>(turns >> 64)) * 0x1p-63 +
                              static_cast<double>(static_cast<std::uint64_t>(turns)) * 0x1p-127) *
                             std::numbers::pi;
        return std::copysign(1.0, x) * angle;
    }

  private:
    /// 2^(exponent - 150)/(2 pi) modulo 1, times 2^128, by the exponent's bits.
    std::array<Wide, 255> per_unit_{};
};

template <auto function>
void each_angle(const double* x, const double*, double* exact, std::size_t count) {
    static const Turns turns;
    std::array<double, block_size> angles;
    for (std::size_t i = 0; i < count; ++i) angles[i] = turns.modulo(x[i]);
    for (std::size_t i = 0; i < count; ++i) exact[i] = function(angles[i]);
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
constexpr Range everywhere{-inf, inf, nan, nan};
using enum Symmetry;

constexpr std::array references{
    Reference{Op::exp, {-110, 100, 0, inf}, none, each<[](double x) { return std::exp(x); }>},
    Reference{Op::exp2, {-160, 130, 0, inf}, none, each<[](double x) { return std::exp2(x); }>},
    Reference{Op::log, {0, inf, nan, nan}, none, each<[](double x) { return std::log(x); }>},
    Reference{Op::log2, {0, inf, nan, nan}, none, each<[](double x) { return std::log2(x); }>},
    Reference{Op::sin, everywhere, odd, each_angle<[](double x) { return std::sin(x); }>},
    Reference{Op::cos, everywhere, even, each_angle<[](double x) { return std::cos(x); }>},
    Reference{Op::tan, everywhere, odd, each_angle<[](double x) { return std::tan(x); }>},
    Reference{Op::asin, {-1, 1, nan, nan}, odd, each<[](double x) { return std::asin(x); }>},
    Reference{Op::acos, {-1, 1, nan, nan}, none, each<[](double x) { return std::acos(x); }>},
    Reference{Op::atan, everywhere, odd, each<[](double x) { return std::atan(x); }>},
    Reference{Op::sinh, {-100, 100, -inf, inf}, odd, each<[](double x) { return std::sinh(x); }>},
    Reference{Op::cosh, {-100, 100, inf, inf}, even, each<[](double x) { return std::cosh(x); }>},
    Reference{Op::tanh, {-20, 20, -1, 1}, odd, each<[](double x) { return std::tanh(x); }>},
    Reference{Op::asinh, everywhere, odd, each<[](double x) { return std::asinh(x); }>},
    Reference{Op::acosh, {1, inf, nan, nan}, none, each<[](double x) { return std::acosh(x); }>},
    Reference{Op::atanh, {-1, 1, nan, nan}, odd, each<[](double x) { return std::atanh(x); }>},
    Reference{Op::inverse_sqrt, {0, inf, nan, nan}, none, each<[](double x) { return 1 / std::sqrt(x); }>},
    Reference{Op::pow, everywhere, none, each_pair<[](double x, double y) { return std::pow(x, y); }>},
    Reference{Op::atan2, everywhere, none, each_pair<[](double y, double x) { return std::atan2(y, x); }>},
};

}  // namespace

const Reference& reference(Op op) {
    const auto* const found = std::ranges::find(references, op, &Reference::op);
    assert(found != references.end() && "an operation of the math group");
    return *found;
}

}  // namespace muster::math_errors
