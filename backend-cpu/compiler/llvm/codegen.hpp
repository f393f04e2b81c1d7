// codegen.hpp - compiles a prepared llvm::Module to an object file or assembly text.
//
// Both functions consume the module, because code generation rewrites it. Errors: compile_failed with LLVM's
// message; limit_exceeded if the code needs more than most_stack_bytes of its thread's stack. LLVM reports a
// fatal error only by ending the process, so the module must be verified and its target known.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <muster/backend-cpu/compiler/llvm/target.hpp>
#include <muster/foundation/base/result.hpp>

namespace llvm::object {
class ObjectFile;
}

namespace muster::cpu {

/// Limit for a kernel's stack: threads that run kernels have at least 4 MiB, but may have used some already.
inline constexpr std::uint64_t most_stack_bytes = std::uint64_t{1} << 20;

using ObjectFile = llvm::SmallVector<char, 0>;

/// Collects LLVM's diagnostics during its lifetime, in place of LLVM's own handler, which prints and exits.
class Diagnostics {
  public:
    explicit Diagnostics(llvm::LLVMContext& context);
    ~Diagnostics();
    Diagnostics(const Diagnostics&) = delete;
    Diagnostics& operator=(const Diagnostics&) = delete;
    /// Returns an error if LLVM reported one.
    Result<void> check() const;

  private:
    static void collect(const llvm::DiagnosticInfo* diagnostic, void* diagnostics);
    llvm::LLVMContext& context_;
    std::string errors_;
    std::uint64_t stack_bytes_ = 0;  // 0 unless more than most_stack_bytes
};

/// Returns an error if the module isn't valid IR, which is a defect of muster.
Result<void> verify(const llvm::Module& module);

/// Reads an object file that generate_object() made; the bytes must outlive the result. Errors: internal.
Result<std::unique_ptr<llvm::object::ObjectFile>> read_object(const ObjectFile& object);

Result<ObjectFile> generate_object(llvm::Module& module, const Machine& machine);
Result<std::string> generate_assembly(llvm::Module& module, const Machine& machine);

}  // namespace muster::cpu
