// drop_complements.hpp - a loop keeps one mask where two complement each other.
#pragma once

#include <llvm/IR/Module.h>

namespace muster::cpu {

/// Removes masks of the lanes that have left a loop, where another is of those that still run: the first is
/// computed from the second where it is read, which takes a register less. Inlined functions that return from
/// within a loop have both.
void drop_complements(llvm::Module& module);

}  // namespace muster::cpu
