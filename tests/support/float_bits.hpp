// float_bits.hpp - compares floats by their bits.
#pragma once

#include <bit>
#include <cstdint>

#include <muster/foundation/semantics/semantics.hpp>

namespace muster::test {

inline std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
/// True for the same bits, so that -0 differs from +0; all NaNs are the same.
inline bool same(float a, float b) { return semantics::to_bits(a) == semantics::to_bits(b); }

}  // namespace muster::test
