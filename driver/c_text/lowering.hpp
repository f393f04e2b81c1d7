// lowering.hpp - the walk that lowers a program to a language of C's family. Internal to this room.
//
// A value that is used once, in the same source line, is written inline; any other becomes a const local. An
// inline value that reads memory has to read it as of its own position: before anything writes that memory,
// the value becomes a local after all. Variables stay variables.
//
// Files: lower.cpp (the kernel), interface.cpp (bindings, built-in values), workgroup.cpp, value.cpp,
// memory.cpp, atomic.cpp, control.cpp. Without the walk's state: types, literal, operations, math,
// expression, prelude, names, syntax, writer, uses.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <muster/driver/c_text/lower.hpp>
#include <muster/driver/c_text/operations.hpp>
#include <muster/driver/c_text/uses.hpp>
#include <muster/driver/c_text/writer.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/analysis/ranges/ranges.hpp>
#include <muster/foundation/ir/control_walk.hpp>

namespace muster::c_text {

class Lowering final : public Kernel, ControlWalk<std::monostate> {
  public:
    Lowering(const Program& program, Dialect& dialect, const Request& request);
    Text run() &&;

    const Program& program() const override { return program_; }
    std::string unique_name(std::string_view name) override { return names_.unique_name(name); }
    const std::string& name(VariableId variable) const override { return roots_[variable.index].name; }
    const std::string& type_name(TypeId type) override { return types_.name(type); }
    std::uint32_t align(TypeId type) const override { return types_.align(type); }
    std::string_view call(std::string_view function) override { return prelude_.call(function); }
    void line(std::string text) override { writer_.line(std::move(text)); }
    bool uses(Builtin which) const override;
    std::string invocation_index() const override;

  private:
    /// Text of a program's variable.
    struct Root {
        std::string name;         // the variable, or a pointer to it
        bool is_pointer = false;  // to the variable, or to a run-time array's first element
        std::string array =
            {};  // structure that ends in a run-time array: pointer to the array's first element
        std::string length = {};   // elements of the run-time array
        bool is_declared = false;  // declared earlier: its declaration becomes an assignment
    };
    /// A reference's text. It may be accessed only while `guard` is true; an empty guard is always true.
    struct AccessText {
        Expression at;
        std::string guard;
        bool never = false;  // a constant index is out of bounds
    };

    // interface.cpp
    void declare_bindings();
    void declare_array(VariableId variable);
    void declare_builtins();
    std::string builtin_text(Builtin which);
    std::string subgroup_value(Builtin which) const;
    std::string local_id(char axis) const;

    // workgroup.cpp
    void declare_workgroup_memory();
    void zero_workgroup(VariableId variable);

    // value.cpp
    Expression value(NodeId node);
    std::string text(NodeId node) { return value(node).text; }
    /// Text short enough to repeat: a name or literal. Makes a local if needed.
    std::string short_text(NodeId node);
    Expression evaluate(NodeId node);
    Expression constant(NodeId node);
    Expression composite(NodeId node);
    Expression extract(NodeId node);
    Expression extract_dynamic(NodeId node);
    std::string as_unsigned(NodeId index, const std::string& index_text) const;
    Expression swizzle(NodeId node);
    Expression select(NodeId node);
    Expression componentwise(NodeId node);
    void compute(NodeId node);
    /// Makes the value a local at this point.
    void keep(NodeId node, const Expression& made);
    /// Removes the statement's operands from waiting_: they are part of its text now.
    void used_by(NodeId statement);
    void keep_all_that_read(VariableId written);
    void keep_all_that_read_memory();
    template <class Reads>
    void keep_if_reads(Reads reads);

    // memory.cpp
    Root& root(VariableId variable) { return roots_[variable.index]; }
    AccessText reference_text(NodeId access, NodeId reference);
    void step_into(AccessText& at, NodeId access, NodeId reference);
    std::string index(AccessText& at, NodeId access, NodeId reference, const std::string& length);
    bool is_in_bounds(NodeId access, NodeId reference) const;
    Expression load(NodeId node);
    void declare(NodeId node);
    void store(NodeId node);
    Expression load_component(NodeId node);
    void store_component(NodeId node, const std::string& what);
    bool is_component_of_local(NodeId reference) const;
    /// Qualifiers of a pointer into the variable, each with a space behind it.
    std::string qualifiers(VariableId variable) const;
    void declare_privates();
    void begin(VariableId variable, const std::string& initial);
    void name_variables();

    // atomic.cpp
    void atomic(NodeId node);
    void grid_uniform_load(NodeId node);
    void subgroup_operation(NodeId node);
    bool is_followed_by_load(NodeId node) const;
    void grid_barrier();
    void keep_guarded(NodeId node, const AccessText& at, const std::string& called);

    // control.cpp
    bool enter(NodeId node) override;
    void operation(NodeId node) override;
    std::vector<Line> nested(BlockId id);
    void if_(NodeId node, BlockId then, BlockId other) override;
    void leave_if(NodeId node, bool then_leaves);
    void otherwise(BlockId id);
    bool is_lone_break(BlockId block) const;
    bool ends_in_jump(BlockId block) const;
    void loop(NodeId node, BlockId body, BlockId continuing) override;
    void declare_ahead(const Uses::Shared& shared);
    void place_loop(NodeId node, std::vector<Line> body, std::vector<Line> next, bool keeps);
    bool has_effect(NodeId loop) const;
    void switch_(NodeId node) override;
    void scope(NodeId node, BlockId body) override;
    void break_(NodeId node, std::monostate& from) override;
    void continue_(NodeId node, std::monostate& loop) override;
    void break_if(NodeId node, std::monostate& loop) override;
    void return_(NodeId node) override;

    const Program& program_;
    Dialect& dialect_;
    const Request& request_;
    Syntax syntax_;
    Names names_;
    Prelude prelude_;
    Types types_;
    Operations operations_;
    Uses uses_;
    Loops loops_;
    Ranges ranges_;
    Writer writer_;

    std::vector<std::optional<Expression>> values_;  // by node
    std::vector<std::string> ahead_;                 // by node: the local that was declared before a loop
    std::vector<NodeId> waiting_;                    // values that read memory and aren't written yet
    std::vector<std::vector<VariableId>> reads_;     // by node: variables that a waiting value reads
    std::vector<Root> roots_;                        // by variable
    std::array<std::string, builtin_count> builtins_;
    bool meets_again_ = false;  // a barrier is due after the last of several grid_uniform_loads
    std::uint32_t labels_ = 0;
};

}  // namespace muster::c_text
