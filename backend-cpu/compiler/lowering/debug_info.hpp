// debug_info.hpp - says of instructions which node they were lowered from, so that emitted code carries DWARF with
// the program's own lines, and its debug map leads back to nodes.
//
//     DebugInfo debug(module, program);                       // where LowerOptions::debug asks for it
//     debug.enter(function);                                  // before instructions go into it
//     builder.SetCurrentDebugLocation(debug.at(node));
//
// The node's number travels as DWARF's discriminator of its line. The module is complete, and valid, only after the
// DebugInfo is gone. Threads: one, as its module.
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

    /// What follows is lowered into `function`, which debuggers show by the name of the entry point. May be called
    /// again for the same one.
    void enter(llvm::Function& function);
    /// Where `node` stands in the source: line 0 where the program doesn't know. Not null; after enter().
    llvm::DILocation* at(NodeId node);

  private:
    llvm::DIFile* file(std::uint32_t index) const;
    llvm::LLVMContext& context_;
    Program program_;
    llvm::DIBuilder builder_;
    std::vector<llvm::DIFile*> files_;
    llvm::DISubprogram* function_ = nullptr;
};

/// The node that a discriminator stands for; none for 0 and for what isn't the program's.
NodeId node_of(const Program& program, std::uint32_t discriminator);

}  // namespace muster::cpu
