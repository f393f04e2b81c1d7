// clock.hpp - the processor time that threads and processes have used. Threads: any.
#pragma once

#include <chrono>
#include <optional>
#include <thread>

#include <muster/foundation/base/api.hpp>

namespace muster::platform {
MUSTER_API_BEGIN

/// That of a thread of this process; none if it has ended, or the system doesn't tell.
std::optional<std::chrono::nanoseconds> processor_time_of(std::thread& thread);
/// That of all threads of another process.
std::optional<std::chrono::nanoseconds> processor_time_of_process(int id);
/// That of all threads of this process.
std::chrono::nanoseconds processor_time();

MUSTER_API_END
}  // namespace muster::platform
