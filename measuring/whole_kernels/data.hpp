// data.hpp - for the kernels' data and oracles: random values that depend on nothing but their
// seed, and bounds of errors.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <muster/measuring/whole_kernels/whole_kernel.hpp>

namespace muster::kernels {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Halves = std::vector<f16>;

/// The relative error of one rounding to f32.
inline constexpr double rounding = 0x1p-24;

class Random {
  public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}
    std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }
    std::uint32_t below(std::uint32_t limit) { return word() % limit; }
    float between(float low, float high) {
        return low + (high - low) * static_cast<float>(word() >> 8) * 0x1p-24f;
    }
    Words words(std::size_t count) {
        Words all(count);
        for (std::uint32_t& word : all) word = this->word();
        return all;
    }
    Floats floats(std::size_t count, float low, float high) {
        Floats all(count);
        for (float& x : all) x = between(low, high);
        return all;
    }
    Halves halves(std::size_t count, float low, float high) {
        Halves all(count);
        for (f16& x : all) x = f16(between(low, high));
        return all;
    }

  private:
    std::mt19937 engine_;
};

inline Words words_of(const Floats& floats) {
    Words words;
    words.reserve(floats.size());
    for (const float x : floats) words.push_back(std::bit_cast<std::uint32_t>(x));
    return words;
}

/// An even number of f16, two in each word.
inline Words words_of(const Halves& halves) {
    Words words;
    words.reserve(halves.size() / 2);
    for (std::size_t i = 0; i + 1 < halves.size(); i += 2)
        words.push_back(halves[i].bits() | std::uint32_t{halves[i + 1].bits()} << 16);
    return words;
}

inline wgsl::OverrideValue override_of(std::string name, std::uint32_t value) {
    return {std::move(name), std::to_string(value)};
}

}  // namespace muster::kernels
