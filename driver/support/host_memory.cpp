#include <limits>

#include <muster/driver/support/host_memory.hpp>

#if defined(__linux__)
#include <sys/sysinfo.h>
#endif

namespace muster {

std::uint64_t host_memory_bytes() {
#if defined(__linux__)
    struct sysinfo system {};
    if (sysinfo(&system) == 0) return (std::uint64_t{system.totalram} + system.totalswap) * system.mem_unit;
#endif
    return std::numeric_limits<std::int64_t>::max();
}

}  // namespace muster
