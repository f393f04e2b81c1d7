// host_memory.hpp - the size of the machine's memory, and how much of it is free.
#pragma once

#include <cstdint>
#include <optional>

#include <muster/foundation/base/api.hpp>

namespace muster {

/// The sum of physical memory and swap space; INT64_MAX if the system doesn't report it. Threads: any.
std::uint64_t host_memory_bytes();

/// The memory that programs can still get without swapping others out, within this process's control group,
/// now. None if the system doesn't report it. Threads: any.
MUSTER_API std::optional<std::uint64_t> free_host_memory_bytes();

}  // namespace muster
