// f16.hpp - a 16-bit float (IEEE 754 binary16) on the host: two bytes to store and pass,
// computed with as a float.
//
//     std::vector<muster::f16> x(1024, muster::f16(0.5f));   // rounds to nearest even, and to infinity from 65520 on
//     float y = x[0] + 1.0f;                                  // exact
//
// A value is never changed by converting it to float. Every NaN becomes 0x7e00. Threads: values.
#pragma once

#include <bit>
#include <cstdint>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

class f16 {
  public:
    constexpr f16() = default;
    constexpr explicit f16(float value) : bits_(rounded(value)) {}
    constexpr operator float() const { return widened(bits_); }  // NOLINT: implicit by purpose

    static constexpr f16 from_bits(std::uint16_t bits) {
        f16 value;
        value.bits_ = bits;
        return value;
    }
    constexpr std::uint16_t bits() const { return bits_; }

  private:
    static constexpr std::uint16_t rounded(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
        if (magnitude > 0x7f800000u) return 0x7e00;
        if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // from 65520 on
        if (magnitude < 0x38800000u) {  // subnormal: the sum rounds to a multiple of 2^-24
            const float steps = std::bit_cast<float>(magnitude) + 0.5f;
            return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(steps) - 0x3f000000u));
        }
        const std::uint32_t odd = magnitude >> 13 & 1u;
        return static_cast<std::uint16_t>(sign | ((magnitude + 0xfffu + odd - 0x38000000u) >> 13));
    }
    static constexpr float widened(std::uint16_t bits) {
        const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
        std::uint32_t wide = (magnitude << 13) + 0x38000000u;
        if (magnitude >= 0x7c00u) wide = magnitude << 13 | 0x7f800000u;
        if (magnitude < 0x400u) wide = std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
        return std::bit_cast<float>(sign | wide);
    }

    std::uint16_t bits_ = 0;
};
static_assert(sizeof(f16) == 2);

MUSTER_API_END
}  // namespace muster
