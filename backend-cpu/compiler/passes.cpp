#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/Sink.h>

#include <muster/backend-cpu/compiler/passes.hpp>

namespace muster::cpu {
namespace {

/// With MemorySSA, which these passes keep up to date and those of unroll_passes don't.
llvm::LoopPassManager hoist_passes() {
    llvm::LoopPassManager loops;
    loops.addPass(
        llvm::LoopRotatePass());  // one branch per turn; what is invariant has a place before the loop
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));  // uniform loads and broadcasts leave the loop
    return loops;
}

llvm::LoopPassManager unroll_passes() {
    llvm::LoopPassManager loops;
    loops.addPass(llvm::IndVarSimplifyPass());  // one counter per loop, of the width of addresses
    loops.addPass(llvm::LoopFullUnrollPass());  // short loops of known length: their arrays become registers
    return loops;
}

llvm::FunctionPassManager function_passes() {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));  // variables become values
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));     // repeated masks, addresses and loads
    passes.addPass(llvm::InstCombinePass());                       // what lowering wrote in the general form
    passes.addPass(llvm::SimplifyCFGPass());                       // empty blocks around tested masks
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(hoist_passes(), /*UseMemorySSA=*/true));
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(unroll_passes()));
    passes.addPass(
        llvm::SROAPass(llvm::SROAOptions::ModifyCFG));  // arrays that unrolling gave constant indices
    passes.addPass(llvm::GVNPass());                    // the same again, across blocks
    passes.addPass(llvm::InstCombinePass());            // what the above uncovered
    passes.addPass(llvm::DSEPass());  // stores that a later one overwrites: zeroed memory, kept values
    passes.addPass(
        llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2)));  // several vectors per turn of a small loop
    passes.addPass(llvm::SinkingPass());                    // what one branch needs is computed there
    passes.addPass(llvm::ADCEPass());                       // what nothing uses
    passes.addPass(llvm::SimplifyCFGPass());
    return passes;
}

}  // namespace

void optimise(llvm::Module& module, const Machine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;

    // No function of a name that LLVM knows is what it knows by that name.
    llvm::TargetLibraryInfoImpl library(machine.llvm->getTargetTriple());
    library.disableAllFunctions();
    functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
    functions.registerPass([] {
        llvm::AAManager aliases;
        aliases.registerFunctionAnalysis<llvm::BasicAA>();
        aliases.registerFunctionAnalysis<llvm::ScopedNoAliasAA>();
        return aliases;
    });
    llvm::PassBuilder builder(machine.llvm.get());
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);

    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));  // what lowering wrote once
    passes.addPass(llvm::GlobalDCEPass());                                        // and what is left of that
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(function_passes()));
    passes.run(module, modules);
}

}  // namespace muster::cpu
