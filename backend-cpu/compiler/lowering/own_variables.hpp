// own_variables.hpp - variables that each invocation has for itself: function and private ones. One has a
// slot per word, which becomes a register; or memory, if an index isn't constant, if the variable is large,
// or if it lives across barriers.
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include <muster/backend-cpu/compiler/lowering/assumptions.hpp>
#include <muster/backend-cpu/compiler/lowering/debug_info.hpp>
#include <muster/backend-cpu/compiler/lowering/node_values.hpp>

namespace muster::cpu {

class OwnVariables : KernelPart {
  public:
    OwnVariables(const KernelPart& kernel, WorkgroupScratch& scratch, const Assumptions& assumptions,
                 NodeValues& values)
        : KernelPart(kernel),
          scratch_(scratch),
          assumptions_(assumptions),
          values_(values),
          storage_(program_.variables().size()) {}
    /// Decides where each variable is, and takes what that needs in scratch and in the records.
    void lay_out();
    /// Shows debuggers those that are in slots.
    void show_in(DebugInfo& debug);

    Lanes load(NodeId node, const Place& place);
    void store(NodeId node, const Place& place, const Lanes& lanes);
    /// Stores the initial value; none: zero. `divergent`: only some of the lanes that see it later do.
    void initialise(VariableId variable, NodeId initial, bool divergent);
    bool has_private(Home home) const;
    void initialise_private(Home home);  // and keeps those that are kept

    /// An alloca per word; none if the variable is in memory.
    std::span<Value* const> slots(VariableId variable) const { return storage_[variable.index].slots; }
    /// Sets the slots that the code being built leaves as they are.
    void leave_unwritten(std::set<Value*> slots) { unwritten_ = std::move(slots); }
    bool leaves_any_unwritten() const { return !unwritten_.empty(); }

    /// The variables with slots that live in a subgroup's record when no region runs, of those that the nodes
    /// access: true if they write them.
    std::map<std::uint32_t, bool> kept_among(std::span<const NodeId> nodes) const;
    void fetch_kept(VariableId variable);  // into its slots, before a region
    void put_kept(VariableId variable);    // back, afterwards

  private:
    struct Storage {
        std::vector<Value*> slots;  // an alloca per word; empty: the variable is in memory
        Value* memory = nullptr;
        bool is_table = false;  // memory is a constant of the image
        bool kept = false;
        std::uint64_t kept_at = 0;  // offset in a subgroup's record
        std::uint32_t stride = 0;   // bytes from word to word
    };
    struct WordIndex {
        Lane words;
        Value* valid = nullptr;
    };
    void fill(VariableId variable, NodeId constant, std::uint64_t words, bool divergent);
    llvm::GlobalVariable* table(NodeId constant);
    Value* memory_of(VariableId variable);
    Value* address_of(VariableId variable, std::uint64_t word);
    Scalar scalar_of(VariableId variable, std::uint64_t word) const;
    Lane read(VariableId variable, std::uint64_t word);
    void write(VariableId variable, std::uint64_t word, const Lane& lane, bool divergent);
    WordIndex word_index(NodeId access, const Place& place);
    Value* element(Value* base, const WordIndex& index, std::uint32_t stride);

    WorkgroupScratch& scratch_;
    const Assumptions& assumptions_;
    NodeValues& values_;
    std::vector<Storage> storage_;  // by variable
    std::set<Value*> unwritten_;
    std::map<std::uint32_t, llvm::GlobalVariable*> tables_;  // by constant
};

}  // namespace muster::cpu
