#include "clock.hpp"

#include <algorithm>
#include <ctime>

namespace muster::bench {
namespace {

clockid_t clock_id = CLOCK_MONOTONIC;

double now() {
    timespec time{};
    clock_gettime(clock_id, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

double seconds(const std::function<void()>& call) {
    const double start = now();
    call();
    return now() - start;
}

void count_cpu_time() { clock_id = CLOCK_PROCESS_CPUTIME_ID; }
bool counts_cpu_time() { return clock_id == CLOCK_PROCESS_CPUTIME_ID; }

double median(std::vector<double> of) {
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
}

}  // namespace muster::bench
