#include <ctime>

#include <pthread.h>

#include <muster/driver/platform/clock.hpp>

namespace muster::platform {
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

std::chrono::nanoseconds processor_time() {
    return time_of(CLOCK_PROCESS_CPUTIME_ID).value_or(std::chrono::nanoseconds(0));
}

}  // namespace muster::platform
