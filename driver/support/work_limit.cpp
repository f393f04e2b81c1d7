#include <algorithm>

#include <muster/driver/platform/clock.hpp>
#include <muster/driver/support/work_limit.hpp>

namespace muster {

bool wait_for_work(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, std::thread& thread,
                   std::chrono::nanoseconds budget, Idle idle, const std::function<bool()>& has_ended) {
    using std::chrono::nanoseconds;
    const WorkLimit limit = work_limit(budget);
    const nanoseconds shortest_wait = std::max<nanoseconds>(budget / 10, std::chrono::milliseconds(1));
    const nanoseconds before = platform::processor_time_of(thread).value_or(nanoseconds(0));
    nanoseconds last = before;
    for (nanoseconds left = budget; left > nanoseconds(0);) {
        // The thread can't use up what is left of its budget in less time.
        const Moment start = std::chrono::steady_clock::now();
        if (changed.wait_until(lock, std::min(limit.deadline, deadline_after(std::max(left, shortest_wait))),
                               has_ended))
            return true;
        const Moment now = std::chrono::steady_clock::now();
        const nanoseconds used = platform::processor_time_of(thread).value_or(last);
        if (now >= limit.deadline) return false;
        if (idle == Idle::hanging && used - last < (now - start) / 100) return false;
        last = used;
        left = budget - (used - before);
    }
    return false;
}

}  // namespace muster
