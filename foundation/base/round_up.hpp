// round_up.hpp - the next multiple, as memory layout rules need it.
#pragma once

#include <cstdint>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// Returns the least multiple of `to` that is at least `value`. Precondition: `to` isn't 0.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

MUSTER_API_END
}  // namespace muster
