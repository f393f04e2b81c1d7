#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <muster/backend-cpu/compiler/llvm/expand_fills.hpp>

namespace muster::cpu {
namespace {

/// Replaces the fill by a loop of vector stores and a fill of the remaining bytes.
void expand(llvm::MemSetInst& fill, std::uint64_t bytes, std::uint32_t vector_bytes) {
    llvm::BasicBlock* before = fill.getParent();
    llvm::BasicBlock* after = llvm::SplitBlock(before, &fill);
    auto* loop = llvm::BasicBlock::Create(before->getContext(), "fill", before->getParent(), after);
    before->getTerminator()->setSuccessor(0, loop);

    llvm::IRBuilder<> builder(before->getTerminator());
    builder.SetCurrentDebugLocation(fill.getDebugLoc());
    llvm::Value* vector = builder.CreateVectorSplat(vector_bytes, fill.getValue());
    builder.SetInsertPoint(loop);
    const std::uint64_t whole = bytes / vector_bytes * vector_bytes;
    const llvm::Align align = fill.getDestAlign().valueOrOne();
    llvm::PHINode* at = builder.CreatePHI(builder.getInt64Ty(), 2);
    builder.CreateAlignedStore(vector, builder.CreateInBoundsGEP(builder.getInt8Ty(), fill.getDest(), at),
                               llvm::commonAlignment(align, vector_bytes), fill.isVolatile());
    llvm::Value* next = builder.CreateNUWAdd(at, builder.getInt64(vector_bytes));
    at->addIncoming(builder.getInt64(0), before);
    at->addIncoming(next, loop);
    builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt64(whole)), loop, after);

    builder.SetInsertPoint(&fill);
    if (whole < bytes)
        builder.CreateMemSetInline(
            builder.CreateInBoundsGEP(builder.getInt8Ty(), fill.getDest(), builder.getInt64(whole)),
            llvm::commonAlignment(align, whole), fill.getValue(), builder.getInt64(bytes - whole));
    fill.eraseFromParent();
}

}  // namespace

void expand_fills(llvm::Module& module, std::uint32_t vector_bytes) {
    for (llvm::Function& function : module) {
        std::vector<llvm::MemSetInst*> fills;
        for (llvm::Instruction& instruction : llvm::instructions(function))
            if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) fills.push_back(fill);
        for (llvm::MemSetInst* fill : fills) {
            const auto* length = llvm::dyn_cast<llvm::ConstantInt>(fill->getLength());
            if (length && length->getZExtValue() > largest_written_out_fill)
                expand(*fill, length->getZExtValue(), vector_bytes);
        }
    }
}

}  // namespace muster::cpu
