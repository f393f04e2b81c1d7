// cut_blocks.hpp - splits the blocks of large functions, to keep the time of code
// generation linear in their size.
//
// Within a block, LLVM's schedulers compare each memory access with every other, and its register allocator
// each use of a value with every other: 2,000 loads and stores in one block took 15 s. A cut is a test and a
// branch that is never taken. codegen.cpp leaves out the passes that would undo it or that compare everything
// in a function with everything else.
#pragma once

#include <llvm/IR/Module.h>

namespace muster::cpu {

/// A function of more instructions is large. Smaller ones compile in less than a
/// second, whatever their content.
inline constexpr unsigned most_function_instructions = 2000;
/// Instructions between cuts; a few more if a comparison must stay with its use.
inline constexpr unsigned most_block_instructions = 500;

bool is_large(const llvm::Function& function);

void cut_blocks(llvm::Module& module);

}  // namespace muster::cpu
