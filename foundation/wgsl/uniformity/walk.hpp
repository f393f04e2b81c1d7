// walk.hpp - makes the graph of a function in one walk over its statements. Internal to this room.
//
// The names of control flow nodes in the source (CF, CF1, ...) are those of WGSL's section "Uniformity
// Rules for Statements". Where the text of WGSL leaves a program unsound or says nothing, the walk does
// what other implementations do:
//   - the result of an atomic function isn't uniform;
//   - a reduction over a subgroup is uniform over it whatever its arguments are;
//   - what a pointer that is passed to a function points to isn't uniform afterwards if control flow at the
//     call isn't, and keeps what it was if the pointer is to a part of a variable;
//   - what is read through a pointer depends on the pointer.
#pragma once

#include <vector>

#include <muster/foundation/analysis/ways.hpp>
#include <muster/foundation/wgsl/resolve/typed.hpp>
#include <muster/foundation/wgsl/uniformity/graph.hpp>
#include <muster/foundation/wgsl/uniformity/summary.hpp>
#include <muster/foundation/wgsl/uniformity/variables.hpp>

namespace muster::wgsl::uniformity {

/// True for a pointer to a function's variable.
inline bool points_to_variable(const Local& parameter) {
    return parameter.type->kind == Kind::pointer && parameter.type->space == AddressSpace::function;
}

/// The nodes of a function that have a meaning for its callers.
struct Interface {
    struct Parameter {
        Node value = no_node, contents = no_node;
        Node written = no_node;  // what a pointer to a function's variable points to when the function ends
    };
    Node start = no_node;   // control flow at the function's beginning
    Node result = no_node;  // of a function that returns a value
    std::vector<Parameter> parameters;
};

class Walk {
  public:
    Walk(const TypedFunction& function, const Summaries& summaries, Graph& graph);
    Interface run();

  private:
    using Expr = TypedExpression;
    using Block = Variables::Block;
    using Blocks = std::vector<Block>;

    /// The variable that a reference or a pointer leads to.
    struct Place {
        enum class Root : std::uint8_t { variable, pointed_to, global };
        Root root = Root::variable;
        const Local* local = nullptr;  // the variable, or the parameter that is the pointer
        const Global* global = nullptr;
        bool is_parameter = false;  // the variable is what a parameter points to
        bool is_partial = false;
        Node index = no_node;  // what the indices and offsets on the way depend on
        bool is_read_only = false;
    };
    /// A loop, switch or scope around the current statement: the blocks from which control flow leaves it.
    struct Target {
        bool is_loop = false;
        Blocks left{}, continued{};
    };

    // Statements (walk.cpp).
    void declare_parameters();
    Node input(const Local& parameter);
    Ways block(const TypedBlock& block);
    Ways statement(const TypedStatement& s);
    Ways if_statement(const TypedStatement& s);
    Ways loop(const TypedStatement& s);
    Ways switch_statement(const TypedStatement& s);
    void leave();
    void store(const Expr& reference, const Expr& value);

    // Expressions (walk_expression.cpp).
    Node value(const Expr& e);
    Node logical(const Expr& e);
    Node local(const Expr& e);
    Node load(const Expr& e);
    Node builtin_call(const Expr& e);
    Node workgroup_uniform_load(const Expr& e);
    Node user_call(const Expr& e);
    Node atomic(const Expr& e);
    Node all_of(const std::vector<Expr*>& operands);
    Place place(const Expr& e);
    Node pointer(const Place& place);
    Node contents(const Place& place, SourceLocation where);
    Node dependence(const Dependence& on, const std::vector<Node>& values, const std::vector<Node>& contents);
    void require(Node node, Requirement what) { graph_.require(node, what); }

    const TypedFunction& function_;
    const Summaries& summaries_;
    Graph& graph_;
    Variables variables_;
    Interface interface_;
    Node control_ = no_node;  // CF
    Block block_ = 0;
    std::vector<Node> values_;   // by local: of lets and parameters
    std::vector<Place> places_;  // by local: of lets that are pointers
    std::vector<Target> targets_;
    const Expr* stored_ = nullptr;  // left side of the assignment in progress, evaluated once
    Place stored_place_;
};

}  // namespace muster::wgsl::uniformity
