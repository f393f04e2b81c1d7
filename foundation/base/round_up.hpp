// round_up.hpp - the next multiple: what every rule of memory layout is made of.
#pragma once

#include <cstdint>

namespace muster {

/// The least multiple of `to` that isn't below `value`. Precondition: `to` isn't 0.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace muster
