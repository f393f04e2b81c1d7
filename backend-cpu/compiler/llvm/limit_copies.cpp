#include <cstdint>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstIterator.h>

#include <muster/backend-cpu/compiler/llvm/limit_copies.hpp>
#include <muster/backend-cpu/compiler/lowering/lane_builder.hpp>
#include <muster/backend-cpu/compiler/lowering/lower_math.hpp>

namespace muster::cpu {
namespace {

/// What a loop may become when it is unrolled, and the inlined copies of a function together, in instructions of the machine.
/// The short loops of kernels that gain by it have some hundred; ten thousand take a second to compile.
constexpr std::uint64_t most_copied = 4000;

class Limits {
  public:
    Limits(llvm::Module& module, llvm::FunctionAnalysisManager& functions)
        : module_(module), functions_(functions) {}

    void run() {
        for (llvm::Function& function : module_)
            if (is_math_function(function) && !function.isDeclaration())
                cost_of_math_[&function] = cost_of(function);
        for (llvm::Function& function : module_) {
            if (function.isDeclaration()) continue;
            const llvm::LoopInfo& loops = functions_.getResult<llvm::LoopAnalysis>(function);
            for (llvm::Loop* loop : loops) limit(*loop);
            count_calls(function, loops);
        }
        for (auto& [function, cost] : cost_of_math_) {
            const std::uint64_t calls = calls_[function];
            const_cast<llvm::Function*>(function)->addFnAttr(calls > 1 && calls * cost > most_copied
                                                                 ? llvm::Attribute::NoInline
                                                                 : llvm::Attribute::AlwaysInline);
        }
    }

  private:
    std::uint64_t cost_of(const llvm::Instruction& instruction) {
        if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
            if (const auto math = cost_of_math_.find(call->getCalledFunction()); math != cost_of_math_.end())
                return math->second;
        auto& machine = functions_.getResult<llvm::TargetIRAnalysis>(
            *const_cast<llvm::Function*>(instruction.getFunction()));
        const auto cost = machine.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_CodeSize);
        return cost.isValid() ? static_cast<std::uint64_t>(*cost.getValue()) : 1;
    }
    std::uint64_t cost_of(const llvm::Function& function) {
        std::uint64_t cost = 0;
        for (const llvm::Instruction& instruction : llvm::instructions(function))
            cost += cost_of(instruction);
        return cost;
    }
    static std::uint64_t copies_of(const llvm::Loop& loop) {
        const auto said = llvm::getOptionalIntLoopAttribute(&loop, copies_of_loop);
        return said ? static_cast<std::uint64_t>(*said) : 1;
    }

    /// Limits the loop's own loops, then itself. Returns what it becomes.
    std::uint64_t limit(llvm::Loop& loop) {
        std::uint64_t cost = 0;
        for (llvm::Loop* inner : loop.getSubLoops()) cost += limit(*inner);
        for (const llvm::BasicBlock* block : loop.blocks()) {
            bool is_own = true;
            for (const llvm::Loop* inner : loop.getSubLoops()) is_own = is_own && !inner->contains(block);
            if (is_own)
                for (const llvm::Instruction& instruction : *block) cost += cost_of(instruction);
        }
        const std::uint64_t copies = copies_of(loop);
        if (copies <= 1) return cost;
        if (cost * copies <= most_copied) return cost * copies;
        loop.setLoopID(nullptr);
        loop.setLoopAlreadyUnrolled();
        return cost;
    }
    void count_calls(llvm::Function& function, const llvm::LoopInfo& loops) {
        for (const llvm::Instruction& instruction : llvm::instructions(function)) {
            const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
            if (call == nullptr || !cost_of_math_.contains(call->getCalledFunction())) continue;
            std::uint64_t copies = 1;
            for (const llvm::Loop* loop = loops.getLoopFor(call->getParent()); loop != nullptr;
                 loop = loop->getParentLoop())
                copies *= copies_of(*loop);
            calls_[call->getCalledFunction()] += copies;
        }
    }

    llvm::Module& module_;
    llvm::FunctionAnalysisManager& functions_;
    llvm::DenseMap<const llvm::Function*, std::uint64_t> cost_of_math_, calls_;
};

}  // namespace

llvm::PreservedAnalyses LimitCopies::run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    Limits(module, analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager()).run();
    return llvm::PreservedAnalyses::all();
}

}  // namespace muster::cpu
