// measure.hpp - dispatches a kernel again and again and keeps the times.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <muster/cli/spec.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::cli {

using DeviceBuffers = std::map<std::string, Buffer, std::less<>>;

struct Spread {
    std::uint64_t min = 0, median = 0, max = 0;
};
/// Of at least one time. The median of an even number is the mean of the middle two.
Spread spread_of(std::vector<std::uint64_t> times);

struct Measured {
    Spread wall_ns;             // submit to wait, buffers resident
    Spread device_ns;           // on the device's own clock
    std::int64_t first_end_ns;  // steady clock, when the first result was there
};

inline constexpr auto no_timeout = std::chrono::nanoseconds::max();
struct Runs {
    std::uint32_t count = 1;
    std::chrono::nanoseconds timeout = no_timeout;  // of each
};

/// Runs `runs.count` times. What the kernel writes is set back to `initial` before each further run, outside the
/// times, so that the buffers end as after one run. On a terminal, work of more than a second shows its
/// progress. Errors: those of a dispatch; timed_out: the kernel is then given up, and its device with it.
Result<Measured> measure(Session& session, const Kernel& kernel, const Grid& grid, const Runs& runs,
                         const HostBuffers& initial, DeviceBuffers& buffers);

}  // namespace muster::cli
