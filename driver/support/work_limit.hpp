// work_limit.hpp - how long work may take: a limit on processor time, which a busy machine doesn't use up,
// and a far later deadline by the clock, for work that hangs. Internal to driver/.
#pragma once

#include <chrono>
#include <optional>
#include <thread>

#include <muster/driver/support/deadline.hpp>
#include <muster/foundation/base/api.hpp>

namespace muster {
MUSTER_API_BEGIN

/// How many times as long as its processor time work may take by the clock.
inline constexpr int clock_factor = 20;

struct WorkLimit {
    std::chrono::nanoseconds processor_time = std::chrono::nanoseconds::max();
    Moment deadline = Moment::max();
};

inline WorkLimit work_limit(std::chrono::nanoseconds budget) {
    constexpr auto most = std::chrono::nanoseconds::max();
    return {budget, deadline_after(budget > most / clock_factor ? most : budget * clock_factor)};
}

/// The processor time that a thread of this process has used; none if it has ended, or
/// the system doesn't tell.
std::optional<std::chrono::nanoseconds> processor_time_of(std::thread& thread);
/// That of all threads of another process.
std::optional<std::chrono::nanoseconds> processor_time_of_process(int id);

MUSTER_API_END
}  // namespace muster
