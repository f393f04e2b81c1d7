// deadline.hpp - the moment until which to wait, for a timeout of any size. Internal to driver/.
#pragma once

#include <algorithm>
#include <chrono>

namespace muster {

using Moment = std::chrono::steady_clock::time_point;

/// `timeout` from now; far ones don't overflow, negative ones are now.
inline Moment deadline_after(std::chrono::nanoseconds timeout) {
    const Moment now = std::chrono::steady_clock::now();
    timeout = std::max(timeout, std::chrono::nanoseconds(0));
    return timeout > Moment::max() - now ? Moment::max() : now + timeout;
}

/// From now; zero where the moment is past.
inline std::chrono::nanoseconds left_until(Moment deadline) {
    return std::max(std::chrono::nanoseconds(0),
                    std::chrono::nanoseconds(deadline - std::chrono::steady_clock::now()));
}

}  // namespace muster
