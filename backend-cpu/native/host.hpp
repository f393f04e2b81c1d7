// host.hpp - this machine: what its processor can do, and how many cores and how much
// memory this process may use.
//
// Detected once, at first use; plain values from then on. Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace muster::cpu {

struct Host {
    std::string name;  // "AMD EPYC 9654 96-Core Processor"
    std::string arch;  // CompileTarget::arch: the highest level that the machine and its system support
    std::uint32_t cores = 1;  // usable by this process: within its affinity and its control group's quota
    std::uint64_t memory_bytes = 0;  // the machine's, or the control group's limit if smaller; 0: unknown
    bool has_fma = false;            // a fused multiply-add instruction
    std::uint32_t clock_mhz = 0;     // the highest; 0: unknown
};

const Host& host();

/// Properties of code for an arch, on this machine or another.
struct ArchTraits {
    std::string_view arch;
    std::uint32_t width;  // SIMD width, in invocations: 4-byte values in a vector register
    bool has_fma;
    bool runs_here;
};
/// All of them, in the order of what they have.
std::span<const ArchTraits> arch_levels();
/// Null if there is no such arch.
const ArchTraits* arch_traits(std::string_view arch);
/// Names of all archs, for messages: "x86-64-v1, x86-64-v2".
std::string arch_names();

/// The features that this machine has, of those that kernels use: "avx,avx2".
std::string host_features();

/// The first of an image's features (ImageHeader::features) that this machine is known to
/// lack; empty if it lacks none.
std::string_view missing_feature(std::string_view features);

/// Sets this thread's floating-point state to the one that kernels are compiled for (round to nearest even,
/// subnormals kept) and restores the caller's in its destructor. A program linked with -ffast-math, for
/// one, flushes subnormals.
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
