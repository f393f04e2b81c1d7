// passes.hpp - the passes that run on a kernel between lowering and code generation.
//
// lower() has vectorised already, so this isn't -O3 but a short list of passes, each with its
// reason (passes.cpp), for a compilation of milliseconds. None of them turns other code into a
// call of a library function.
#pragma once

#include <llvm/IR/Module.h>

#include <muster/backend-cpu/compiler/llvm/target.hpp>

namespace muster::cpu {

/// Precondition: the module has been prepared (target.hpp) and is valid.
void optimise(llvm::Module& module, const Machine& machine);

}  // namespace muster::cpu
