#include <algorithm>
#include <charconv>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <muster/driver/platform/file.hpp>
#include <muster/driver/platform/processor.hpp>

namespace muster::platform {
namespace {

/// The first 4 KB of a file; empty if it can't be read. Not a stream: reading all of /proc/cpuinfo takes
/// milliseconds on a machine with many cores.
std::string beginning_of(const char* path) {
    std::string text(4096, '\0');
    const FileDescriptor file(open(path, O_RDONLY | O_CLOEXEC));
    const ssize_t got = file.number() < 0 ? 0 : read(file.number(), text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
}

std::optional<std::uint64_t> number_at(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    return value;
}

std::uint32_t affinity_processors() {
    // sched_getaffinity fails with EINVAL if the set is too small for the machine's processors.
    for (std::size_t room = 1024; room <= 65536; room *= 4) {
        cpu_set_t* const set = CPU_ALLOC(room);
        if (set == nullptr) break;
        const std::size_t bytes = CPU_ALLOC_SIZE(room);
        const int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (count > 0) return static_cast<std::uint32_t>(count);
    }
    return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

std::string processor_name() {
    const std::string info = beginning_of("/proc/cpuinfo");
    const std::size_t at = info.find("model name");
    const std::size_t colon = at == info.npos ? info.npos : info.find(": ", at);
    if (colon == info.npos) return {};
    return info.substr(colon + 2, info.find('\n', colon) - colon - 2);
}

std::uint32_t processor_mhz() {
    const auto khz = number_at(beginning_of("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"));
    return static_cast<std::uint32_t>(khz.value_or(0) / 1000);
}

bool has_dot_products() {
    constexpr unsigned long asimddp = 1ul << 20;  // HWCAP_ASIMDDP, which aarch64's headers alone have
    return (getauxval(AT_HWCAP) & asimddp) != 0;
}

/// Uses control groups version 2, otherwise version 1. Reads the root's files, which are
/// this process's own inside a container.
std::uint32_t usable_processors() {
    const std::uint32_t most = affinity_processors();
    const std::string both = beginning_of("/sys/fs/cgroup/cpu.max");
    if (const std::size_t space = both.find(' '); space != both.npos)
        return quota_processors(both, std::string_view(both).substr(space + 1), most);
    return quota_processors(beginning_of("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
                            beginning_of("/sys/fs/cgroup/cpu/cpu.cfs_period_us"), most);
}

std::uint32_t quota_processors(std::string_view quota, std::string_view period, std::uint32_t otherwise) {
    const auto allowed = number_at(quota), per = number_at(period);  // "max" and -1: no quota
    if (!allowed || !per || *per == 0) return otherwise;
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>((*allowed + *per - 1) / *per, 1, std::max(otherwise, 1u)));
}

}  // namespace muster::platform
