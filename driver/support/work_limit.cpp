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

}  // namespace muster
