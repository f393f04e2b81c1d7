#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <muster/backend-cpu/compiler/llvm/cut_blocks.hpp>

namespace muster::cpu {
namespace {

/// A pointer argument of the function; callers never pass null.
llvm::Value* pointer_of(llvm::Function& function) {
    for (llvm::Argument& argument : function.args())
        if (argument.getType()->isPointerTy()) return &argument;
    return nullptr;
}

/// False between a comparison and its use: across a branch, a mask costs a vector
/// register and its conversions.
bool may_begin_a_block(const llvm::Instruction& instruction) {
    const llvm::Instruction* before = instruction.getPrevNode();
    return before != nullptr && !llvm::isa<llvm::PHINode>(instruction) && !llvm::isa<llvm::CmpInst>(before) &&
           !before->getType()->isIntOrIntVectorTy(1);
}

class Cutter {
  public:
    explicit Cutter(llvm::Function& function) : function_(function), pointer_(pointer_of(function)) {}

    void run() {
        if (pointer_ == nullptr) return;
        std::vector<llvm::BasicBlock*> large;
        for (llvm::BasicBlock& block : function_)
            if (block.size() > most_block_instructions) large.push_back(&block);
        for (llvm::BasicBlock* block : large) cut(block);
    }

  private:
    /// Cuts from the end, so that each cut moves the instructions of one block only.
    void cut(llvm::BasicBlock* block) {
        std::vector<llvm::Instruction*> cuts;
        unsigned instructions = 0;
        for (llvm::Instruction& at : *block) {
            if (++instructions <= most_block_instructions || !may_begin_a_block(at)) continue;
            cuts.push_back(&at);
            instructions = 0;
        }
        for (auto at = cuts.rbegin(); at != cuts.rend(); ++at) cut_before(*at);
    }

    void cut_before(llvm::Instruction* instruction) {
        llvm::BasicBlock* before = instruction->getParent();
        llvm::BasicBlock* after = llvm::SplitBlock(before, instruction);
        llvm::IRBuilder<> builder(before->getTerminator());
        builder.CreateCondBr(builder.CreateIsNull(unknown_to_llvm(builder)), never_reached(), after);
        before->getTerminator()->eraseFromParent();
    }

    /// The pointer, passed through an empty inline assembly, so that LLVM can't infer from earlier
    /// tests that it isn't null.
    llvm::Value* unknown_to_llvm(llvm::IRBuilder<>& builder) const {
        auto* type = llvm::FunctionType::get(pointer_->getType(), {pointer_->getType()}, false);
        auto* nothing = llvm::InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/true);
        return builder.CreateCall(nothing, {pointer_});
    }

    /// A block that returns: if it were unreachable, LLVM could drop the branch to it.
    llvm::BasicBlock* never_reached() {
        if (never_reached_ == nullptr) {
            never_reached_ = llvm::BasicBlock::Create(function_.getContext(), "never_reached", &function_);
            llvm::ReturnInst::Create(function_.getContext(), never_reached_);
        }
        return never_reached_;
    }

    llvm::Function& function_;
    llvm::Value* pointer_;
    llvm::BasicBlock* never_reached_ = nullptr;
};

}  // namespace

bool is_large(const llvm::Function& function) {
    return function.getInstructionCount() > most_function_instructions;
}

void cut_blocks(llvm::Module& module) {
    for (llvm::Function& function : module)
        if (is_large(function) && function.getReturnType()->isVoidTy()) Cutter(function).run();
}

}  // namespace muster::cpu
