#include <optional>
#include <set>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include <muster/backend-cpu/compiler/llvm/drop_complements.hpp>

namespace muster::cpu {
namespace {

using namespace llvm::PatternMatch;

// In each turn: gone = gone | (running & leaves), running = running & ~leaves. Before the first, none is
// gone. So gone is always at_start & ~running.
struct Complement {
    llvm::PHINode *gone, *running;
    llvm::Value *at_start, *next_running;
    llvm::Instruction* next_gone;
};

std::optional<Complement> complement(llvm::PHINode& gone) {
    if (!gone.getType()->isVectorTy() || !gone.getType()->isIntOrIntVectorTy(1)) return {};
    if (gone.getNumIncomingValues() != 2) return {};
    for (unsigned before = 0; before < 2; ++before) {
        llvm::BasicBlock *first = gone.getIncomingBlock(before), *last = gone.getIncomingBlock(1 - before);
        auto* next_gone = llvm::dyn_cast<llvm::Instruction>(gone.getIncomingValue(1 - before));
        llvm::Value* leaving = nullptr;
        if (!match(gone.getIncomingValue(before), m_Zero()) || !next_gone ||
            !match(next_gone, m_c_Or(m_Specific(&gone), m_Value(leaving))))
            continue;
        for (llvm::PHINode& running : gone.getParent()->phis()) {
            llvm::Value* leaves = nullptr;
            auto* next = llvm::dyn_cast<llvm::Instruction>(running.getIncomingValueForBlock(last));
            const bool complements = match(leaving, m_c_And(m_Specific(&running), m_Value(leaves))) && next &&
                                     match(next, m_c_And(m_Specific(&running), m_Not(m_Specific(leaves))));
            if (complements && next->getParent() == next_gone->getParent() && next->comesBefore(next_gone))
                return Complement{&gone, &running, running.getIncomingValueForBlock(first), next, next_gone};
        }
    }
    return {};
}

void replace_uses(llvm::Instruction& gone, const Complement& of, llvm::Value* running) {
    const auto computed_at = [&](llvm::BasicBlock& block, llvm::BasicBlock::iterator place) {
        llvm::IRBuilder<> builder(&block, place);
        return builder.CreateAnd(of.at_start, builder.CreateNot(running));
    };
    // After the loop, a phi passes it on alone: it is computed there.
    const std::set<llvm::User*> users(gone.user_begin(), gone.user_end());
    for (llvm::User* user : users) {
        auto* passes_on = llvm::dyn_cast<llvm::PHINode>(user);
        if (!passes_on || passes_on == of.gone || passes_on->hasConstantValue() != &gone) continue;
        llvm::BasicBlock& block = *passes_on->getParent();
        passes_on->replaceAllUsesWith(computed_at(block, block.getFirstInsertionPt()));
        passes_on->eraseFromParent();
    }
    const auto is_other = [&](const llvm::Use& use) {
        return use.getUser() != of.gone && use.getUser() != of.next_gone;
    };
    if (llvm::any_of(gone.uses(), is_other))
        gone.replaceUsesWithIf(computed_at(*gone.getParent(), *gone.getInsertionPointAfterDef()),
                               [&](llvm::Use& use) { return is_other(use); });
}

void drop(const Complement& complement) {
    replace_uses(*complement.next_gone, complement, complement.next_running);
    replace_uses(*complement.gone, complement, complement.running);
    complement.gone->replaceAllUsesWith(llvm::PoisonValue::get(complement.gone->getType()));
    complement.gone->eraseFromParent();
    complement.next_gone->eraseFromParent();
}

}  // namespace

void drop_complements(llvm::Module& module) {
    for (llvm::Function& function : module)
        for (llvm::BasicBlock& block : function)
            for (llvm::PHINode& gone : llvm::make_early_inc_range(block.phis()))
                if (const auto found = complement(gone)) drop(*found);
}

}  // namespace muster::cpu
