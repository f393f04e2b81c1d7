// host_memory.hpp - how much memory the machine has.
#pragma once

#include <cstdint>

namespace muster {

/// Physical memory and swap space. Where the system doesn't say: as much as an object can have. Threads: any.
std::uint64_t host_memory_bytes();

}  // namespace muster
