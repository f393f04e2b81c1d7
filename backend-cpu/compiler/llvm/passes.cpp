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
#include <muster/backend-cpu/compiler/llvm/cut_functions.hpp>
#include <muster/backend-cpu/compiler/llvm/drop_complements.hpp>
#include <muster/backend-cpu/compiler/llvm/expand_fills.hpp>
#include <muster/backend-cpu/compiler/llvm/limit_copies.hpp>
#include <muster/backend-cpu/compiler/llvm/passes.hpp>
#include <muster/backend-cpu/compiler/llvm/widen_masks.hpp>

namespace muster::cpu {
namespace {

llvm::LoopPassManager hoist_passes() {
    llvm::LoopPassManager loops;
    // Gives a loop one branch per iteration, and a block before it for invariants.
    loops.addPass(llvm::LoopRotatePass());
    // Moves uniform loads and broadcasts out of the loop.
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    return loops;
}

/// No run-time unrolling: for loops of unknown length, a second loop for the remainder doubles
/// the code for little gain.
llvm::LoopUnrollOptions unroll_options() { return llvm::LoopUnrollOptions().setRuntime(false); }

/// These passes make the code shorter at once. Without InstCombine, which takes as long as generating the code, stores of large arrays
/// become calls of memset, and code with calls is no image: such a kernel is optimised first.
llvm::FunctionPassManager quick_passes() {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
    passes.addPass(llvm::SimplifyCFGPass());
    return passes;
}

llvm::FunctionPassManager first_passes() {
    llvm::FunctionPassManager passes;
    // Turns variables into values.
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    // Removes repeated masks, addresses and loads.
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    // Simplifies what lowering wrote in its general form.
    passes.addPass(llvm::InstCombinePass());
    // Removes empty blocks around tested masks.
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(hoist_passes(), /*UseMemorySSA=*/true));
    return passes;
}

llvm::FunctionPassManager later_passes() {
    llvm::FunctionPassManager passes;
    // Unrolls short loops of known length, so that their arrays become registers. Apart from the
    // above: it loses MemorySSA.
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass()));
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    // Removes repeated values across blocks.
    passes.addPass(llvm::GVNPass());
    // Simplifies what the passes above uncovered.
    passes.addPass(llvm::InstCombinePass());
    // Removes stores that a later one overwrites: zeroed memory, kept values.
    passes.addPass(llvm::DSEPass());
    // Handles several vectors per iteration of a small loop.
    passes.addPass(llvm::LoopUnrollPass(unroll_options()));
    // Moves what only one branch needs into that branch, and drops what nothing needs.
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

    // Tells LLVM that no function is a library function, whatever its name.
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
    passes.addPass(
        llvm::createModuleToFunctionPassAdaptor(machine.is_quick ? quick_passes() : first_passes()));
    passes.addPass(LimitCopies());
    passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));  // the math functions
    passes.addPass(llvm::GlobalDCEPass());                                        // their unused bodies
    if (!machine.is_quick) passes.addPass(llvm::createModuleToFunctionPassAdaptor(later_passes()));
    passes.run(module, modules);
    expand_fills(module, machine.traits.vector_bytes);
    drop_complements(module);
    if (!machine.traits.has_masks()) widen_masks(module, machine.traits.vector_bytes);
    cut_functions(module);
    cut_blocks(module);
}

}  // namespace muster::cpu
