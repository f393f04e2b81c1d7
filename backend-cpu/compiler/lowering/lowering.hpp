// lowering.hpp - the one walk that turns a program into LLVM IR. Internal to lower_*.cpp.
//
// A value is a sequence of words; each word is a Lane: a scalar for all lanes, a scalar plus known offsets,
// or a vector with an element per lane, as Shapes decides. Code always runs with at least one active lane:
// when the last lane leaves, so does control, so a uniform value is always some active lane's. mask_ is the
// active lanes; null: all of them.
//
// Files: lower.cpp (the function, its arguments, the loop over workgroups), lower_workgroup.cpp (the
// workgroup's level, regions), lower_control.cpp (control flow within a region), lower_split_loop.cpp,
// lower_whole_loop.cpp, lower_lane_loop.cpp (loops that are built in other ways), lower_value.cpp
// (operations), lower_variables.cpp (function and private variables), lower_memory.cpp,
// lower_interleaved.cpp, lower_prefetch.cpp (bindings and workgroup memory), lower_atomic.cpp,
// lower_in_lane.cpp (values of one lane), lower_subgroup.cpp, lower_ranges.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <muster/backend-cpu/compiler/lowering/debug_info.hpp>
#include <muster/backend-cpu/compiler/lowering/lane_offsets.hpp>
#include <muster/backend-cpu/compiler/lowering/lower.hpp>
#include <muster/backend-cpu/compiler/lowering/lower_operation.hpp>
#include <muster/backend-cpu/compiler/lowering/place.hpp>
#include <muster/backend-cpu/compiler/lowering/plan.hpp>
#include <muster/backend-cpu/compiler/lowering/shapes.hpp>
#include <muster/backend-cpu/compiler/lowering/strides.hpp>
#include <muster/foundation/analysis/ranges/ranges.hpp>

namespace muster::cpu {

struct Lane {
    llvm::Value* value = nullptr;  // varying: a vector; otherwise a scalar: the common value or the base
    std::uint32_t offsets = 0;     // id in LaneOffsets; 0 if varying
    bool varying = false;
    bool is_uniform() const { return !varying && offsets == 0; }
};
using Lanes = std::vector<Lane>;

/// An access's address, per lane or for all: `pointer`, plus known lane offsets or plus `units`.
struct Address {
    llvm::Value* pointer = nullptr;
    std::vector<std::int64_t> lane_bytes;  // empty: all lanes go to pointer
    llvm::Value* units = nullptr;          // a vector: words (i32) or bytes (i64) from pointer, per lane
    std::uint32_t unit = 4;                // bytes: 4, or 1 where elements of an array have no multiple of 4
    llvm::Value* valid = nullptr;          // a scalar or a vector of bool; null: always valid
    VariableId variable;
    bool is_uniform() const { return lane_bytes.empty() && units == nullptr; }
};

class Lowering {
  public:
    /// `given`: the program that `program` was made from, for debug information.
    Lowering(llvm::LLVMContext& context, const Program& program, Plan plan, const LowerOptions& options,
             const Program& given);
    Result<LoweredKernel> run() &&;

  private:
    static constexpr std::uint64_t no_place = UINT64_MAX;
    struct JumpTarget {
        NodeId construct;
        llvm::BasicBlock* leave = nullptr;  // break_
        llvm::BasicBlock* go_on = nullptr;  // continue_
        llvm::Value* leave_mask = nullptr;  // slots; null if every lane leaves together
        llvm::Value* go_on_mask = nullptr;
        bool of_workgroup = false;
        std::uint64_t away = no_place;  // workgroup's level: scratch offset of lanes that left, by subgroup
        std::uint64_t away_until_continuing = no_place;
    };

