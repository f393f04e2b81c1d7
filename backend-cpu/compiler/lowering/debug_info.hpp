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
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cpu {

/// A word of a value: a scalar, or a vector of lanes.
struct DebugWord {
    llvm::Value* value;  // or the slot that it is in
    llvm::Type* type;
    Scalar scalar;
    bool of_lane_0;  // a scalar that stands for lanes that differ by known offsets
};

class DebugInfo {
  public:
    static constexpr std::size_t most_words = 16;  // of a value that is shown

    DebugInfo(llvm::Module& module, const Program& program, const LowerOptions& options);
    ~DebugInfo();
    DebugInfo(const DebugInfo&) = delete;
    DebugInfo& operator=(const DebugInfo&) = delete;

    /// Directs what follows into `function`, which debuggers show under DebugNames::function. May be called
    /// again for the same function.
    void enter(llvm::Function& function);
    /// The source location of `node`; line 0 if the program doesn't have it. Never
    /// null. Precondition: enter().
    llvm::DILocation* at(NodeId node);

    /// Shows a value, from the block's end on, under the name that it was declared with, if any; a variable that is in slots, from there
    /// on. Only with DebugNames::function: for code that runs here. Values of bool, large ones, and vectors in registers
    /// that DWARF can't name whole aren't shown.
    void show(NodeId node, std::span<const DebugWord> words, llvm::BasicBlock* at);
    void show(const Variable& variable, std::span<const DebugWord> slots, llvm::BasicBlock* at);

  private:
    llvm::DIFile* file(std::uint32_t index) const;
    llvm::DIType* type_of(const DebugWord& word);
    llvm::DIType* type_of(std::span<const DebugWord> words);
    bool can_show(std::string_view name, std::span<const DebugWord> words) const;
    llvm::DIExpression* part(std::span<const DebugWord> words, std::size_t which);

    std::string name_;  // of the function
    bool shows_values_;
    std::uint32_t vector_bytes_;  // of the machine's registers
    llvm::LLVMContext& context_;
    Program program_;
    llvm::DIBuilder builder_;
    std::vector<llvm::DIFile*> files_;
    llvm::DISubprogram* function_ = nullptr;
    std::map<std::uint32_t, llvm::DILocalVariable*> shown_;  // by node
};

/// The node of a discriminator; none for 0 and for numbers beyond the program's nodes.
NodeId node_of(const Program& program, std::uint32_t discriminator);

}  // namespace muster::cpu
