// compiler.hpp - the half of the backend that needs LLVM, as the other half sees it: one function, behind which
// there is a module that is opened on first use (compiler_module.hpp) or linked in.
//
// Nothing here includes LLVM. Both halves are built from the same sources with the same compiler: the fingerprint
// says so, and a module whose fingerprint differs isn't used. Threads: any.
#pragma once

#include <cstdint>
#include <string>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cpu {

/// What to compile for.
struct CompileTarget {
    std::string arch;   // "x86-64-v1" to "x86-64-v4", "aarch64"
    bool host = false;  // and all that the machine at hand has beyond it
};

struct CompileRequest {
    CompileTarget target;
    CompileOptions options;
    std::uint32_t width =
        0;               // invocations that go together, a power of two up to 64; 0: as the target likes it
    std::string format;  // "image" (image.hpp), "llvm-ir", "asm", "object"
    std::string symbol;  // asm, object, llvm-ir: of the C entry point; empty: the program's entry name
};

struct Compiler {
    const char* abi_fingerprint;  // muster::abi_fingerprint of the build
    /// Pure: the same request, the same bytes. Errors: unavailable where LLVM can't do it.
    Result<Artifact> (*compile)(const ValidProgram& program, const CompileRequest& request);
};

/// The one symbol of the module, which hides all others.
extern "C" __attribute__((visibility("default"))) const Compiler* muster_cpu_compiler();

}  // namespace muster::cpu
