// cut_blocks.hpp - cuts the blocks of large functions, so that code generation takes time in line with their size.
//
// Within a block, LLVM's schedulers compare each access to memory with each, and its register allocator each use of a
// value with each: 2,000 loads and stores in one block took 15 s. A cut is a test and a branch that is never taken.
// codegen.cpp leaves out the passes that would undo it, or that compare all of a function with all of it.
#pragma once

#include <llvm/IR/Module.h>

namespace muster::cpu {

/// A function of more instructions is large. Smaller ones compile in less than a second, whatever they are made of.
inline constexpr unsigned most_function_instructions = 2000;
/// Instructions between cuts, but for a few where comparisons must stay with what uses them.
inline constexpr unsigned most_block_instructions = 500;

bool is_large(const llvm::Function& function);

void cut_blocks(llvm::Module& module);

}  // namespace muster::cpu
