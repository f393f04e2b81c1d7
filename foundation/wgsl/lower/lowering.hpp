// lowering.hpp - a typed module and one entry point become a Program. Internal to foundation/wgsl/lower_*.cpp
// and wgsl.cpp.
//
// Functions are inlined where they are called. One whose only return is its last statement is simply its
// body; any other becomes a scope, left by break_, with its result in a variable; a return inside a loop or a
// switch of it sets a flag that is tested after each of those. `a && b` is evaluated whole (bit_and) where b
// is cheap and touches no memory but the invocation's own variables at constant places; else b stands in an
// if.
#pragma once

#include <unordered_map>
#include <vector>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/wgsl/resolve/typed.hpp>

namespace muster::wgsl {

class Lowering {
  public:
    /// Operations that the right side of && and || may have to be evaluated always.
    static constexpr std::uint32_t cheap_cost = 8;

    Lowering(const TypedModule& module, const TypedFunction& entry, const SourceFile& file);

    /// Throws Refusal for what only shows here: too many nodes, too much memory, bindings that collide,
    /// overrides without a value.
    Result<Program> run();

  private:
    using Expr = TypedExpression;

    struct Frame {
        const TypedFunction* function = nullptr;
        std::vector<NodeId> locals;  // values; of variables and pointers: places
        bool is_scope = false;
        NodeId result;                 // place of the result; of a simple function: its value
        NodeId returned;               // place of the flag
        std::uint32_t breakables = 0;  // loops and switches of this function around the statement
    };
    class Guard;

    // lower_function.cpp
    void bind_inputs();
    NodeId input(std::string_view builtin);
    NodeId call(const Expr& e);
    NodeId inlined(const Expr& e, std::vector<NodeId> arguments);
    NodeId global(const Global& global);
    void spend_memory(const Variable& variable);
    NodeId temporary(std::string_view name, TypeId type, NodeId initial = {});
    void spend(SourceLocation where);

    // lower_statement.cpp
    void block(const TypedBlock& block);
    void statement(const TypedStatement& s);
    void loop(const TypedStatement& s);
    void switch_statement(const TypedStatement& s);
    void return_statement(const TypedStatement& s);
    void leave_if_returned(const TypedStatement& s);

    // lower_expression.cpp
    NodeId value(const Expr& e);
    NodeId make(const Expr& e);
    NodeId place(const Expr& e);
    NodeId constant(const ConstValue& value);
    NodeId extract(NodeId composite, std::uint32_t which);
    NodeId compose(const Expr& e);
    NodeId logical(const Expr& e);
    NodeId atomic(const Expr& e);
    TypeId type(TypeRef type);

    const TypedModule& module_;
    const TypedFunction& entry_;
    IrBuilder ir_;
    Frame* frame_ = nullptr;
    std::uint32_t depth_ = 0;
    std::uint64_t spent_ = 0;
    std::uint64_t private_bytes_ = 0, workgroup_bytes_ = 0;
    const Expr* fixed_ = nullptr;  // the place of an update, evaluated once
    NodeId fixed_place_;
    std::vector<NodeId> globals_;
    std::vector<const Global*> bound_;
    std::unordered_map<TypeRef, TypeId> ir_types_;
    std::unordered_map<const void*, NodeId> large_constants_;
};

}  // namespace muster::wgsl
