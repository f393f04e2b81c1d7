// target.hpp - a CompileTarget as LLVM knows it: the machine, what it can do, how wide its vectors are.
//
// Knows X86 and AArch64, as ELF (an image is the same on every operating system). Threads: a Machine is used by one
// thread at a time; make_machine by any.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

/// Position-independent code, small code model, nothing fused that isn't marked so.
struct Machine {
    std::unique_ptr<llvm::TargetMachine> llvm;
    MachineTraits traits;
    std::string features;  // ImageHeader::features: of the host, those that it has; of a level, none

    /// Invocations that go together where nothing else is asked for: as many 4-byte values as a register holds.
    std::uint32_t default_width() const { return traits.vector_bytes / 4; }
};

/// Errors: not_found (no such arch), unavailable (this LLVM was built without it).
Result<Machine> make_machine(const CompileTarget& target);

/// Makes the module one for this machine: triple, data layout, and on each function its features, its vector width,
/// that it throws nothing, and that LLVM may not call a library function in it. Before optimise().
void prepare(llvm::Module& module, const Machine& machine);

}  // namespace muster::cpu
