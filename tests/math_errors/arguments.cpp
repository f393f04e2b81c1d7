#include <array>
#include <bit>
#include <cmath>

#include <math_errors/arguments.hpp>

namespace muster::math_errors {
namespace {

constexpr float tiniest = 0x1p-149f, largest = 0x1.fffffep127f;
constexpr std::array special{0.0f,     -0.0f,    1.0f,      -1.0f,     2.0f,      -2.0f,
                             0.5f,     -0.5f,    3.0f,      -3.0f,     2.5f,      tiniest,
                             -tiniest, largest,  -largest,  0x1p-126f, -0x1p127f, 16777215.0f,
                             4e9f,     INFINITY, -INFINITY, NAN,       1e-4f,     0x1.fffffep-1f};

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
    float any() { return std::bit_cast<float>(static_cast<std::uint32_t>(bits())); }
    float any_finite() { return std::bit_cast<float>(static_cast<std::uint32_t>(bits() % 0x7f800000u)); }
    float one_of_special() { return special[bits() % special.size()]; }
    /// x, or a float up to 15 steps away.
    float beside(float x) {
        const auto steps = static_cast<std::uint32_t>(bits() % 31) - 15u;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) + steps);
    }

  private:
    std::uint64_t state_;
};

struct Pair {
    float x, y;
};

/// y so that x^y is anywhere from below the least subnormal to above the greatest float; half of the results are near the
/// greatest and the least normal floats, where y makes most of log2 x's error.
float exponent_in_range(Random& random, float x) {
    const std::uint64_t kind = random.bits() % 4;
    const double log2_of_result = kind == 0   ? random.between(126, 128)
                                  : kind == 1 ? random.between(-126, -124)
                                              : random.between(-152, 130);
    return static_cast<float>(log2_of_result / std::log2(static_cast<double>(x)));
}

Pair pair_for_pow(Random& random, std::uint64_t kind) {
    const float positive = random.any_finite();
    switch (kind % 8) {
        case 0: return {random.any(), random.any()};
        case 1: return {random.one_of_special(), kind % 16 == 1 ? random.one_of_special() : random.any()};
        case 2: {  // negative, to a whole number
            const auto x = static_cast<float>(random.between(0, 8));
            return {-x, std::round(exponent_in_range(random, x))};
        }
        case 3: {
            const auto x = static_cast<float>(random.between(0.5, 2));
            return {x, exponent_in_range(random, x)};
        }
        case 4: {
            const float x = random.beside(1.0f);
            return {x, exponent_in_range(random, x)};
        }
        case 5: return {static_cast<float>(random.between(0, 16)), static_cast<float>(random.between(-8, 8))};
        case 6: return {positive, std::round(exponent_in_range(random, positive) * 2) * 0.5f};
        default: return {positive, exponent_in_range(random, positive)};
    }
}

Pair pair_for_atan2(Random& random, std::uint64_t kind) {
    const float any = random.any();
    switch (kind % 8) {
        case 0: return {any, random.any()};
        case 1: return {random.one_of_special(), kind % 16 == 1 ? random.one_of_special() : any};
        case 2: return {any, random.beside(any)};
        case 3: return {any, any * static_cast<float>(random.between(-1, 1))};
        case 4: return {any * static_cast<float>(random.between(-1, 1)), any};
        case 5: return {any, any * std::exp2(static_cast<float>(random.between(-160, 160)))};
        default:
            return {static_cast<float>(random.between(-2, 2)), static_cast<float>(random.between(-2, 2))};
    }
}

}  // namespace

void fill_with_floats(std::span<float> x, std::uint64_t first, std::uint64_t every) {
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(first + i * every));
}

void fill_with_pairs(Op op, std::span<float> x, std::span<float> y, std::uint64_t block) {
    Random random(block + 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::uint64_t kind = random.bits() >> 32;
        const Pair pair = op == Op::pow ? pair_for_pow(random, kind) : pair_for_atan2(random, kind);
        x[i] = pair.x;
        y[i] = pair.y;
    }
}

}  // namespace muster::math_errors
