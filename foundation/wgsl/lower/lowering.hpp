// lowering.hpp - lowers a typed module and one entry point to a Program. Internal to foundation/wgsl.
//
// Functions are inlined where they are called. A function whose only return is its last statement is inlined
// as its body; any other becomes a scope, left by break_, with its result in a variable. A return inside a
// loop or switch of such a function sets a flag that is tested after each of them. `a && b` evaluates both
// sides (bit_and) if b is cheap and accesses no memory other than the invocation's own variables, without
// dynamic indices; otherwise b is evaluated in an if.
//
// A buffer is an array of words. What views of it load and store is written with loads and
// stores of words (view.hpp).
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/wgsl/lower/view.hpp>
#include <muster/foundation/wgsl/resolve/typed.hpp>

namespace muster::wgsl {

class Lowering {
  public:
    /// Most operations that the right side of && and || may have to be evaluated unconditionally.
    static constexpr std::uint32_t cheap_cost = 8;

    using Buffers = std::unordered_set<const Global*>;

    /// `atomics`: buffers whose words become atomics.
    Lowering(const TypedModule& module, const TypedFunction& entry, const SourceFile& file,
             Buffers atomics = {});

    /// Throws Refusal for faults that only show here: too many nodes, too much memory, colliding bindings,
    /// overrides without a value.
    Result<Program> run();
    /// Buffers with stores of half a word, whose words aren't atomics. run() leaves these stores out: if
    /// there are any, its program is wrong. Lower again, with these buffers as atomics.
    const Buffers& halved() const { return halved_; }

  private:
    using Expr = TypedExpression;

    struct Frame {
        const TypedFunction* function = nullptr;
        std::vector<Place> locals;  // values; for variables and pointers, places
        bool is_scope = false;
        NodeId result;                 // reference to the result; if !is_scope, its value
        NodeId returned;               // reference to the flag
        std::uint32_t breakables = 0;  // loops and switches of this function around the current statement
    };
    class Guard;

    // lower_function.cpp
    void bind_inputs();
    NodeId input(std::string_view builtin);
    NodeId call(const Expr& e);
    NodeId inlined(const Expr& e, std::vector<Place> arguments);
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
    /// The value, or where the pointer points.
    Place operand(const Expr& e) { return e.type->kind == Kind::pointer ? place(e) : Place(value(e)); }
    Place place(const Expr& e);
    NodeId reference(const Expr& e) { return place(e).node; }
    NodeId load(const Place& from);
    void store(const Place& to, NodeId value);
    NodeId constant(const ConstValue& value);
    NodeId extract(NodeId composite, std::uint32_t which);
    NodeId compose(const Expr& e);
    NodeId logical(const Expr& e);
    NodeId atomic(const Expr& e);
    TypeId type(TypeRef type);

    // lower_view.cpp
    View view(const Expr& e);
    NodeId buffer_bytes(const View& buffer);
    static View member(const View& view, std::uint32_t which);
    View element(const View& view, NodeId index);
    View element_at(const View& view, NodeId index);  // of a u32 within bounds

    // lower_view_access.cpp
    class ViewAccess;
    NodeId load_view(const View& from);
    void store_view(const View& to, NodeId value);
    NodeId word_of_view(const View& view);

    const TypedFunction& entry_;
    IrBuilder ir_;
    Frame* frame_ = nullptr;
    std::uint32_t depth_ = 0;
    std::uint64_t spent_ = 0;
    std::uint64_t private_bytes_ = 0, workgroup_bytes_ = 0;
    const Expr* fixed_ = nullptr;  // left side of the compound assignment in progress, evaluated once
    Place fixed_place_;
    std::vector<NodeId> globals_;
    std::vector<const Global*> bound_;
    Buffers atomics_, halved_;
    std::unordered_map<TypeRef, TypeId> ir_types_;
    std::unordered_map<const void*, NodeId> large_constants_;
};

}  // namespace muster::wgsl