    // lower.cpp, lower_workgroup.cpp
    void declare_kernel();
    void read_arguments();
    void lay_out_scratch();
    void over_workgroups();
    void one_workgroup();
    void guarded_or_not();
    std::optional<Ranges> ranges_of_subgroups() const;
    using Box = std::array<llvm::Value*, 3>;  // which one of the grid's
    Box subgroup_in_grid();
    void in_two_bodies(llvm::Value* all_hold, llvm::function_ref<void()> emit_body);
    llvm::Value* all_assumed(const Box& box);
    llvm::Value* range_value(const RangeExpression& expression, std::span<llvm::Value* const> before,
                             const Box& box);
    llvm::Value* range_limited(llvm::Value* value, const RangeExpression& expression);
    llvm::Value* entry_value(const RangeEntry& entry);
    std::optional<bool> decided(NodeId branch) const;
    void steps(const std::vector<PlanStep>& steps);
    void region(const PlanStep& step);
    void subgroup(const PlanStep& step, llvm::Value* stays);
    void find_local_ids();
    void find_mask();
    llvm::Value* per_subgroup(std::uint64_t at, std::uint64_t bytes);
    llvm::Value* record_of(NodeId kept);
    void restore_values(const PlanRegion& region);
    void keep_value(NodeId node);
    void leave_where_nobody_is(llvm::BasicBlock* way_out);
    void after_leaving(const JumpTarget& target);
    void arrive(llvm::BasicBlock* at);
    void start_private();
    void initialise_private(Home home);
    template <class EmitBody>
    void over_subgroups(EmitBody emit_body, llvm::Value* count = nullptr);
    struct BoundedIf {
        NodeId node;
        llvm::Value* bound;
        bool is_equality;
    };
    std::optional<BoundedIf> bounded_if(const PlanStep& step);
    void bounded_region(const BoundedIf& under, const PlanStep& step);
    bool is_local_index(NodeId value) const;
    std::uint64_t kept_stride(NodeId node) const;
    llvm::Value* one_of(const Lane& lane);
    llvm::BasicBlock* way_out(std::size_t targets);
    void construct_of_workgroup(const PlanStep& step);
    void if_of_workgroup(const PlanStep& step);
    void loop_of_workgroup(const PlanStep& step);
    bool is_short(NodeId loop) const;
    void set_unrolling(llvm::BranchInst* back, const std::string& how);
    void switch_of_workgroup(const PlanStep& step);
    void scope_of_workgroup(const PlanStep& step);
    JumpTarget workgroup_target(NodeId construct, llvm::BasicBlock* leave, llvm::BasicBlock* go_on);
    void clear_away(std::uint64_t at);
    void jump_of_workgroup(NodeId node);
    llvm::Value* decision(NodeId value);
    llvm::Value* slot_of_decision(NodeId value);
    std::uint64_t take_scratch(std::uint64_t bytes);
    std::uint32_t cost() const;

    // Types and small helpers.
    llvm::Type* scalar_type(Scalar scalar);
    llvm::Type* vector_type(Scalar scalar) { return vector_of(scalar_type(scalar)); }
    llvm::Type* vector_of(llvm::Type* element);
    llvm::Value* word(std::uint32_t value) { return b_.getInt32(value); }
    llvm::Value* as_vector(const Lane& lane);
    llvm::Value* as_vector(llvm::Value* scalar);
    llvm::Constant* lane_constants(std::span<const std::uint32_t> words);
    llvm::Constant* all_lanes() { return llvm::ConstantInt::getTrue(vector_of(b_.getInt1Ty())); }
    llvm::Constant* no_lanes() { return llvm::ConstantInt::getFalse(vector_of(b_.getInt1Ty())); }
    llvm::Value* both(llvm::Value* a,
                      llvm::Value* b);        // conjunction; null is true; scalars become vectors as needed
    llvm::Value* any(llvm::Value* mask);      // i1
    llvm::Value* bits_of(llvm::Value* mask);  // iW: one bit per lane
    llvm::Value* slot(llvm::Type* type, const char* name = "");  // an alloca in the entry block
    llvm::BasicBlock* block(const char* name);
    llvm::Value* offset_pointer(llvm::Value* base, llvm::Value* bytes);
    llvm::Value* offset_pointer(llvm::Value* base, std::uint64_t bytes) {
        return offset_pointer(base, b_.getInt64(bytes));
    }
    std::span<const TypeWord> words_of(TypeId type);

