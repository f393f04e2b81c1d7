// codegen.hpp - a prepared llvm::Module to machine code: an object file or assembly text.
//
// Both consume the module: code generation rewrites it. Errors: compile_failed, with what LLVM says; what LLVM calls a
// fatal error ends the process (it has no other way), so the module has been verified, and only known targets are
// compiled for; limit_exceeded, for code that needs more than most_stack_bytes of its thread's stack.
#pragma once

#include <cstdint>
#include <string>

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <muster/backend-cpu/compiler/llvm/target.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster::cpu {

/// Threads that run kernels have 4 MiB and more of stack, but may have used some before.
inline constexpr std::uint64_t most_stack_bytes = std::uint64_t{1} << 20;

using ObjectFile = llvm::SmallVector<char, 0>;

/// Collects what LLVM reports while it lives, in place of LLVM's own handler, which prints and exits.
class Diagnostics {
  public:
    explicit Diagnostics(llvm::LLVMContext& context);
    ~Diagnostics();
    Diagnostics(const Diagnostics&) = delete;
    Diagnostics& operator=(const Diagnostics&) = delete;
    /// An error where LLVM reported one.
    Result<void> check() const;

  private:
    static void collect(const llvm::DiagnosticInfo* diagnostic, void* diagnostics);
    llvm::LLVMContext& context_;
    std::string errors_;
    std::uint64_t stack_bytes_ = 0;  // where they are more than most_stack_bytes
};

/// An error where the module isn't valid IR: a defect of ours.
Result<void> verify(const llvm::Module& module);

Result<ObjectFile> generate_object(llvm::Module& module, const Machine& machine);
Result<std::string> generate_assembly(llvm::Module& module, const Machine& machine);

}  // namespace muster::cpu
