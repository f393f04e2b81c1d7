// passes.hpp - what is done to a kernel between lowering and code generation.
//
// lower() has vectorised already, so this isn't -O3: a short list of passes, each with its reason (passes.cpp), for
// a compile of milliseconds. None of them makes a call to a library function out of other code.
#pragma once

#include <llvm/IR/Module.h>

#include <muster/backend-cpu/compiler/llvm/target.hpp>

namespace muster::cpu {

/// The module has been prepared (target.hpp) and is valid.
void optimise(llvm::Module& module, const Machine& machine);

}  // namespace muster::cpu
