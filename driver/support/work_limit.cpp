#include <algorithm>
#include <ctime>

#include <muster/driver/support/work_limit.hpp>

#if !defined(_WIN32)
#include <pthread.h>
#include <unistd.h>
#endif

namespace muster {

#if defined(_POSIX_THREAD_CPUTIME) && defined(_POSIX_CPUTIME)
namespace {

std::optional<std::chrono::nanoseconds> time_of(clockid_t clock) {
    timespec now{};
    if (clock_gettime(clock, &now) != 0) return std::nullopt;
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

std::optional<std::chrono::nanoseconds> processor_time_of(std::thread& thread) {
    clockid_t clock{};
    if (pthread_getcpuclockid(thread.native_handle(), &clock) != 0) return std::nullopt;
    return time_of(clock);
}

std::optional<std::chrono::nanoseconds> processor_time_of_process(int id) {
    clockid_t clock{};
    if (clock_getcpuclockid(id, &clock) != 0) return std::nullopt;
    return time_of(clock);
}
#else
std::optional<std::chrono::nanoseconds> processor_time_of(std::thread&) { return std::nullopt; }
std::optional<std::chrono::nanoseconds> processor_time_of_process(int) { return std::nullopt; }
#endif

bool wait_for_work(std::unique_lock<std::mutex>& lock, std::condition_variable& changed, std::thread& thread,
                   std::chrono::nanoseconds budget, Idle idle, const std::function<bool()>& has_ended) {
    using std::chrono::nanoseconds;
    const WorkLimit limit = work_limit(budget);
    const nanoseconds shortest_wait = std::max<nanoseconds>(budget / 10, std::chrono::milliseconds(1));
    const nanoseconds before = processor_time_of(thread).value_or(nanoseconds(0));
    nanoseconds last = before;
    for (nanoseconds left = budget; left > nanoseconds(0);) {
        // The thread can't use up what is left of its budget in less time.
        const Moment start = std::chrono::steady_clock::now();
        if (changed.wait_until(lock, std::min(limit.deadline, deadline_after(std::max(left, shortest_wait))),
                               has_ended))
            return true;
        const Moment now = std::chrono::steady_clock::now();
        const nanoseconds used = processor_time_of(thread).value_or(last);
        if (now >= limit.deadline) return false;
        if (idle == Idle::hanging && used - last < (now - start) / 100) return false;
        last = used;
        left = budget - (used - before);
    }
    return false;
}

}  // namespace muster
