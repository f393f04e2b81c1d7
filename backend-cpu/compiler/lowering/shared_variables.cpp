#include <cstddef>

#include <llvm/IR/MDBuilder.h>

#include <muster/backend-cpu/compiler/lowering/shared_variables.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/analysis/overwritten.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::cpu {

SharedVariables::SharedVariables(const KernelPart& kernel, WorkgroupScratch& scratch)
    : KernelPart(kernel),
      scratch_(scratch),
      data_(program_.variables().size()),
      bytes_(data_),
      lengths_(data_),
      scratch_at_(data_.size()),
      alias_(data_.size()),
      no_alias_(data_.size()) {
    auto* type = llvm::ArrayType::get(b_.getInt8Ty(), 4 * zero_words);
    zeros_ = new llvm::GlobalVariable(*b_.GetInsertBlock()->getModule(), type, true,
                                      llvm::GlobalValue::PrivateLinkage,
                                      llvm::ConstantAggregateZero::get(type), "zeros");
    zeros_->setAlignment(llvm::Align(scratch_align));
    for (std::uint32_t v = 0; v < data_.size(); ++v) {
        if (!is_in_scratch({v})) continue;
        const std::uint64_t size = types_[program_.variables()[v].type].size;
        const std::uint64_t around = options_.machine.has_masks() ? 0 : round_up(4 * width_, scratch_align);
        scratch_at_[v] = scratch_.take(size + 2 * around) + around;  // see SharedAccess::store_some()
    }
    make_alias_scopes();
}

void SharedVariables::read_bindings(Value* table) {
    const auto bound = program_.bindings();
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const std::uint32_t v = bound[i].index;
        const Variable& variable = program_.variables()[v];
        const std::uint64_t at = i * sizeof(KernelBinding);
        auto* data = b_.CreateLoad(b_.getPtrTy(), b_.offset_pointer(table, at), variable.name);
        bytes_[v] =
            b_.CreateLoad(b_.getInt64Ty(), b_.offset_pointer(table, at + offsetof(KernelBinding, bytes)));
        data_[v] = data;
        // A uniform is there in full, so loads of it may leave a loop that may not reach them.
        if (variable.space == AddressSpace::uniform) {
            const auto number = [&](std::uint64_t value) {
                return llvm::MDNode::get(b_.getContext(), llvm::ConstantAsMetadata::get(b_.getInt64(value)));
            };
            data->setMetadata(llvm::LLVMContext::MD_dereferenceable, number(types_[variable.type].size));
            data->setMetadata(llvm::LLVMContext::MD_align, number(4));
        }
        const RuntimeArray array = runtime_array(types_, variable.type);
        if (array.stride == 0) continue;
        Value* bytes = b_.CreateSub(bytes_[v], b_.getInt64(array.offset));
        lengths_[v] =
            b_.CreateTrunc(b_.CreateUDiv(bytes, b_.getInt64(array.stride)), b_.getInt32Ty(), "length");
    }
}

// One alias scope for each shared variable, and one for all of an invocation's own variables.
void SharedVariables::make_alias_scopes() {
    llvm::MDBuilder metadata(b_.getContext());
    llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("muster");
    std::vector<llvm::Metadata*> scopes{metadata.createAnonymousAliasScope(domain)};
    std::vector<std::size_t> scope_of(data_.size(), 0);
    for (std::size_t v = 0; v < data_.size(); ++v) {
        if (is_per_invocation(program_.variables()[v])) continue;
        scope_of[v] = scopes.size();
        scopes.push_back(metadata.createAnonymousAliasScope(domain));
    }
    const auto others_of = [&](std::size_t scope) {
        std::vector<llvm::Metadata*> others = scopes;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(scope));
        return llvm::MDNode::get(b_.getContext(), others);
    };
    llvm::MDNode* not_per_invocation = others_of(0);
    for (std::size_t v = 0; v < data_.size(); ++v) {
        alias_[v] = llvm::MDNode::get(b_.getContext(), scopes[scope_of[v]]);
        no_alias_[v] = scope_of[v] == 0 ? not_per_invocation : others_of(scope_of[v]);
    }
}

void SharedVariables::clear_workgroup_variables() {
    for (std::uint32_t v = 0; v < data_.size(); ++v)
        if (is_in_scratch({v}) && !is_overwritten_first(program_, {v}, WorkgroupOrder::in_regions))
            b_.CreateMemSetInline(at({v}, 0), llvm::Align(scratch_align), b_.getInt8(0), size_of({v}));
}

Value* SharedVariables::at(VariableId variable, std::uint64_t offset) {
    if (is_in_scratch(variable)) return scratch_.at(scratch_at_[variable.index] + offset);
    return b_.offset_pointer(data_[variable.index], offset);
}

Value* SharedVariables::size_of(VariableId variable) {
    if (is_in_scratch(variable)) return b_.getInt64(types_[program_.variable(variable).type].size);
    return bytes_[variable.index];
}

}  // namespace muster::cpu
