// lowering.hpp - the one walk that turns a program into SPIR-V. Internal to lower_*.cpp.
//
// A value is one id of its own type. A placed node's id is made at its position; constants are declared once,
// and built-in values are read once, before everything else. Variables stay variables: OpPhi is used only for
// guarded accesses and for loops and choices that the lowering adds itself.
//
// Files: lower.cpp (the module and its function), lower_interface.cpp (bindings, push constants, built-in
// values), lower_workgroup.cpp (zeroing), lower_large.cpp (arrays that loops zero and copy), lower_value.cpp,
// lower_memory.cpp, lower_atomic.cpp, lower_control.cpp, lower_watch.cpp (loops that the driver ends).
// Without the walk's state: lower_type, lower_operation, lower_math, builder, builder_hidden (constants that
// compilers mishandle), module, instructions, debug_lines, divergent_loops (loops that lavapipe mishandles),
// loop_iterations, large_arrays.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/backend-vulkan/lowering/builder.hpp>
#include <muster/backend-vulkan/lowering/debug_lines.hpp>
#include <muster/backend-vulkan/lowering/large_arrays.hpp>
#include <muster/backend-vulkan/lowering/loop_iterations.hpp>
#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/backend-vulkan/lowering/lower_operation.hpp>
#include <muster/backend-vulkan/lowering/lower_type.hpp>
#include <muster/backend-vulkan/lowering/module.hpp>
#include <muster/foundation/analysis/ranges/ranges.hpp>
#include <muster/foundation/ir/control_walk.hpp>

namespace muster::vulkan {

/// The targets of the jumps of a loop, a switch or a scope.
struct Jumps {
    Id leave = no_id;                      // target of break_
    Id go_on = no_id;                      // a loop's: target of continue_
    Id head = no_id;                       // a loop's header block
    bool left = false, continued = false;  // some branch goes to leave, to go_on
    // For a watched loop: its only exit; otherwise a variable that each exit sets to the number
    // of this entry of the loop.
    std::optional<LoopTest> guard;
    Id way_out = no_id, entry = no_id;
};

class Lowering final : ControlWalk<Jumps> {
  public:
    Lowering(const Program& program, const LowerTarget& target);
    Result<SpirvModule> run() &&;

  private:
    /// The SPIR-V variable of a program's variable.
    struct Root {
        Id variable = no_id;
        spv::StorageClass space = spv::StorageClass::Function;
        bool in_memory = false;  // has the layout of bindings
        std::optional<Word>
            member;  // of the Block `variable`; none if it is the variable itself, or a Block itself
    };
    struct Pointer {
        Id pointer = no_id;
        Id valid = no_id;  // a bool; no_id: always valid
        TypeId type;       // of the referenced value
        bool in_memory = false;
        spv::StorageClass space = spv::StorageClass::Function;
    };

    // lower.cpp
    void declare_entry_point();
    void declare_float_modes();
    Result<SpirvModule> finish();

    // lower_interface.cpp
    void declare_interface();
    void declare_grid_words();
    void declare_buffer(VariableId variable, std::uint32_t index);
    bool take_push_constant(VariableId variable);
    void declare_push_constants();
    Id global(spv::StorageClass space, Id type, Id initial = no_id);
    Id builtin(Builtin which);
    Id make_builtin(Builtin which);
    Id make_local_index();
    Id make_local_id();
    Id make_global_id();
    Id built_in_input(spv::BuiltIn which, TypeId type);
    Id grid_words(std::uint32_t member);
    Id grid_input();
    Id runtime_zero(Builder::Unknown which);
    bool uses(Builtin which) const { return used_builtins_[static_cast<std::size_t>(which)]; }

    // lower_workgroup.cpp
    void zero_workgroup_memory();
    void zero_elements(Id variable, TypeId type);
    void zero_by_first(std::span<const VariableId> variables);
    /// Emits for (index = first; index < end; index += step) { emit_body(index); };
    /// returns the index afterwards.
    Id count_up(Id first, std::uint32_t step, std::uint32_t end, const std::function<void(Id)>& emit_body,
                spv::LoopControlMask control = spv::LoopControlMask::MaskNone);

    // lower_large.cpp
    void zero_private_memory();
    std::optional<Pointer> lies_at(NodeId value);
    void keep_in_memory(NodeId node);
    bool fill_by_loops(const Pointer& to, NodeId stored, NodeId node);
    void fill(const Pointer& to, const Pointer* from, const std::string& where);  // `from` null: zeros
    void fill_part(const Pointer& to, const Pointer* from, TypeId type, std::vector<Word>& path,
                   const std::string& where);
    Pointer part_of(Pointer whole, TypeId type, std::span<const Word> path);
    Id load_part(const Pointer& from, TypeId type, std::span<const Word> path);