    // lower_value.cpp
    Lanes value(NodeId node);
    Lane word_of(NodeId node, std::uint64_t word);
    void evaluate(NodeId node);
    Lanes constant(NodeId node);
    Lanes builtin(NodeId node);
    Lanes componentwise(NodeId node);
    Lanes bitcast_of_words(NodeId node);
    Lanes part(NodeId node);
    Lanes dynamic_part(NodeId node);
    Lane shaped(Shape shape, llvm::Value* value) const;
    Lane fit(const Lane& lane, Shape shape);
    llvm::Value* index_valid(const Lane& index, llvm::Value* count);
    Lane reduced(NodeId node);

    // lower_subgroup.cpp
    Lanes ballot(NodeId node);
    Lanes shuffle(NodeId node);
    llvm::Value* permuted(llvm::Value* lanes, llvm::Value* from);

    // lower_variables.cpp
    struct VariableStorage {
        std::vector<llvm::Value*> slots;  // an alloca per word; empty: the variable is in memory
        llvm::Value* memory = nullptr;
        bool is_table = false;  // memory is a constant of the image
        bool kept = false;
        std::uint64_t kept_at = 0;  // offset in a subgroup's record
        std::uint32_t stride = 0;   // bytes from word to word
    };
    void lay_out_variables();
    void fetch_kept(VariableId variable);
    void put_kept(VariableId variable);
    std::map<std::uint32_t, bool> kept_variables(const PlanStep& step) const;
    void initialise(VariableId variable, NodeId value, bool divergent);
    void fill(VariableId variable, NodeId constant, std::uint64_t words, bool divergent);
    llvm::GlobalVariable* table(NodeId constant);
    llvm::Value* variable_memory(VariableId variable);
    llvm::Value* variable_address(VariableId variable, std::uint64_t word);
    Scalar variable_scalar(VariableId variable, std::uint64_t word);
    Lane read_variable(VariableId variable, std::uint64_t word);
    void write_variable(VariableId variable, std::uint64_t word, const Lane& lane, bool divergent);
    struct WordIndex {
        Lane words;
        llvm::Value* valid = nullptr;
    };
    WordIndex word_index(NodeId access, const Place& place);
    Lanes load_variable(NodeId node, const Place& place);
    void store_variable(NodeId node, const Place& place, const Lanes& lanes);
    llvm::Value* memory_form(llvm::Value* value);                // bool to i32
    llvm::Value* value_form(llvm::Value* value, Scalar scalar);  // the reverse, and that of host_form()
    llvm::Type* memory_type(Scalar scalar);
    Lane load_lane(llvm::Value* from, Scalar scalar, Shape shape);  // in its form in memory
    void store_lane(llvm::Value* to, llvm::Value* value);

    // lower_memory.cpp
    void load(NodeId node);
    void store(NodeId node);
    llvm::Value* start_of(const Place& place);
    Address address(NodeId access, const Place& place);
    std::uint32_t interleaved(const Address& address, std::span<const TypeWord> words) const;
    llvm::Value* span_is_inside(const Address& address, std::uint64_t bytes);
    Lanes load_interleaved(const Address& from, std::span<const TypeWord> words, std::uint32_t stride);
    bool store_interleaved(const Address& to, std::span<const TypeWord> words, const Lanes& lanes,
                           std::uint32_t stride);
    void prefetch_blocks();
    void prefetch_block(std::uint32_t variable, std::uint64_t offset, std::uint64_t bytes);
    void prefetch(const Place& place, const Address& address);
    bool is_here(NodeId value) const;
    void prefetch_ahead(const Address& address, llvm::Value* bytes, std::uint32_t locality);
    std::optional<llvm::Value*> change_per_turn(NodeId value, NodeId loop, int most_depth = 16);
    bool is_proven(NodeId access) const;
    Lane load_word(const Address& address, TypeWord word, Shape shape);
    void store_some(llvm::Value* value, const Address& to, TypeWord at, llvm::Value* mask);
    void store_word(const Address& address, TypeWord word, const Lane& lane);
    llvm::Value* lane_pointers(const Address& address, std::uint64_t byte);
    llvm::Value* length_of(VariableId binding);
    /// Marks an access with its variable's alias scope: different variables never overlap, as the
    /// driver refuses such bindings.
    template <class Instruction>
    Instruction* tagged(Instruction* access, VariableId variable) {
        access->setMetadata(llvm::LLVMContext::MD_alias_scope, alias_[variable.index]);
        access->setMetadata(llvm::LLVMContext::MD_noalias, no_alias_[variable.index]);
        return access;
    }
    bool is_consecutive(const Address& address, TypeWord word) const;
    llvm::Type* host_type(Scalar scalar);                       // of a scalar in WGSL's layout
    llvm::Value* host_form(llvm::Value* value, Scalar scalar);  // a value as host_type() has it

