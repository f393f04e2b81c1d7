// cut_functions.hpp - moves parts of large functions into functions of their own, to keep the time of code generation
// linear in their size: LLVM's register allocator compares what is live in a function with all of its blocks. 550 functions
// of WGSL, inlined, took half a minute.
#pragma once

#include <cstdint>

#include <llvm/IR/Module.h>

namespace muster::cpu {

struct CutSizes {
    std::uint64_t most_instructions = 8000;  // larger functions are cut: ten thousand take a second
    std::uint64_t least_part = 1000;         // of a part
};

/// A part is a run of blocks that control enters at its first one, within one loop.
void cut_functions(llvm::Module& module, const CutSizes& sizes = {});

}  // namespace muster::cpu