    // lower_value.cpp
    Id value(NodeId node);
    Id kept(NodeId node);  // for a variable, a choice or a composite: see hidden_constant()
    Id evaluate(NodeId node);
    Id componentwise(NodeId node);
    Id select(NodeId node);
    Id swizzle(NodeId node);
    Id subgroup_operation(NodeId node);
    Id extract_dynamic(NodeId node);
    Id dynamic_element(NodeId node, Id index);
    bool is_large_table(NodeId node) const;
    Id table(NodeId constant);
    Id copied(TypeId type, Id from, bool into_memory);
    void for_parts(TypeId type, const std::function<void(TypeId part, Word k)>& visit);
    /// The value that a pointer leads to, and storing one there; whether the pointer is
    /// valid is the caller's matter.
    Id read(const Pointer& from);
    void write(const Pointer& to, Id what);

    // lower_memory.cpp
    const Root& root(VariableId variable);
    Root make_root(VariableId variable);
    /// With `harmless`, an index out of bounds becomes zero in the pointer, so that it may be read.
    Pointer pointer_to(NodeId access, bool harmless);
    Id checked_index(NodeId access, NodeId reference, bool harmless, Id& valid);
    bool is_in_bounds(NodeId access, NodeId reference, std::uint32_t count) const;
    Id length_of(VariableId variable);
    void declare(NodeId node);
    Id load(NodeId node);
    void store(NodeId node);
    template <class Make>
    Id where_valid(const Pointer& at, TypeId type, Make make) {
        return at.valid == no_id ? make() : builder_.guarded(at.valid, type, make);
    }

    // lower_atomic.cpp
    Id atomic(NodeId node);
    Id update(NodeId node, Id pointer);
    void barrier(NodeId node);
    void control_barrier(spv::MemorySemanticsMask memory);

    // lower_watch.cpp
    Result<void> decide_on_loops();
    void declare_report();
    void enter_watched(NodeId node, Jumps& loop);
    void begin_iteration(const Jumps& loop);
    void leave_watched(const Jumps& loop);
    bool is_steady(NodeId node, int& left);
    Id again(NodeId node, NodeId loop);
    Id was_ended(NodeId node, const Jumps& loop);
    void check_ended(NodeId node, const Jumps& loop);
    void check_ended(Id reached, std::uint32_t end, const std::string& where);  // after a loop that counts up
    void note_if_ended(Id ended, std::string where);
    std::string place_of(NodeId node) const;
    void report();

    // lower_control.cpp
    bool enter(NodeId node) override;
    void operation(NodeId node) override;
    void if_(NodeId node, BlockId then, BlockId otherwise) override;
    void loop(NodeId node, BlockId body, BlockId continuing) override;
    void switch_(NodeId node) override;
    void scope(NodeId node, BlockId body) override;
    void break_(NodeId node, Jumps& from) override;
    void continue_(NodeId node, Jumps& loop) override;
    void break_if(NodeId node, Jumps& loop) override;
    void return_(NodeId node) override;
    bool branch_block(Id label, BlockId id, Id after);
    void begin_merge(Id label, bool is_reached);
    void leave_function();
    void selection_merge(Id label);

    const Program& program_;
    const LowerTarget& target_;
    const bool subgroups_;  // the program uses subgroups
    Module module_;
    Types types_;
    DebugLines lines_;
    Builder builder_;
    Ranges ranges_;
    Loops loops_;
    std::vector<bool> divergent_loops_;  // by node
    LargeArrays large_;

    Id function_ = no_id, entry_label_ = no_id;
    std::vector<Id> globals_, inputs_;        // variables outside the function; the inputs among them
    std::vector<Id> values_;                  // by node
    std::vector<Id> memories_;                // by node: memory of values that are kept there
    std::map<std::uint32_t, Id> tables_;      // by node: memory of constant arrays
    std::vector<Id> lengths_;                 // by variable: of its run-time array
    std::vector<std::optional<Root>> roots_;  // by variable
    std::array<Id, builtin_count> builtins_{};
    Id grid_input_ = no_id;  // Vulkan's built-in NumWorkgroups
    std::array<bool, builtin_count> used_builtins_{};
    bool in_continuing_ = false;  // true in a continuing block and within
    bool too_large_ = false;      // a value has too many parts for one instruction

    std::shared_ptr<WatchedLoops> watched_;  // null if no loop is watched
    Id report_ = no_id;                      // the report's binding
    Id entries_ = no_id, ended_ = no_id;     // variables: count of loop entries; number of an ended loop

    std::vector<SpirvBinding> bindings_;
    struct PushMember {
        Id type = no_id;
        std::uint32_t offset = 0;
    };
    std::vector<PushMember> push_members_;
    std::uint32_t push_bytes_ = 0;
    std::optional<std::uint32_t> origin_member_, grid_member_;
    Id push_constants_ = no_id;
};

}  // namespace muster::vulkan
