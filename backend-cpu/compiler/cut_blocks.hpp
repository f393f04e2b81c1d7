// cut_blocks.hpp - cuts blocks of thousands of instructions, so that code generation takes time in line with their number.
//
// Within a block, LLVM's schedulers compare each access to memory with each, and its register allocator each use of a
// value with each: 2,000 loads and stores in one block took 15 s. A cut is a test and a branch that is never taken.
#pragma once

#include <llvm/IR/Module.h>

namespace muster::cpu {

/// Instructions that a block of a function has at most, where no more than a few must stay together.
inline constexpr unsigned most_block_instructions = 1000;

void cut_blocks(llvm::Module& module);

}  // namespace muster::cpu
