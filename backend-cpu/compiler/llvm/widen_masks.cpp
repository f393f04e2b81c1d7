#include <map>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <muster/backend-cpu/compiler/llvm/widen_masks.hpp>

namespace muster::cpu {
namespace {

bool is_mask(const llvm::Type* type) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector && vector->getElementType()->isIntegerTy(1) && vector->getNumElements() > 1;
}

llvm::Type* wide_type(llvm::Type* mask) {
    return llvm::VectorType::get(llvm::Type::getInt32Ty(mask->getContext()),
                                 llvm::cast<llvm::VectorType>(mask)->getElementCount());
}

/// True if it computes masks from masks, and so has a wide form.
bool has_wide_form(const llvm::Instruction& instruction) {
    if (!is_mask(instruction.getType())) return false;
    return instruction.isBitwiseLogicOp() || llvm::isa<llvm::PHINode, llvm::SelectInst>(instruction);
}

class MaskWidener {
  public:
    MaskWidener(llvm::Function& function, std::uint32_t vector_bytes)
        : function_(function), lanes_per_register_(vector_bytes / 4) {}

    void run() {
        std::vector<llvm::Instruction*> masks;
        for (llvm::Instruction& instruction : llvm::instructions(function_)) {
            if (!is_mask(instruction.getType())) continue;
            masks.push_back(&instruction);
            if (has_wide_form(instruction)) replaced_.push_back(&instruction);
        }
        for (llvm::Instruction* old : replaced_) make_wide(*old);
        for (llvm::Instruction* old : replaced_) set_operands(*old);
        for (llvm::Instruction* old : replaced_) reuse_complement(*old);
        for (llvm::Instruction* mask : masks) replace_uses(*mask);
        for (llvm::Instruction* old : replaced_)
            old->replaceAllUsesWith(llvm::PoisonValue::get(old->getType()));
        for (llvm::Instruction* old : replaced_) old->eraseFromParent();
    }

  private:
    // The operands are set later: one of a phi may come from below.
    void make_wide(llvm::Instruction& old) {
        llvm::Instruction* wide = old.clone();
        wide->mutateType(wide_type(old.getType()));
        for (llvm::Use& operand : wide->operands())
            if (is_mask(operand->getType()))
                operand.set(llvm::PoisonValue::get(wide_type(operand->getType())));
        wide->insertBefore(&old);
        wide_[&old] = wide;
    }

    void set_operands(llvm::Instruction& old) {
        auto* wide = llvm::cast<llvm::Instruction>(wide_[&old]);
        for (unsigned i = 0; i < old.getNumOperands(); ++i)
            if (is_mask(old.getOperand(i)->getType())) wide->setOperand(i, this->wide(old.getOperand(i)));
        if (auto* select = llvm::dyn_cast<llvm::SelectInst>(wide))
            if (select->getCondition()->getType()->isVectorTy()) {
                llvm::IRBuilder<> builder(select);
                select->setCondition(narrow(builder, select->getCondition()));
            }
    }

    // `mask & condition` and `mask & ~condition`: the second of them is what the first leaves of the mask.
    // Otherwise code generation would compare twice.
    void reuse_complement(llvm::Instruction& old) {
        using namespace llvm::PatternMatch;
        llvm::Value *mask = nullptr, *condition = nullptr;
        if (!match(&old, m_c_And(m_Value(mask), m_Not(m_Value(condition))))) return;
        for (llvm::User* user : mask->users()) {
            auto* other = llvm::dyn_cast<llvm::Instruction>(user);  // a constant has other users, too
            if (!other || other->getParent() != old.getParent() ||
                !match(other, m_c_And(m_Specific(mask), m_Specific(condition))))
                continue;
            const auto [first, second] =
                old.comesBefore(other) ? std::pair{&old, other} : std::pair{other, &old};
            auto* computed = llvm::cast<llvm::Instruction>(wide_[second]);
            llvm::IRBuilder<> builder(computed);
            wide_[second] = builder.CreateXor(wide(mask), wide_[first]);
            computed->replaceAllUsesWith(wide_[second]);
            computed->eraseFromParent();
            return;
        }
    }

