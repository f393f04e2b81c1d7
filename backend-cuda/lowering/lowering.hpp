// lowering.hpp - the walk that lowers a program to CUDA C++. Internal to lower_*.cpp.
//
// A value that is used once, in the same source line, is written inline; any other becomes a const local. An
// inline value that reads memory has to read it as of its own position: before anything writes that memory, the
// value becomes a local after all. Variables stay variables.
//
// Files: lower.cpp (the kernel), lower_interface.cpp (parameters, built-in values), lower_workgroup.cpp (shared
// memory), lower_grid.cpp, lower_value.cpp, lower_memory.cpp, lower_atomic.cpp, lower_control.cpp. Without the
// walk's state: lower_type, lower_literal, lower_operation, lower_math, expression, prelude, names, writer,
// uses.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/backend-cuda/lowering/expression.hpp>
#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/backend-cuda/lowering/lower_operation.hpp>
#include <muster/backend-cuda/lowering/lower_type.hpp>
#include <muster/backend-cuda/lowering/uses.hpp>
#include <muster/backend-cuda/lowering/writer.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/analysis/ranges/ranges.hpp>

namespace muster::cuda {

class Lowering {
  public:
    Lowering(const Program& program, const LowerTarget& target);
    Result<CudaSource> run() &&;

  private:
    /// C++ form of a program's variable.
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
    /// An enclosing construct that C++'s `break` or `continue` applies to. The stack's innermost is last.
    struct Construct {
        NodeId node;
        bool is_loop = false;
    };

    // lower.cpp
    std::string head() const;
    std::string signature() const;

    // lower_interface.cpp
    void declare_interface();
    void declare_storage(VariableId variable);
    void declare_uniform(VariableId variable, bool by_value);
    void declare_array(VariableId variable, const std::string& constant);
    void declare_grid();
    void declare_builtins();
    std::string builtin_text(Builtin which) const;
    std::uint32_t add_parameter(std::string text, std::uint64_t bytes, std::uint32_t align);
    bool uses(Builtin which) const;
    std::uint64_t bytes_by_value() const;

    // lower_workgroup.cpp
    void declare_workgroup_memory();
    void declare_dynamic(VariableId variable, std::uint64_t& offset);
    void zero_shared(VariableId variable);
    std::string invocation_index() const;

    // lower_grid.cpp
    static constexpr std::uint32_t running_bytes = 4;
    void declare_grid_barrier();
    void declare_running();
    void grid_barrier();
    void leave_grid();
    void grid_uniform_load(NodeId node);
    bool is_followed_by_load(NodeId node) const;

    // lower_value.cpp
    Expression value(NodeId node);
    std::string text(NodeId node) { return value(node).text; }
    /// Text short enough to repeat: a name or literal. Makes a local if needed.
    std::string short_text(NodeId node);
    Expression evaluate(NodeId node);
    Expression constant(NodeId node);
    Expression composite(NodeId node);
    Expression extract(NodeId node);
    Expression extract_dynamic(NodeId node);
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

    // lower_memory.cpp
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
    std::string address(const AccessText& at) const;
    void declare_privates();
    void begin(VariableId variable, const std::string& initial);
    void name_variables();

    // lower_atomic.cpp
    void atomic(NodeId node);
    std::string update(NodeId node, const std::string& address);

    // lower_control.cpp
    void block(BlockId id);
    void run(NodeId node);
    std::vector<Line> nested(BlockId id);
    void if_(NodeId node);
    void leave_if(NodeId node, bool then_leaves);
    void otherwise(BlockId id);
    bool is_lone_break(BlockId block) const;
    bool ends_in_jump(BlockId block) const;
    void loop(NodeId node);
    void declare_ahead(const Uses::Shared& shared);
    void place_loop(NodeId node, std::vector<Line> body, std::vector<Line> next, bool keeps);
    bool has_effect(NodeId loop) const;
    void switch_(NodeId node);
    void scope(NodeId node);
    void jump(NodeId node);
    template <class Write>
    void within(NodeId node, bool is_loop, Write write) {
        constructs_.push_back({node, is_loop});
        write();
        constructs_.pop_back();
    }

    const Program& program_;
    const LowerTarget& target_;
    Names names_;
    Prelude prelude_;
    Types types_;
    Operations operations_;
    Uses uses_;
    Loops loops_;
    Ranges ranges_;
    Writer writer_;
    CudaSource result_;

    std::vector<std::string> parameters_;            // declarations
    std::vector<std::optional<Expression>> values_;  // by node
    std::vector<std::string> ahead_;                 // by node: the local that was declared before a loop
    std::vector<NodeId> waiting_;                    // values that read memory and aren't written yet
    std::vector<std::vector<VariableId>> reads_;     // by node: variables that a waiting value reads
    std::vector<Root> roots_;                        // by variable
    bool shares_memory_ = false;  // the program has barriers, so invocations see what others write
    std::array<std::string, builtin_count> builtins_;
    std::string origin_, grid_;
    std::string barrier_state_;  // empty: the program has no grid barriers
    std::string running_;        // empty: no invocation returns before a grid barrier
    bool meets_again_ = false;   // a barrier is due after the last of several grid_uniform_loads
    std::vector<Construct> constructs_;
    std::uint64_t constant_bytes_ = 0;  // used by tables in constant memory
    std::uint32_t labels_ = 0;
};

}  // namespace muster::cuda
