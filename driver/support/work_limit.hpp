// work_limit.hpp - how long work may take: a limit on processor time, which a busy machine doesn't use up,
// and a far later deadline by the clock, for work that hangs. Internal to driver/.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
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

/// What a thread that uses no processor time is taken for.
enum class Idle {
    waiting,  // for other threads or the disk: the clock's deadline alone counts
    hanging,  // it is given up when it has used next to none for as long as the budget
};

/// Waits until `has_ended`, which the thread makes true under the lock's mutex before it notifies `changed`.
/// False: the thread has used up the budget, or the clock's deadline has come, or it hangs.
bool wait_for_work(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, std::thread& thread,
                   std::chrono::nanoseconds budget, Idle idle, const std::function<bool()>& has_ended);

MUSTER_API_END
}  // namespace muster
