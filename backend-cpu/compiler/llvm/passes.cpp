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
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/Sink.h>

#include <muster/backend-cpu/compiler/llvm/cut_blocks.hpp>
#include <muster/backend-cpu/compiler/llvm/expand_fills.hpp>
#include <muster/backend-cpu/compiler/llvm/passes.hpp>
#include <muster/backend-cpu/compiler/lowering/lower_math.hpp>

namespace muster::cpu {
namespace {

llvm::LoopPassManager hoist_passes() {
    llvm::LoopPassManager loops;
    // One branch per turn, and a place before the loop for what is invariant.
    loops.addPass(llvm::LoopRotatePass());
    // Uniform loads and broadcasts leave the loop.
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    return loops;
}

/// Not for loops of unknown length: a second loop for what is left over doubles the code, for little.
llvm::LoopUnrollOptions unroll_options() { return llvm::LoopUnrollOptions().setRuntime(false); }

llvm::FunctionPassManager function_passes() {
    llvm::FunctionPassManager passes;
    // Variables become values.
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    // Repeated masks, addresses and loads.
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    // What lowering wrote in the general form.
    passes.addPass(llvm::InstCombinePass());
    // Empty blocks around tested masks.
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(hoist_passes(), /*UseMemorySSA=*/true));
    // Short loops of known length: their arrays become registers. Apart from the above, since it loses MemorySSA.
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass()));
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    // Repeated values again, now across blocks.
    passes.addPass(llvm::GVNPass());
    // What the above uncovered.
    passes.addPass(llvm::InstCombinePass());
    // Stores that a later one overwrites: zeroed memory, kept values.
    passes.addPass(llvm::DSEPass());
    // Several vectors per turn of a small loop.
    passes.addPass(llvm::LoopUnrollPass(unroll_options()));
    // What one branch alone needs is computed there, and what nothing needs not at all.
    passes.addPass(llvm::SinkingPass());
    passes.addPass(llvm::ADCEPass());
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

    inline_math_of_few_uses(module);
    llvm::ModulePassManager passes;
    passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));  // what lowering wrote once
    passes.addPass(llvm::GlobalDCEPass());                                        // and what is left of that
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(function_passes()));
    passes.run(module, modules);
    expand_fills(module, machine.traits.vector_bytes);
    cut_blocks(module);
}

}  // namespace muster::cpu
