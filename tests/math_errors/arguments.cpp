#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include <math_errors/arguments.hpp>

namespace muster::math_errors {
namespace {

template <class T>
constexpr std::array<T, 24> special() {
    using Limits = std::numeric_limits<T>;
    constexpr T least = Limits::denorm_min(), greatest = Limits::max(), infinite = Limits::infinity();
    return {T(0),
            -T(0),
            1,
            -1,
            2,
            -2,
            T(0.5),
            T(-0.5),
            3,
            -3,
            T(2.5),
            least,
            -least,
            greatest,
            -greatest,
            Limits::min(),
            -greatest / 2,
            2 / Limits::epsilon() - 1,
            T(4e9),
            infinite,
            -infinite,
            Limits::quiet_NaN(),
            T(1e-4),
            1 - Limits::epsilon() / 2};
}

/// SplitMix64.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 0xd1342543de82ef95u) {}
    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    double between(double low, double high) {
        return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
    }
    template <class T>
    T any() {
        return std::bit_cast<T>(static_cast<Bits<T>>(bits()));
    }
    template <class T>
    T any_finite() {
        const auto infinity = std::bit_cast<Bits<T>>(std::numeric_limits<T>::infinity());
        return std::bit_cast<T>(static_cast<Bits<T>>(bits() % infinity));
    }
    template <class T>
    T one_of_special() {
        constexpr auto all = special<T>();
        return all[bits() % all.size()];
    }
    /// x, or a number up to 15 steps away.
    template <class T>
    T beside(T x) {
        const auto steps = static_cast<Bits<T>>(bits() % 31 - 15u);
        return std::bit_cast<T>(static_cast<Bits<T>>(std::bit_cast<Bits<T>>(x) + steps));
    }

  private:
    template <class T>
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    std::uint64_t state_;
};

template <class T>
struct Pair {
    T x, y;
};

/// y so that x^y is anywhere from below the least subnormal to above the greatest number; half of the results are near the
/// greatest and the least normal numbers, where y makes most of log2 x's error.
template <class T>
T exponent_in_range(Random& random, T x) {
    constexpr double most = std::numeric_limits<T>::max_exponent;
    constexpr double lowest = 2 - most - std::numeric_limits<T>::digits;
    const std::uint64_t kind = random.bits() % 4;
    const double log2_of_result = kind == 0   ? random.between(most - 2, most)
                                  : kind == 1 ? random.between(2 - most, 4 - most)
                                              : random.between(lowest - 2, most + 2);
    return static_cast<T>(log2_of_result / std::log2(static_cast<double>(x)));
}

template <class T>
Pair<T> pair_for_pow(Random& random, std::uint64_t kind) {
    const T positive = random.any_finite<T>();
    const auto any = [&] { return random.any<T>(); };
    const auto one_of_special = [&] { return random.one_of_special<T>(); };
    const auto between = [&](double low, double high) { return static_cast<T>(random.between(low, high)); };
    switch (kind % 8) {
        case 0: return {any(), any()};
        case 1: return {one_of_special(), kind % 16 == 1 ? one_of_special() : any()};
        case 2: {  // negative, to a whole number
            const T x = between(0, 8);
            return {-x, std::round(exponent_in_range(random, x))};
        }
        case 3: {
            const T x = between(0.5, 2);
            return {x, exponent_in_range(random, x)};
        }
        case 4: {
            const T x = random.beside(T(1));
            return {x, exponent_in_range(random, x)};
        }
        case 5: return {between(0, 16), between(-8, 8)};
        case 6: return {positive, std::round(exponent_in_range(random, positive) * 2) * T(0.5)};
        default: return {positive, exponent_in_range(random, positive)};
    }
}

template <class T>
Pair<T> pair_for_atan2(Random& random, std::uint64_t kind) {
    const T any = random.any<T>();
    const auto one_of_special = [&] { return random.one_of_special<T>(); };
    const auto between = [&](double low, double high) { return static_cast<T>(random.between(low, high)); };
    constexpr double far = 1.25 * std::numeric_limits<T>::max_exponent;
    switch (kind % 8) {
        case 0: return {any, random.any<T>()};
        case 1: return {one_of_special(), kind % 16 == 1 ? one_of_special() : any};
        case 2: return {any, random.beside(any)};
        case 3: return {any, any * between(-1, 1)};
        case 4: return {any * between(-1, 1), any};
        case 5: return {any, any * std::exp2(between(-far, far))};
        default: return {between(-2, 2), between(-2, 2)};
    }
}

template <class T>
Pair<T> pair_for(Op op, Random& random) {
    const std::uint64_t kind = random.bits() >> 32;
    return op == Op::pow ? pair_for_pow<T>(random, kind) : pair_for_atan2<T>(random, kind);
}

/// An argument near where a function of f64 is hard or leaves its domain.
double hard_argument(Op op, Random& random) {
    const double sign = random.bits() % 2 == 0 ? 1 : -1;
    const double small = std::exp2(random.between(-60, 0));
    const auto is_one_of = [op](auto... all) { return ((op == all) || ...); };
    if (is_one_of(Op::exp, Op::sinh, Op::cosh)) return random.between(-750, 715);
    if (op == Op::exp2) return random.between(-1080, 1030);
    if (is_one_of(Op::sin, Op::cos, Op::tan))
        return random.beside(std::round(std::exp2(random.between(0, 60))) * 0x1.921fb54442d18p0);
    if (op == Op::tanh) return random.between(-22, 22);
    if (is_one_of(Op::asin, Op::acos, Op::atanh)) return sign * (1 - small);
    return op == Op::acosh ? 1 + small : 1 + sign * small;
}

}  // namespace

void fill_with_floats(std::span<float> x, std::uint64_t first, std::uint64_t every) {
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + i * every));
}

void fill_with_pairs(Op op, std::span<float> x, std::span<float> y, std::uint64_t block) {
    Random random(block + 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Pair<float> pair = pair_for<float>(op, random);
        x[i] = pair.x;
        y[i] = pair.y;
    }
}

void fill_with_doubles(Op op, std::span<double> x, std::span<double> y, std::uint64_t block) {
    Random random(block + 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (info(op).operands == 2) {
            const Pair<double> pair = pair_for<double>(op, random);
            x[i] = pair.x;
            y[i] = pair.y;
            continue;
        }
        const double sign = random.bits() % 2 == 0 ? 1 : -1;
        switch (random.bits() % 4) {
            case 0: x[i] = random.any<double>(); break;
            case 1: x[i] = sign * std::exp2(random.between(-8, 8)); break;
            case 2: x[i] = random.between(-1.2, 1.2); break;
            default: x[i] = hard_argument(op, random); break;
        }
    }
}

}  // namespace muster::math_errors