    llvm::Value* wide(llvm::Value* mask) {
        llvm::Value*& found = wide_[mask];
        if (found) return found;
        llvm::IRBuilder<> builder(function_.getContext());
        if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(mask))
            builder.SetInsertPoint(*instruction->getInsertionPointAfterDef());
        else
            builder.SetInsertPoint(function_.getEntryBlock().getFirstInsertionPt());
        return found = builder.CreateSExt(mask, wide_type(mask->getType()));
    }

    // Gives the wide mask to users that stay narrow: those in other blocks, and all if the
    // mask itself has become wide.
    void replace_uses(llvm::Instruction& mask) {
        const bool is_replaced = has_wide_form(mask);
        std::vector<llvm::Use*> uses;
        for (llvm::Use& use : mask.uses()) {
            const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
            if (has_wide_form(*user) || user == wide_[&mask]) continue;
            if (is_replaced || user->getParent() != mask.getParent()) uses.push_back(&use);
        }
        for (llvm::Use* use : uses) {
            auto* user = llvm::cast<llvm::Instruction>(use->getUser());
            llvm::IRBuilder<> builder(user);
            llvm::Value* wide = this->wide(&mask);
            if (shorten_test(*user, wide))
                user->eraseFromParent();
            else
                use->set(narrow(builder, wide));
        }
    }

    static llvm::Value* narrow(llvm::IRBuilder<>& builder, llvm::Value* wide) {
        return builder.CreateICmpSLT(wide, llvm::Constant::getNullValue(wide->getType()));
    }

    // A test whether any lane is set needs the lanes of one register only, combined from all.
    bool shorten_test(llvm::Instruction& bits, llvm::Value* wide) {
        using namespace llvm::PatternMatch;
        llvm::ICmpInst::Predicate predicate{};
        const auto is_test = [&](llvm::User* user) {
            return match(user, m_ICmp(predicate, m_Specific(&bits), m_Zero())) &&
                   llvm::ICmpInst::isEquality(predicate);
        };
        if (!llvm::isa<llvm::BitCastInst>(bits) || !llvm::all_of(bits.users(), is_test)) return false;
        llvm::IRBuilder<> builder(&bits);
        auto lanes = llvm::cast<llvm::FixedVectorType>(wide->getType())->getNumElements();
        if (lanes <= lanes_per_register_) return false;
        for (; lanes > lanes_per_register_; lanes /= 2) {
            std::vector<int> low, high;
            for (unsigned lane = 0; lane < lanes / 2; ++lane) {
                low.push_back(static_cast<int>(lane));
                high.push_back(static_cast<int>(lane + lanes / 2));
            }
            wide = builder.CreateOr(builder.CreateShuffleVector(wide, low),
                                    builder.CreateShuffleVector(wide, high));
        }
        llvm::Value* all = builder.CreateBitCast(narrow(builder, wide), builder.getIntNTy(lanes));
        for (llvm::User* user : llvm::make_early_inc_range(bits.users())) {
            auto* test = llvm::cast<llvm::ICmpInst>(user);
            builder.SetInsertPoint(test);
            test->replaceAllUsesWith(
                builder.CreateICmp(test->getPredicate(), all, llvm::Constant::getNullValue(all->getType())));
            test->eraseFromParent();
        }
        return true;
    }

    llvm::Function& function_;
    const unsigned lanes_per_register_;
    std::vector<llvm::Instruction*> replaced_;
    std::map<llvm::Value*, llvm::Value*> wide_;
};

}  // namespace

void widen_masks(llvm::Module& module, std::uint32_t vector_bytes) {
    for (llvm::Function& function : module)
        if (!function.isDeclaration()) MaskWidener(function, vector_bytes).run();
}

}  // namespace muster::cpu
