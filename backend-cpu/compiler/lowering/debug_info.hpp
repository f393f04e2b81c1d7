// debug_info.hpp - records which node each instruction was lowered from, so that emitted code carries DWARF
// with the program's lines and its debug map leads back to nodes.
//
//     DebugInfo debug(module, program);                       // if LowerOptions::debug is set
//     debug.enter(function);                                  // before instructions go into it
//     builder.SetCurrentDebugLocation(debug.at(node));
//
// The node's number travels as DWARF's discriminator of its line. The module is complete, and valid, only
// after the DebugInfo is destroyed. Threads: one, the module's.
#pragma once

#include <cstdint>
#include <vector>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

class DebugInfo {
  public:
    DebugInfo(llvm::Module& module, const Program& program);
    ~DebugInfo();
    DebugInfo(const DebugInfo&) = delete;
    DebugInfo& operator=(const DebugInfo&) = delete;

    /// Directs what follows into `function`, which debuggers show under the entry point's name. May be called
    /// again for the same function.
    void enter(llvm::Function& function);
    /// The source location of `node`; line 0 if the program doesn't have it. Never
    /// null. Precondition: enter().
    llvm::DILocation* at(NodeId node);

  private:
    llvm::DIFile* file(std::uint32_t index) const;
    llvm::LLVMContext& context_;
    Program program_;
    llvm::DIBuilder builder_;
    std::vector<llvm::DIFile*> files_;
    llvm::DISubprogram* function_ = nullptr;
};

/// The node of a discriminator; none for 0 and for numbers beyond the program's nodes.
NodeId node_of(const Program& program, std::uint32_t discriminator);

}  // namespace muster::cpu
