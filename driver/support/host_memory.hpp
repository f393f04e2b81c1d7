// host_memory.hpp - the size of the machine's memory.
#pragma once

#include <cstdint>

namespace muster {

/// The sum of physical memory and swap space; INT64_MAX if the system doesn't report it. Threads: any.
std::uint64_t host_memory_bytes();

}  // namespace muster
