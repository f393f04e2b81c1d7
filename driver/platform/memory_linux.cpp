#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>

#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <muster/driver/platform/memory.hpp>

namespace muster::platform {
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

/// The files of version 2 of control groups, then of version 1. The root's files are this process's own inside a container.
struct GroupFiles {
    const char *limit, *use;
};
constexpr std::array groups{
    GroupFiles{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
    GroupFiles{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};

/// New private pages: errno is set if there are none.
void* mapped(std::uint64_t bytes, int access, int flags) {
    return mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

}  // namespace

std::uint64_t host_memory_bytes() {
    struct sysinfo system {};
    if (sysinfo(&system) == 0) return (std::uint64_t{system.totalram} + system.totalswap) * system.mem_unit;
    return std::numeric_limits<std::int64_t>::max();
}

std::uint64_t physical_memory_bytes() {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : 0;
}

std::uint64_t usable_memory_bytes() {
    std::uint64_t bytes = physical_memory_bytes();
    for (const GroupFiles& group : groups) bytes = std::min(bytes, number_in(group.limit).value_or(bytes));
    return bytes;
}

std::optional<std::uint64_t> free_host_memory_bytes() {
    std::optional<std::uint64_t> free;
    if (const auto kibibytes = number_in("/proc/meminfo", "MemAvailable:")) free = *kibibytes * 1024;
    for (const auto& [limit, use] : groups)
        if (const auto most = number_in(limit), used = number_in(use); free && most && used)
            free = std::min(*free, *most - std::min(*most, *used));
    return free;
}

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

int map_pages(std::uint64_t bytes, void*& at) {
    void* const pages = mapped(bytes, PROT_READ | PROT_WRITE, 0);
    if (pages == MAP_FAILED) return errno;
    at = pages;
    return 0;
}

void unmap_pages(void* at, std::uint64_t bytes) { munmap(at, bytes); }

int make_executable(void* at, std::uint64_t bytes) {
    return mprotect(at, bytes, PROT_READ | PROT_EXEC) == 0 ? 0 : errno;
}

void prefer_huge_pages(void* at, std::uint64_t bytes) { (void)madvise(at, bytes, MADV_HUGEPAGE); }

int why_no_addresses(std::uint64_t bytes) {
    void* const at = mapped(bytes, PROT_NONE, MAP_NORESERVE);
    if (at == MAP_FAILED) return errno;
    munmap(at, bytes);
    return 0;
}

}  // namespace muster::platform
