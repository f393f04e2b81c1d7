#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <fmt/format.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <xmmintrin.h>
#endif

#include <muster/backend-cpu/native/host.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/driver/platform/processor.hpp>

namespace muster::cpu {
namespace {

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
        {"neon", true}, {"fp-armv8", true}, {"dotprod", platform::has_dot_products()}};
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

Host find_host() {
    Host found;
    found.arch = host_arch();
    found.name = platform::processor_name();
    if (found.name.empty()) found.name = fmt::format("{} processor", found.arch);
    found.cores = platform::usable_processors();
    found.memory_bytes = platform::usable_memory_bytes();
    found.has_fma = host_has_fma();
    found.clock_mhz = platform::processor_mhz();
    if (found.clock_mhz == 0) found.clock_mhz = stated_mhz();
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

KernelFloats::KernelFloats() : callers_(floats_now()) {
    if (callers_ != kernel_floats) set_floats(kernel_floats);
}

// Kernels raise no floating-point exception that anyone reads, so the caller's state is restored unchanged.
KernelFloats::~KernelFloats() { set_floats(callers_); }

}  // namespace muster::cpu
