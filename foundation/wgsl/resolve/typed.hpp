// typed.hpp - a resolved WGSL module: the interface between the resolver and lowering.
//
// Names are bound, types known, conversions applied and const-expressions evaluated. Neither the resolver nor
// lowering depends on the other.
//
// References and pointers are the same here: "reference" means both. `&x` and `*p` leave no trace. Loads are
// explicit. Memory: nodes live in the TypedModule's arena. Threads: plain data.
#pragma once

#include <deque>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/wgsl/parse/fault.hpp>
#include <muster/foundation/wgsl/resolve/const_value.hpp>
#include <muster/foundation/wgsl/resolve/functions.hpp>
#include <muster/foundation/wgsl/resolve/types.hpp>

namespace muster::wgsl {

/// When an expression's value becomes known.
enum class Stage : std::uint8_t { constant, override_, runtime };

struct TypedFunction;
struct TypedBlock;

/// A let, var or parameter of a function.
struct Local {
    std::string_view name;
    SourceLocation where;
    TypeRef type = nullptr;  // a var's store type
    bool is_variable = false;
    std::uint32_t index = 0;  // within its function
};

/// A module-scope var.
struct Global {
    std::string_view name;
    SourceLocation where;
    TypeRef type = nullptr;
    AddressSpace space = AddressSpace::private_;
    Access access = Access::read_write;
    /// In the address space immediate: a uniform at the first free binding of group 0.
    bool is_immediate = false;
    std::uint32_t group = 0, binding = 0;
    struct TypedExpression* initial = nullptr;  // private; null: zero
    std::uint32_t index = 0;
};

// clang-format off
enum class ExpressionForm : std::uint8_t {
    constant,       // constant
    unset_override, // name: an override without a value; a fault where the entry point needs it
    local,          // local: a let's or a parameter's value; a reference where the type is a pointer
    local_reference,    // local: a var
    global_reference,   // global
    index_reference,    // {reference, index}
    member_reference,   // {reference}, index
    load,           // {reference}
    extract,        // {value}, index: a component, element or member
    extract_dynamic,// {value, index}
    swizzle,        // {value}, components
    unary,          // {a}, op
    binary,         // {a, b}, op
    logical_and,    // {a, b}
    logical_or,     // {a, b}
    convert,        // {a}: to the type's scalar
    bitcast,        // {a}: to the type's scalar
    splat,          // {scalar}
    compose,        // components of any width to a vector; elements; members
    builtin_call,   // call, operands
    user_call,      // callee, operands
    array_length,   // {reference}
    buffer_view,    // {pointer, offset} or {pointer, offset, size}: a pointer, or a reference if is_reference
    buffer_length,  // {pointer}
    atomic,         // {reference, value} or {reference} or {reference, expected, value}, op
    barrier,        // op, name
    grid_barrier,   // grid_barrier.hpp
    grid_uniform_load,  // {reference}
    workgroup_uniform_load,  // {reference}
};
// clang-format on

struct TypedExpression {
    ExpressionForm form = ExpressionForm::constant;
    Stage stage = Stage::runtime;
    Op op = Op::add;
    bool is_reference = false;  // a reference; uses of its value load from it
    bool may_diverge =
        false;  // a subgroup function: control flow needn't be uniform (subgroup_uniformity is off)
    bool is_cheap =
        false;  // may be evaluated speculatively: few operations, no faults, no memory other than locals
    AddressSpace space = AddressSpace::function;  // of the reference
    Access access = Access::read_write;           // of the reference
    std::uint32_t index = 0;
    std::uint32_t cost = 0;  // approximate number of operations
    /// The value's type. A reference has its store type if is_reference, otherwise its pointer type.
    TypeRef type = nullptr;
    SourceLocation where;
    std::string_view name;
    std::vector<std::uint8_t> components;
    std::vector<TypedExpression*> operands;
    ConstValue constant;
    const Local* local = nullptr;
    Global* global = nullptr;
    const TypedFunction* callee = nullptr;
    const FunctionCall* call = nullptr;

    bool is_known() const { return form == ExpressionForm::constant; }
};

// clang-format off
enum class StatementForm : std::uint8_t {
    block,       // body
    declare,     // local, a: initial value or null
    let,         // local, a
    store,       // reference a, b
    update,      // reference a, b: a = a op b
    evaluate,    // a, for its effects
    if_,         // a; body, otherwise (may be null)
    loop,        // a: condition at the top or null; body; continuing or null; b: break if or null
    switch_,     // a; cases
    break_, continue_,
    return_,     // a or null
};
// clang-format on

struct TypedCase {
    std::vector<std::uint32_t> selectors;
    bool is_default = false;
    TypedBlock* body = nullptr;
};

struct TypedStatement {
    StatementForm form = StatementForm::block;
    Op op = Op::add;
    SourceLocation where;
    TypedExpression* a = nullptr;
    TypedExpression* b = nullptr;
    const Local* local = nullptr;
    TypedBlock* body = nullptr;
    TypedBlock* otherwise = nullptr;
    TypedBlock* continuing = nullptr;
    std::vector<TypedCase> cases;
    bool has_return = false;      // contains a return
    bool leaves_by_test = false;  // only the condition leaves it
};

struct TypedBlock {
    std::vector<TypedStatement> statements;
};

/// The built-in values of one parameter of an entry point.
struct EntryInput {
    const Local* parameter = nullptr;
    std::vector<std::string_view> builtins;  // one, or one for each member of a structure
};

struct TypedFunction {
    std::string_view name;
    SourceLocation where;
    std::vector<const Local*> parameters;
    TypeRef result = nullptr;
    TypedBlock* body = nullptr;
    std::uint32_t locals = 0;
    std::uint32_t returns = 0;    // number of return statements
    bool returns_last = false;    // there is no return, or only the body's last statement is one
    bool returns_inside = false;  // a loop or switch contains a return
    bool must_use = false;
    bool is_entry = false;   // a compute entry point
    std::string_view stage;  // an entry point's: compute, vertex or fragment
    Extent3 workgroup_size;
    std::uint32_t subgroup_size = 0;  // @subgroup_size; 0: none
    std::vector<EntryInput> inputs;
    std::vector<const TypedFunction*> callees;
    std::vector<const Global*> globals;  // module-scope variables that its code names
    /// Unsupported features in the function: faults of every entry point that reaches it.
    std::vector<Fault> unsupported;
};

struct TypedOverride {
    std::string_view name;
    std::optional<std::uint16_t> id;
    TypeRef type = nullptr;
    bool has_default = false;
    SourceLocation where;
};

struct TypedModule {
    std::pmr::monotonic_buffer_resource
        memory;  // of the deques: all that they hold stays until the module ends
    Types types;
    std::pmr::deque<TypedExpression> expressions{&memory};
    std::pmr::deque<TypedBlock> blocks{&memory};
    std::pmr::deque<Local> locals{&memory};
    std::pmr::deque<Global> globals{&memory};
    std::pmr::deque<TypedFunction> functions{&memory};
    std::pmr::deque<FunctionCall> calls{&memory};
    std::vector<TypedOverride> overrides;  // in the text's order
    std::vector<std::pair<std::string_view, TypeRef>> aliases;
    /// True if it calls functions that need uniform control flow, and no filter turns the proof off.
    bool needs_uniformity = false;
    /// Faults of overrides without a value that determine a size. They matter when a program is made, not
    /// when the text is only inspected.
    std::vector<Fault> unset;
};

}  // namespace muster::wgsl
