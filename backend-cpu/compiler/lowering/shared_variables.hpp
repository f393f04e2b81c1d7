// shared_variables.hpp - where the variables are that invocations share: bindings, and the
// workgroup's in its scratch.
#pragma once

#include <vector>

#include <muster/backend-cpu/compiler/lowering/kernel_facts.hpp>
#include <muster/backend-cpu/compiler/lowering/workgroup_scratch.hpp>

namespace muster::cpu {

class SharedVariables : KernelPart {
  public:
    SharedVariables(const KernelPart& kernel, WorkgroupScratch& scratch);

    /// Loads where the bindings are, and how large. `table`: of KernelBinding.
    void read_bindings(Value* table);
    /// Sets the workgroup's variables to zero, unless the program overwrites them first.
    void clear_workgroup_variables();

    Value* at(VariableId variable, std::uint64_t offset);                     // in bytes
    Value* size_of(VariableId variable);                                      // in bytes, an i64
    Value* length_of(VariableId binding) { return lengths_[binding.index]; }  // of its run-time array
    llvm::Constant* zeros() { return zeros_; }  // memory to read from, `zero_words` words
    static constexpr std::uint64_t zero_words = 64;

    /// Marks an access with its variable's alias scope: different variables never overlap, as the
    /// driver refuses such bindings.
    template <class Instruction>
    Instruction* tagged(Instruction* access, VariableId variable) {
        access->setMetadata(llvm::LLVMContext::MD_alias_scope, alias_[variable.index]);
        access->setMetadata(llvm::LLVMContext::MD_noalias, no_alias_[variable.index]);
        return access;
    }

  private:
    bool is_in_scratch(VariableId variable) const {
        return program_.variable(variable).space == AddressSpace::workgroup;
    }
    void make_alias_scopes();

    WorkgroupScratch& scratch_;
    llvm::GlobalVariable* zeros_;
    std::vector<Value*> data_, bytes_, lengths_;   // by variable
    std::vector<std::uint64_t> scratch_at_;        // by variable
    std::vector<llvm::MDNode*> alias_, no_alias_;  // by variable
};

}  // namespace muster::cpu
