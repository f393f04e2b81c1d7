// compiler.hpp - the interface to the half of the backend that needs LLVM: one function, in a module that is opened on
// first use (compiler_module.hpp) or linked in.
//
// Nothing here includes LLVM. Both halves must be built from the same sources with the same compiler: a module with
// another fingerprint is refused. Threads: any.
#pragma once

#include <cstdint>
#include <string>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::cpu {

/// The machine to compile for.
struct CompileTarget {
    std::string arch;   // "x86-64-v1" to "x86-64-v4", "aarch64"
    bool host = false;  // also use all that this machine has beyond arch
};

struct CompileRequest {
    CompileTarget target;
    CompileOptions options;
    std::uint32_t width = 0;  // SIMD width, in invocations, a power of two up to 64; 0: the target's
    std::string format;       // "image" (image.hpp), "llvm-ir", "asm", "object"
    std::string symbol;  // of the C entry point, for asm, object, llvm-ir; empty: the program's entry name
};

struct Compiler {
    const char* abi_fingerprint;  // muster::abi_fingerprint of the build
    /// Pure: the same request gives the same bytes. Errors: unavailable if this LLVM lacks the target.
    Result<Artifact> (*compile)(const ValidProgram& program, const CompileRequest& request);
};

/// The module's entry point.
extern "C" __attribute__((visibility("default"))) const Compiler* muster_cpu_compiler();

}  // namespace muster::cpu