    // lower_in_lane.cpp
    bool is_cheap_in_lane(NodeId value, int& budget);
    bool is_computed_in_lanes(NodeId atomic);
    bool can_load_in_lane(NodeId load, int& budget);
    bool is_place_in_lane(const Place& place, int& budget);
    llvm::Value* in_lane(NodeId value, llvm::Value* lane);
    llvm::Value* load_in_lane(NodeId load, std::uint32_t word, llvm::Value* lane);
    llvm::Value* pointer_in_lane(const Place& place, llvm::Value* lane);

    // lower_atomic.cpp
    void atomic(NodeId node);
    void combined_atomic(NodeId node, const Address& to, const Lane& operand, llvm::Value* mask);
    std::vector<llvm::Value*> wide_lanes(llvm::Value* vector);
    llvm::Value* plain_atomic(NodeId node, const Address& to, const Lane& operand);
    void scattered_atomic(NodeId node, const Address& to, const Lane& operand);
    llvm::Value* spread(llvm::Value* vector, const char* name);
    llvm::Type* atomic_type(NodeId node);
    Lane atomic_operand(NodeId operand);
    void set_old(NodeId node, llvm::Value* old);
    llvm::Value* update(NodeId node, llvm::Value* pointer, llvm::Value* operand, llvm::Value* expected);
    bool is_used(NodeId node) const { return used_[node.index]; }

    // lower_control.cpp
    void run_block(BlockId id, llvm::BasicBlock* when_empty);
    void run_nodes(std::span<const NodeId> nodes, llvm::BasicBlock* when_empty);
    void run(NodeId node);
    void run_one(NodeId node);
    void if_(NodeId node);
    void one_loop(NodeId node);
    void switch_(NodeId node);
    void branch_to_case(llvm::Value* selector, std::span<const SwitchCase> cases, const JumpTarget& target);
    void mask_cases(llvm::Value* selected, std::span<const SwitchCase> cases, const JumpTarget& target);
    void run_case(BlockId id, llvm::Value* lanes, const JumpTarget& target, llvm::BasicBlock* next);
    void leave_switch(const JumpTarget& target, llvm::BasicBlock* next);
    void scope(NodeId node);
    void jump(NodeId node);
    void break_if(NodeId node);
    void end_construct(llvm::BasicBlock* end, llvm::Value* leave_mask, llvm::Value* before);
    void add_to_mask(llvm::Value* slot);
    llvm::Value* load_mask(llvm::Value* slot);
    llvm::Value* current_mask() { return mask_ ? mask_ : all_lanes(); }
    void mark_kept_in_slots(NodeId loop);
    void keep_in_slots(NodeId node);
    const JumpTarget& target_of(NodeId jump) const;
    bool is_cheap(BlockId id) const;
    bool is_built_twice(BlockId id) const;
    llvm::Value* all_take(NodeId branch);
    llvm::Value* holds_for_all(NodeId condition);
    void leave_region(NodeId jump, const JumpTarget* target);

