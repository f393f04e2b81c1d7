#include <algorithm>
#include <vector>

#include <muster/foundation/base/try.hpp>
#include <muster/measuring/time_runs.hpp>

namespace muster::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Run = std::function<Result<void>(std::uint32_t)>;

constexpr std::chrono::nanoseconds least_sample = std::chrono::milliseconds(1);
constexpr std::size_t least_samples = 3;

Result<std::chrono::nanoseconds> timed(const Run& run, std::uint32_t count) {
    const Clock::time_point start = Clock::now();
    TRY(run(count));
    return Clock::now() - start;
}

/// Warms up, and returns how many runs make a sample.
Result<std::uint32_t> batch_of(const Run& run, std::chrono::nanoseconds time) {
    const Clock::time_point end = Clock::now() + time;
    std::uint32_t batch = 1;
    for (;;) {
        const std::chrono::nanoseconds took = TRY(timed(run, batch));
        const bool is_long = took >= least_sample || batch >= Times::most_runs;
        if (is_long && Clock::now() >= end) return batch;
        if (!is_long) batch *= 2;
    }
}

}  // namespace

Result<Times> time_runs(const Run& run, std::chrono::nanoseconds time) {
    const std::uint32_t batch = TRY(batch_of(run, time / 10));
    std::vector<std::uint64_t> samples;
    for (const Clock::time_point end = Clock::now() + time;
         samples.size() < least_samples || Clock::now() < end;)
        samples.push_back(static_cast<std::uint64_t>(TRY(timed(run, batch)).count()) / batch);
    std::ranges::sort(samples);
    // The least sample that so many percent of all don't exceed.
    const auto percentile = [&](std::size_t percent) {
        return samples[(samples.size() * percent + 99) / 100 - 1];
    };
    return Times{static_cast<std::uint32_t>(samples.size()), batch, percentile(5), percentile(50),
                 percentile(95)};
}

}  // namespace muster::bench
