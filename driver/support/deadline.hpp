// deadline.hpp - turns timeouts of any size into points in time, without overflow. For muster's own
// sources; installed because public headers include it.
#pragma once

#include <algorithm>
#include <chrono>

#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

using Moment = std::chrono::steady_clock::time_point;

/// The time `timeout` from now; clamped to the clock's range, and to now if negative.
inline Moment deadline_after(std::chrono::nanoseconds timeout) {
    const Moment now = std::chrono::steady_clock::now();
    timeout = std::max(timeout, std::chrono::nanoseconds(0));
    return timeout > Moment::max() - now ? Moment::max() : now + timeout;
}

/// The time left until the deadline; zero if it has passed.
inline std::chrono::nanoseconds left_until(Moment deadline) {
    return std::max(std::chrono::nanoseconds(0),
                    std::chrono::nanoseconds(deadline - std::chrono::steady_clock::now()));
}

MUSTER_API_END
}  // namespace muster
