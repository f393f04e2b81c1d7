// limit_copies.hpp - decides what is copied: which loops are unrolled wholly, and which functions of the mathematics are
// inlined. Lowering asks for both by nodes of the program; here it is known how much code they are for the machine.
#pragma once

#include <llvm/IR/PassManager.h>

namespace muster::cpu {

/// Run between the first simplifications and inlining. A loop whose copies would be more than a budget keeps its
/// branch, and a math function whose inlined copies would be is called.
struct LimitCopies : llvm::PassInfoMixin<LimitCopies> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace muster::cpu
