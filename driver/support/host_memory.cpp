#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

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

std::optional<std::uint64_t> free_host_memory_bytes() {
    std::optional<std::uint64_t> free;
#if defined(__linux__)
    std::ifstream memory("/proc/meminfo");
    for (std::string key; memory >> key;) {
        std::uint64_t kibibytes = 0;
        if (key != "MemAvailable:") {
            std::getline(memory, key);
        } else if (memory >> kibibytes) {
            free = kibibytes * 1024;
            break;
        }
    }
    const auto number_in = [](const char* path) -> std::optional<std::uint64_t> {
        std::ifstream file(path);
        std::uint64_t number = 0;
        return file >> number ? std::optional(number) : std::nullopt;  // "max" is none
    };
    // Of version 2 of control groups, otherwise of version 1. The root's files are this process's own inside a container.
    for (const auto& [limit, use] : {std::pair{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
                                     std::pair{"/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                               "/sys/fs/cgroup/memory/memory.usage_in_bytes"}})
        if (const auto most = number_in(limit), used = number_in(use); free && most && used)
            free = std::min(*free, *most - std::min(*most, *used));
#endif
    return free;
}

}  // namespace muster
