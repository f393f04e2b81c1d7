#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>

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

#if defined(__linux__)
namespace {

/// The number at the beginning of a file, or behind this key in it; none for "max".
std::optional<std::uint64_t> number_in(const char* path, std::string_view key = {}) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "re"), std::fclose);
    std::array<char, 256> line{};
    while (file && std::fgets(line.data(), line.size(), file.get()) != nullptr) {
        std::uint64_t number = 0;
        if (std::string_view(line.data()).starts_with(key) &&
            std::sscanf(line.data() + key.size(), "%" SCNu64, &number) == 1)
            return number;
    }
    return std::nullopt;
}

}  // namespace
#endif

std::optional<std::uint64_t> free_host_memory_bytes() {
    std::optional<std::uint64_t> free;
#if defined(__linux__)
    if (const auto kibibytes = number_in("/proc/meminfo", "MemAvailable:")) free = *kibibytes * 1024;
    // The files of version 2 of control groups, then of version 1. The root's files are this
    // process's own inside a container.
    constexpr const char* limits[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
    for (const auto& [limit, use] : limits)
        if (const auto most = number_in(limit), used = number_in(use); free && most && used)
            free = std::min(*free, *most - std::min(*most, *used));
#endif
    return free;
}

}  // namespace muster
