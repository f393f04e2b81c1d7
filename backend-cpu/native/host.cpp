#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <muster/backend-cpu/native/host.hpp>

namespace muster::cpu {
namespace {

/// The first 4 KB of a file; empty if it can't be read. Not a stream: reading all of /proc/cpuinfo takes
/// milliseconds on a machine with many cores.
std::string beginning_of(const char* path) {
    std::string text(4096, '\0');
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    const ssize_t got = read(file, text.data(), text.size());
    close(file);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
}

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    return value;
}

std::string processor_name(std::string_view arch) {
    const std::string info = beginning_of("/proc/cpuinfo");
    constexpr std::string_view key = "model name";
    const std::size_t at = info.find(key);
    const std::size_t colon = at == info.npos ? info.npos : info.find(": ", at);
    if (colon == info.npos) return fmt::format("{} processor", arch);
    return info.substr(colon + 2, info.find('\n', colon) - colon - 2);
}

std::uint32_t affinity_cores() {
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

/// Cores within the quota of control groups version 2, otherwise version 1. Reads the root's files, which are
/// this process's own inside a container.
std::uint32_t usable_cores() {
    const std::uint32_t cores = affinity_cores();
    if (const std::string both = beginning_of("/sys/fs/cgroup/cpu.max"); !both.empty()) {
        const std::size_t space = both.find(' ');
        if (space != both.npos)
            return quota_cores(std::string_view(both).substr(0, space),
                               std::string_view(both).substr(space + 1), cores);
    }
    return quota_cores(beginning_of("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
                       beginning_of("/sys/fs/cgroup/cpu/cpu.cfs_period_us"), cores);
}

std::uint64_t usable_memory() {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return 0;
    std::uint64_t bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
    for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
        if (const auto limit = number(beginning_of(path))) bytes = std::min(bytes, *limit);
    return bytes;
}

#if defined(__x86_64__)

/// The highest frequency that the processor states; 0 if it states none, as most of
/// AMD's and many virtual ones.
std::uint32_t stated_mhz() {
    unsigned base = 0, most = 0, bus = 0, none = 0;
    return __get_cpuid(0x16, &base, &most, &bus, &none) != 0 ? most & 0xffff : 0;
}

#define MUSTER_SUPPORTS(name) __builtin_cpu_supports(name) != 0
constexpr std::uint32_t kernel_floats = 0x1f80;  // MXCSR when a process starts: all exceptions masked

std::string host_arch() {
    __builtin_cpu_init();
    if (MUSTER_SUPPORTS("x86-64-v4")) return "x86-64-v4";
    if (MUSTER_SUPPORTS("x86-64-v3")) return "x86-64-v3";
    if (MUSTER_SUPPORTS("x86-64-v2")) return "x86-64-v2";
    return "x86-64-v1";
}

bool host_has_fma() { return MUSTER_SUPPORTS("fma"); }

struct Feature {
    std::string_view name;  // LLVM's name
    bool present;
};

/// Features that LLVM uses for our kernels. An image compiled for a level lists none: its arch implies them.
const std::vector<Feature>& features() {
    static const std::vector<Feature> known{
        {"ssse3", MUSTER_SUPPORTS("ssse3")},
        {"sse4.1", MUSTER_SUPPORTS("sse4.1")},
        {"sse4.2", MUSTER_SUPPORTS("sse4.2")},
        {"popcnt", MUSTER_SUPPORTS("popcnt")},
        {"avx", MUSTER_SUPPORTS("avx")},
        {"avx2", MUSTER_SUPPORTS("avx2")},
        {"fma", MUSTER_SUPPORTS("fma")},
        {"bmi", MUSTER_SUPPORTS("bmi")},
        {"bmi2", MUSTER_SUPPORTS("bmi2")},
        {"avx512f", MUSTER_SUPPORTS("avx512f")},
        {"avx512bw", MUSTER_SUPPORTS("avx512bw")},
        {"avx512cd", MUSTER_SUPPORTS("avx512cd")},
        {"avx512dq", MUSTER_SUPPORTS("avx512dq")},
        {"avx512vl", MUSTER_SUPPORTS("avx512vl")},
        {"avx512ifma", MUSTER_SUPPORTS("avx512ifma")},
        {"avx512vbmi", MUSTER_SUPPORTS("avx512vbmi")},
        {"avx512vbmi2", MUSTER_SUPPORTS("avx512vbmi2")},
        {"avx512vnni", MUSTER_SUPPORTS("avx512vnni")},
        {"avxvnni", MUSTER_SUPPORTS("avxvnni")},
        {"avx512bitalg", MUSTER_SUPPORTS("avx512bitalg")},
        {"avx512vpopcntdq", MUSTER_SUPPORTS("avx512vpopcntdq")},
        {"gfni", MUSTER_SUPPORTS("gfni")},
    };
    return known;
}

std::uint64_t floats_now() { return _mm_getcsr(); }
void set_floats(std::uint64_t state) { _mm_setcsr(static_cast<std::uint32_t>(state)); }

#undef MUSTER_SUPPORTS

#elif defined(__aarch64__)

constexpr std::uint64_t kernel_floats = 0;  // FPCR: round to nearest even, subnormals kept, no traps

std::uint32_t stated_mhz() { return 0; }
std::string host_arch() { return "aarch64"; }
bool host_has_fma() { return true; }

struct Feature {
    std::string_view name;
    bool present;
};
const std::vector<Feature>& features() {
    static const std::vector<Feature> known{
        {"neon", true}, {"fp-armv8", true}, {"dotprod", (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0}};
    return known;
}

std::uint64_t floats_now() {
    std::uint64_t state = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    return state;
}
void set_floats(std::uint64_t state) { __asm__ volatile("msr fpcr, %0" ::"r"(state)); }

#else
#error "The CPU backend knows x86-64 and aarch64; add an arm here and an arch in compiler/llvm/target.cpp."
#endif

std::uint32_t highest_mhz() {
    if (const auto khz = number(beginning_of("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")))
        return static_cast<std::uint32_t>(*khz / 1000);
    return stated_mhz();
}

Host find_host() {
    Host found;
    found.arch = host_arch();
    found.name = processor_name(found.arch);
    found.cores = usable_cores();
    found.memory_bytes = usable_memory();
    found.has_fma = host_has_fma();
    found.clock_mhz = highest_mhz();
    return found;
}

/// Each x86-64 level includes those before it.
constexpr std::array<ArchTraits, 5> archs{{{"x86-64-v1", 4, false, false},
                                           {"x86-64-v2", 4, false, false},
                                           {"x86-64-v3", 8, true, false},
                                           {"x86-64-v4", 16, true, false},
                                           {"aarch64", 4, true, false}}};

std::array<ArchTraits, 5> archs_here() {
    std::array<ArchTraits, 5> all = archs;
    const std::string& here = host().arch;
    for (ArchTraits& one : all)
        one.runs_here = one.arch == here || (one.arch.starts_with("x86-64-v") &&
                                             here.starts_with("x86-64-v") && one.arch <= here);
    return all;
}

}  // namespace

const Host& host() {
    static const Host found = find_host();
    return found;
}

std::span<const ArchTraits> arch_levels() {
    static const std::array<ArchTraits, 5> all = archs_here();
    return all;
}

const ArchTraits* arch_traits(std::string_view arch) {
    const auto all = arch_levels();
    const auto found = std::ranges::find(all, arch, &ArchTraits::arch);
    return found == all.end() ? nullptr : &*found;
}

std::string arch_names() {
    std::string names;
    for (const ArchTraits& one : archs) names += (names.empty() ? "" : ", ") + std::string(one.arch);
    return names;
}

std::string host_features() {
    std::string names;
    for (const Feature& one : features())
        if (one.present) names += (names.empty() ? "" : ",") + std::string(one.name);
    return names;
}

std::string_view missing_feature(std::string_view wanted) {
    while (!wanted.empty()) {
        const std::string_view name = wanted.substr(0, wanted.find(','));
        wanted.remove_prefix(std::min(wanted.size(), name.size() + 1));
        const auto known = std::ranges::find(features(), name, &Feature::name);
        if (known != features().end() && !known->present) return name;
    }
    return {};
}

std::uint32_t quota_cores(std::string_view quota, std::string_view period, std::uint32_t otherwise) {
    const auto allowed = number(quota), per = number(period);  // "max" and -1: no quota
    if (!allowed || !per || *per == 0) return otherwise;
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>((*allowed + *per - 1) / *per, 1, std::max(otherwise, 1u)));
}

KernelFloats::KernelFloats() : callers_(floats_now()) {
    if (callers_ != kernel_floats) set_floats(kernel_floats);
}

// Kernels raise no floating-point exception that anyone reads, so the caller's state is restored unchanged.
KernelFloats::~KernelFloats() { set_floats(callers_); }

}  // namespace muster::cpu
