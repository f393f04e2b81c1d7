// time_runs.hpp - times something that runs repeatedly, by the wall clock.
//
//     Times times = TRY(time_runs([&](std::uint32_t count) { return loaded.run(count); }, std::chrono::milliseconds(500)));
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <muster/foundation/base/result.hpp>

namespace muster::bench {

/// A sample is the mean of a batch of runs: as many as take a millisecond, up to `most_runs`.
struct Times {
    static constexpr std::uint32_t most_runs = 1024;
    std::uint32_t samples = 0, batch = 0;
    std::uint64_t p05_ns = 0, p50_ns = 0, p95_ns = 0;  // of one run
};

/// Warms up for a tenth of `time`, then takes samples for that long, at least three. Errors: those of `run`.
Result<Times> time_runs(const std::function<Result<void>(std::uint32_t count)>& run,
                        std::chrono::nanoseconds time);

}  // namespace muster::bench
