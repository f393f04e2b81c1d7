#include <cstddef>

#include <llvm/IR/IRBuilder.h>

#include <muster/backend-cpu/compiler/output/entry_point.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cpu {
namespace {

using llvm::Value;

class EntryPoints {
  public:
    EntryPoints(llvm::Module& module, const CInterface& interface)
        : module_(module),
          c_(interface),
          builder_(module.getContext()),
          kernel_(module.getFunction(kernel_symbol)) {}

    void add() {
        kernel_->setName(c_.name + "_kernel");
        kernel_->setLinkage(llvm::GlobalValue::InternalLinkage);
        add_part();
        add_whole();
    }

  private:
    llvm::Function* start(const std::string& name, llvm::ArrayRef<llvm::Type*> parameters) {
        auto* type = llvm::FunctionType::get(builder_.getVoidTy(), parameters, false);
        auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
        builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", function));
        return function;
    }
    Value* at(Value* place, std::uint64_t offset) {
        return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), place, offset);
    }
    Value* local(std::uint64_t bytes, std::uint64_t align) {
        auto* place = builder_.CreateAlloca(builder_.getInt8Ty(), builder_.getInt64(bytes));
        place->setAlignment(llvm::Align(align));
        return place;
    }

    /// Fills one KernelBinding from struct NAME_bindings.
    void fill_binding(const CBinding& binding, Value* bindings, Value* entry) {
        Value* data = at(bindings, binding.offset);
        if (!binding.by_value) data = builder_.CreateLoad(builder_.getPtrTy(), data);
        Value* bytes = builder_.getInt64(binding.fixed_bytes);
        if (binding.has_count) {
            Value* count = builder_.CreateLoad(builder_.getInt64Ty(), at(bindings, binding.count_offset));
            bytes = builder_.CreateAdd(bytes, builder_.CreateMul(count, builder_.getInt64(binding.stride)));
        }
        builder_.CreateStore(data, at(entry, offsetof(KernelBinding, data)));
        builder_.CreateStore(bytes, at(entry, offsetof(KernelBinding, bytes)));
    }

    /// Fills the KernelArguments: the launch is the whole grid, from workgroup (0, 0, 0).
    Value* kernel_arguments(llvm::Function& part) {
        Value* bindings = part.getArg(0);
        Value* table = local(c_.bindings.size() * sizeof(KernelBinding), alignof(KernelBinding));
        for (std::size_t i = 0; i < c_.bindings.size(); ++i)
            fill_binding(c_.bindings[i], bindings, at(table, i * sizeof(KernelBinding)));
        Value* arguments = local(sizeof(KernelArguments), alignof(KernelArguments));
        builder_.CreateStore(table, at(arguments, offsetof(KernelArguments, bindings)));
        for (unsigned axis = 0; axis < 3; ++axis) {
            Value* size = part.getArg(1 + axis);
            builder_.CreateStore(builder_.getInt32(0),
                                 at(arguments, offsetof(KernelArguments, origin) + 4 * axis));
            builder_.CreateStore(size, at(arguments, offsetof(KernelArguments, extent) + 4 * axis));
            builder_.CreateStore(size, at(arguments, offsetof(KernelArguments, grid) + 4 * axis));
        }
        return arguments;
    }

    Value* aligned(Value* scratch) {
        if (c_.scratch_bytes == 0) return scratch;
        Value* up = builder_.CreateConstGEP1_64(builder_.getInt8Ty(), scratch, scratch_align - 1);
        return builder_.CreateIntrinsic(llvm::Intrinsic::ptrmask, {up->getType(), builder_.getInt64Ty()},
                                        {up, builder_.getInt64(~std::uint64_t{scratch_align - 1})});
    }

    void add_part() {
        llvm::Type *pointer = builder_.getPtrTy(), *word = builder_.getInt32Ty(),
                   *long_word = builder_.getInt64Ty();
        part_ = start(c_.name + "_part", {pointer, word, word, word, long_word, long_word, pointer});
        Value *begin = part_->getArg(4), *end = part_->getArg(5);
        auto* run = llvm::BasicBlock::Create(module_.getContext(), "run", part_);
        auto* done = llvm::BasicBlock::Create(module_.getContext(), "done", part_);
        // An empty grid must not reach the kernel, which divides by its extent.
        builder_.CreateCondBr(builder_.CreateICmpULT(begin, end), run, done);
        builder_.SetInsertPoint(run);
        builder_.CreateCall(kernel_, {kernel_arguments(*part_), begin, end, aligned(part_->getArg(6))});
        builder_.CreateBr(done);
        builder_.SetInsertPoint(done);
        builder_.CreateRetVoid();
    }

    void add_whole() {
        llvm::Type *pointer = builder_.getPtrTy(), *word = builder_.getInt32Ty();
        llvm::SmallVector<llvm::Type*, 5> parameters{pointer, word, word, word};
        if (!c_.scratch_on_stack) parameters.push_back(pointer);
        llvm::Function* whole = start(c_.name, parameters);
        Value* total = builder_.getInt64(1);
        for (unsigned axis = 1; axis <= 3; ++axis)
            total =
                builder_.CreateMul(total, builder_.CreateZExt(whole->getArg(axis), builder_.getInt64Ty()));
        Value* scratch = !c_.scratch_on_stack    ? static_cast<Value*>(whole->getArg(4))
                         : c_.scratch_bytes == 0 ? llvm::ConstantPointerNull::get(builder_.getPtrTy())
                                                 : local(c_.scratch_bytes, 1);
        builder_.CreateCall(part_, {whole->getArg(0), whole->getArg(1), whole->getArg(2), whole->getArg(3),
                                    builder_.getInt64(0), total, scratch});
        builder_.CreateRetVoid();
    }

    llvm::Module& module_;
    const CInterface& c_;
    llvm::IRBuilder<> builder_;
    llvm::Function* kernel_;
    llvm::Function* part_ = nullptr;
};

}  // namespace

void add_entry_points(llvm::Module& module, const CInterface& interface) {
    EntryPoints(module, interface).add();
}

}  // namespace muster::cpu
