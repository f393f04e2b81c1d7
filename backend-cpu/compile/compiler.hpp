// compiler.hpp - the interface to the half of the backend that needs LLVM: two functions, in a module that is
// opened on first use (compiler_module.hpp) or linked in.
//
// Nothing here includes LLVM. Both halves must be built from the same sources with the same compiler: a
// module with another fingerprint is refused. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <muster/driver/contract/artifact.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/driver/trace/stage.hpp>
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
    bool quick = false;       // of images: a quarter of the time for slower code
    std::string symbol;  // of the C entry point, for asm, object, llvm-ir; empty: the program's entry name
    bool debug_info = false;                // of images: Artifact::load_data is DebugData
    std::vector<std::string> sources = {};  // for debug_info: DebugNames::sources
};

/// The machine code of an image.
struct ImageCode {
    std::string arch;
    std::span<const std::byte> bytes;
    std::uint64_t entry_offset = 0;  // below the size; constants come before
};

/// Is told of each stage of a compilation, as it begins: the module can't record them by itself, since it has
/// a copy of muster of its own.
class StageObserver {
  public:
    /// `instructions`: LLVM's, of which the kernel consists; 0 before there are any.
    virtual void enter(trace::Stage stage, std::uint64_t instructions) = 0;

  protected:
    ~StageObserver() = default;
};

/// The text that both halves must agree on: the build's ABI, and the number of this interface,
/// raised with every change.
consteval BuildText compiler_fingerprint() {
    BuildText text = build_fingerprint();
    return text.append(", compiler 4");
}

struct Compiler {
    const char* fingerprint;  // compiler_fingerprint() of the build
    /// Pure: the same request gives the same bytes. `observer` may be null. Errors: unavailable if this LLVM lacks the target.
    Result<Artifact> (*compile)(const ValidProgram& program, const CompileRequest& request,
                                StageObserver* observer);
    /// A listing of an object file, or of an image's machine code, of any arch: any bytes. Pure. Errors:
    /// invalid_argument (damaged), unavailable as above.
    Result<std::string> (*disassemble)(const Artifact& code, const ImageCode* image);
};

/// The module's entry point.
extern "C" __attribute__((visibility("default"))) const Compiler* muster_cpu_compiler();

}  // namespace muster::cpu
