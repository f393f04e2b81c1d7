#include <algorithm>
#include <cstdint>
#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

#include <muster/backend-cpu/compiler/llvm/cut_functions.hpp>

namespace muster::cpu {
namespace {

using Blocks = std::vector<llvm::BasicBlock*>;

class Parts {
  public:
    Parts(llvm::Function& function, std::uint64_t least_part)
        : dominators_(function), loops_(dominators_), least_part_(least_part) {
        Blocks ends;
        for (llvm::BasicBlock& block : function)
            if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) ends.push_back(&block);
        find_parts(&function.getEntryBlock(), ends, nullptr, loops_.getTopLevelLoops());
    }

    const std::vector<Blocks>& all() const { return parts_; }

  private:
    /// Cuts the body of a loop, or of the function (null), that begins and ends in these blocks: between blocks
    /// that every way through it takes, and that no loop within it has. Loops that are in no part are cut themselves.
    void find_parts(llvm::BasicBlock* begin, const Blocks& ends, const llvm::Loop* loop,
                    llvm::ArrayRef<llvm::Loop*> inner) {
        llvm::BasicBlock* last = nullptr;
        for (llvm::BasicBlock* end : ends)
            last = last == nullptr ? end : dominators_.findNearestCommonDominator(last, end);
        Blocks on_each_way;
        for (auto* node = last ? dominators_.getNode(last) : nullptr;
             node != nullptr && node->getBlock() != begin; node = node->getIDom())
            if (loops_.getLoopFor(node->getBlock()) == loop) on_each_way.push_back(node->getBlock());
        std::ranges::reverse(on_each_way);
        Blocks part;
        std::uint64_t size = 0;
        const auto finish = [&] {
            if (size >= least_part_) {
                taken_.insert(part.begin(), part.end());
                parts_.push_back(part);
            }
            part.clear();
            size = 0;
        };
        for (std::size_t at = 0; at + 1 < on_each_way.size(); ++at) {
            const Blocks piece = between(on_each_way[at], on_each_way[at + 1], loop);
            std::uint64_t instructions = 0;
            for (const llvm::BasicBlock* block : piece) instructions += block->size();
            if (instructions > 4 * least_part_) {  // too large for a part
                finish();
                continue;
            }
            part.insert(part.end(), piece.begin(), piece.end());
            size += instructions;
            if (size >= least_part_) finish();
        }
        finish();
        for (const llvm::Loop* each : inner) {
            if (taken_.contains(each->getHeader())) continue;
            llvm::SmallVector<llvm::BasicBlock*> latches;
            each->getLoopLatches(latches);
            find_parts(each->getHeader(), {latches.begin(), latches.end()}, each, each->getSubLoops());
        }
    }

    /// The blocks behind `from` and not behind `to`, which may be null, within the loop.
    Blocks between(llvm::BasicBlock* from, llvm::BasicBlock* to, const llvm::Loop* loop) {
        Blocks blocks, open{from};
        while (!open.empty()) {
            llvm::BasicBlock* const block = open.back();
            open.pop_back();
            if (block == to || (loop != nullptr && !loop->contains(block))) continue;
            blocks.push_back(block);
            for (const auto* child : *dominators_.getNode(block)) open.push_back(child->getBlock());
        }
        return blocks;
    }

    llvm::DominatorTree dominators_;
    llvm::LoopInfo loops_;
    std::vector<Blocks> parts_;
    llvm::DenseSet<llvm::BasicBlock*> taken_;
    const std::uint64_t least_part_;
};

void cut(llvm::Function& function, std::uint64_t least_part) {
    const std::vector<Blocks> parts = Parts(function, least_part).all();
    const llvm::CodeExtractorAnalysisCache cache(function);
    for (const Blocks& part : parts) {
        llvm::CodeExtractor extractor(part);
        if (!extractor.isEligible()) continue;
        if (llvm::Function* made = extractor.extractCodeRegion(cache))
            made->addFnAttr(llvm::Attribute::NoInline);
    }
}

}  // namespace

void cut_functions(llvm::Module& module, const CutSizes& sizes) {
    std::vector<llvm::Function*> large;
    for (llvm::Function& function : module)
        if (!function.isDeclaration() && function.getInstructionCount() > sizes.most_instructions)
            large.push_back(&function);
    for (llvm::Function* function : large) cut(*function, sizes.least_part);
}

}  // namespace muster::cpu
