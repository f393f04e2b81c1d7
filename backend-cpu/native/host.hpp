// host.hpp - the machine at hand: what its processor can do, how many cores and how much memory this process may use.
//
// Found once, at first use; plain values after. Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::cpu {

struct Host {
    std::string name;         // "AMD EPYC 9654 96-Core Processor"
    std::string arch;         // CompileTarget::arch: the highest level that the machine and its system have
    std::uint32_t cores = 1;  // that this process may use: its affinity and its control group's quota
    std::uint64_t memory_bytes =
        0;                 // of the machine or, where that is less, of the control group; 0: unknown
    bool has_fma = false;  // an instruction
};

const Host& host();

/// What is known of code for an arch, of this machine or of another.
struct ArchTraits {
    std::string_view arch;
    std::uint32_t width;  // invocations that go together: 4-byte values in a vector register
    bool has_fma;
    bool runs_here;
};
/// Null where there is no such arch.
const ArchTraits* arch_traits(std::string_view arch);
/// All of them, for messages: "x86-64-v1, x86-64-v2".
std::string arch_names();

/// The first of an image's features (ImageHeader::features) that this machine is known to lack; empty: none is.
std::string_view missing_feature(std::string_view features);

/// Cores that a quota allows, rounded up; `otherwise` where the files' text sets none. For tests.
std::uint32_t quota_cores(std::string_view quota, std::string_view period, std::uint32_t otherwise);

/// The floating-point state that kernels are compiled for, as long as it lives: round to nearest even, subnormals
/// kept. Callers may have another one: a program linked with -ffast-math flushes subnormals.
class KernelFloats {
  public:
    KernelFloats();
    ~KernelFloats();
    KernelFloats(const KernelFloats&) = delete;
    KernelFloats& operator=(const KernelFloats&) = delete;

  private:
    std::uint64_t callers_;
};

}  // namespace muster::cpu