    // lower_lane_loop.cpp
    bool is_loop_of_updates(NodeId loop);
    bool is_update_in_lane(NodeId atomic);
    bool is_uniform_access(NodeId node);
    void loop_of_updates(NodeId loop);
    void update_in_lane(NodeId atomic);

    // lower_whole_loop.cpp
    struct LeavingTest {
        std::size_t at;  // its if_, among the nodes of the loop's body
        NodeId stays;    // lanes for which this is false leave
    };
    std::optional<LeavingTest> leaving_test(NodeId loop) const;
    void whole_turns(NodeId loop, const LeavingTest& test);

    // lower_split_loop.cpp
    void loop(NodeId node);
    std::vector<std::set<llvm::Value*>> groups_of_sums(NodeId loop);
    std::vector<std::set<llvm::Value*>> grouped_by_loads(NodeId loop, std::vector<llvm::Value*> slots,
                                                         std::size_t count);

    llvm::LLVMContext& context_;
    const Program& program_;
    const TypeTable& types_;
    const LowerOptions& options_;
    const std::uint32_t width_;
    Plan plan_;
    LaneOffsets offsets_;
    LaneGeometry geometry_;
    Shapes shapes_;
    Ranges ranges_;
    NodeId taken_by_all_;           // an if_ that all lanes take in the code being built
    bool assumes_ = false;          // building the body that relies on all of ranges_'s conditions
    bool tests_subgroups_ = false;  // building a body in which each subgroup tests the conditions
    std::unique_ptr<llvm::Module> module_;
    std::optional<DebugInfo> debug_;  // if the options ask for it
    const Program& given_;
    std::vector<NodeId> given_nodes_;  // by node: the node in given_, if debug_ is set
    llvm::Function* function_ = nullptr;
    Builder b_;
    llvm::BasicBlock* entry_ = nullptr;
    llvm::Value* scratch_ = nullptr;
    std::uint64_t scratch_bytes_ = 0;

    std::vector<llvm::Value*> data_, bytes_, lengths_;  // by variable
    std::vector<std::uint64_t> workgroup_at_;           // by variable: offset in scratch
    std::vector<llvm::MDNode*> alias_, no_alias_;       // by variable
    std::array<llvm::Value*, 3> workgroup_{}, grid_{};
    llvm::Value* packed_now_ = nullptr;    // number of workgroups in this iteration
    std::array<llvm::Value*, 4> local_{};  // lane 0's local id and index
    llvm::Value* subgroup_ = nullptr;
    std::uint64_t record_bytes_ = 0, records_at_ = 0, returned_at_ = 0;
    std::map<std::uint32_t, std::uint64_t> kept_at_;   // by node: offset in a record
    std::map<std::uint32_t, llvm::Value*> decisions_;  // by node: slot
    bool keeps_returned_ = false;

    std::vector<Lanes> values_;                                    // by node
    std::map<std::uint32_t, std::vector<llvm::Value*>> slots_of_;  // by node: slots, see keep_in_slots()
    std::vector<VariableStorage> variable_storage_;
    std::set<llvm::Value*>
        unwritten_slots_;  // of variables that the code being built leaves as they are: see loop()
    std::map<std::uint32_t, llvm::GlobalVariable*> tables_;  // by constant
    std::vector<Stride> strides_;                            // by variable
    std::vector<bool> used_;                                 // by node: its value is an operand somewhere
    std::map<std::uint32_t, std::vector<TypeWord>> words_;   // by type
    std::vector<JumpTarget> targets_;
    llvm::BasicBlock* end_ = nullptr;  // end of the subgroup's iteration in a region
    llvm::BasicBlock* workgroup_end_ = nullptr;
    llvm::Value* mask_ = nullptr;
    std::vector<bool> kept_in_slots_;  // by node: see keep_in_slots()
    llvm::Value* lane_ = nullptr;      // the only one that atomic operations are built for; null: all of them
    std::set<NodeId> left_by_regions_;  // constructs of the workgroup's level
    bool reachable_ = true;             // true if control reaches the builder's position
    llvm::Constant* zeros_ = nullptr;
};

}  // namespace muster::cpu
