#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <thread>
#include <vector>

#include <math_errors/doubles.hpp>
#include <math_errors/exact.hpp>
#include <math_errors/halves.hpp>

#include <muster/foundation/math/evaluate.hpp>

namespace muster::math_errors {
namespace {

constexpr std::uint32_t patterns = 0x10000;
constexpr double overflow_from = 65520;

f16 half(std::uint64_t bits) { return f16::from_bits(static_cast<std::uint16_t>(bits)); }

/// The error in units of f16; an infinite result counts as 2^16, and is right if the exact value rounds to it.
double error_of_half(f16 got, double exact) {
    const double result = float{got};
    if (std::isnan(result) || std::isnan(exact))
        return std::isnan(result) && std::isnan(exact) ? 0 : HUGE_VAL;
    const bool overflowed = std::isinf(result) && std::signbit(result) == std::signbit(exact);
    if (result == exact || (overflowed && std::fabs(exact) >= overflow_from)) return 0;
    const int exponent = exact == 0 ? -14 : std::clamp(std::ilogb(exact), -14, 15);
    const double counted = std::isinf(result) ? std::copysign(0x1p16, result) : result;
    return std::fabs(counted - exact) * std::exp2(10 - exponent);
}

/// Rounds each result of one operand exactly: by way of the f32 that is rounded to odd.
HalfSweep sweep_one_operand(Op op) {
    HalfSweep sweep;
    for (; sweep.arguments < patterns; ++sweep.arguments) {
        const f16 x = half(sweep.arguments), got = math::evaluate(op, x);
        const f16 nearest(exact_to_odd(op, x));
        if (got.bits() == nearest.bits()) continue;
        ++sweep.wrong;
        sweep.x = x;
        sweep.got = got;
        sweep.ulp = std::max(sweep.ulp, error_of_half(got, static_cast<double>(nearest)));
    }
    return sweep;
}

HalfSweep sweep_two_operands(Op op, std::uint64_t every, unsigned threads) {
    const Doubles doubles = reference(op).doubles;
    HalfSweep worst;
    std::mutex mutex;
    const auto work = [&](std::uint64_t first) {
        HalfSweep own;
        for (std::uint64_t pair = first * every; pair < std::uint64_t{patterns} * patterns;
             pair += threads * every) {
            const f16 x = half(pair / patterns), y = half(pair % patterns), got = math::evaluate(op, x, y);
            const double wide_x = float{x}, wide_y = float{y};
            double exact = 0;
            doubles(&wide_x, &wide_y, &exact, 1);
            ++own.arguments;
            if (const double ulp = error_of_half(got, exact); ulp > own.ulp)
                own = {own.arguments, 0, ulp, x, y, got};
        }
        const std::lock_guard lock(mutex);
        const std::uint64_t arguments = worst.arguments + own.arguments;
        if (own.ulp > worst.ulp) worst = own;
        worst.arguments = arguments;
    };
    std::vector<std::jthread> running;
    for (unsigned i = 0; i < threads; ++i) running.emplace_back(work, i);
    running.clear();
    return worst;
}

}  // namespace

HalfSweep sweep_halves(Op op, std::uint64_t every, unsigned threads) {
    return info(op).operands == 1 ? sweep_one_operand(op) : sweep_two_operands(op, every, threads);
}

}  // namespace muster::math_errors
