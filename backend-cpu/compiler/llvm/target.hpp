// target.hpp - a CompileTarget in LLVM's terms: the target machine, its traits, its vector width.
//
// Supports x86-64 and aarch64, as ELF (an image is the same on every operating system). Threads: a Machine is
// used by one thread at a time; make_machine may be called from any.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

/// A target machine: position-independent code, small code model, no operations fused unless marked so.
struct Machine {
    std::unique_ptr<llvm::TargetMachine> llvm;
    MachineTraits traits;
    bool is_quick = false;  // code is generated after a few passes, and not optimised
    std::string features;   // ImageHeader::features: those that the host has; empty for a level

    /// SIMD width by default, in invocations: two registers to a 4-byte value, whose chains of operations hide
    /// each other's latency. With four, bench_cpu's kernels spill.
    std::uint32_t default_width() const { return traits.vector_bytes == 64 ? 32 : 16; }
};

/// LLVM's target of an arch.
struct FoundTarget {
    const llvm::Target* llvm = nullptr;
    std::string triple;
};

/// Errors of both: not_found (no such arch), unavailable (this LLVM was built without it).
Result<FoundTarget> find_target(std::string_view arch);
Result<Machine> make_machine(const CompileTarget& target, bool quick = false);

/// Prepares the module for this machine, before optimise(): sets triple and data layout, and on
/// each function its features and vector width, that it doesn't throw, and that LLVM may not insert
/// calls of library functions.
void prepare(llvm::Module& module, const Machine& machine);

}  // namespace muster::cpu
