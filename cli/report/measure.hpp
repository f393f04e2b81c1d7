// measure.hpp - runs a kernel repeatedly and collects times.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/cli/input/spec.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::cli {

using DeviceBuffers = std::map<std::string, Buffer, std::less<>>;

struct Spread {
    std::uint64_t min = 0, median = 0, max = 0;
};
/// Precondition: at least one time. The median of an even number of times is the mean of the middle two.
Spread spread_of(std::vector<std::uint64_t> times);
Json to_json(const Spread& spread);

struct Measured {
    Spread wall_ns;  // from submission to the end of the wait; buffers are on the device already
    /// Of the runs that the device measured; empty if there are none.
    std::optional<Spread> device_ns;
    std::int64_t first_end_ns;  // steady clock; when the first run's result was available
};

inline constexpr auto no_timeout = std::chrono::nanoseconds::max();
struct Runs {
    std::uint32_t count = 1;
    std::chrono::nanoseconds timeout = no_timeout;  // of each run
};

/// Makes a buffer of the session for each binding.
Attempt<DeviceBuffers> upload(Session& session, const Program& program, const HostBuffers& host);

/// The arguments of a dispatch: uniforms as values, the others as buffers.
std::vector<Argument> arguments_of(const Program& program, const HostBuffers& host,
                                   const DeviceBuffers& buffers);

/// Runs the kernel `runs.count` times. Before each run but the first, bindings that the kernel writes are
/// reset to `initial`, outside the measured times, so that the buffers end up as after one run. On a
/// terminal, work of more than a second shows its progress. Errors: those of a dispatch; timed_out: the run
/// is abandoned, and the device with it.
Result<Measured> measure(Session& session, const Kernel& kernel, const Grid& grid, const Runs& runs,
                         const HostBuffers& initial, DeviceBuffers& buffers);

}  // namespace muster::cli
