// ast.hpp - the syntax tree of a WGSL text, before names are resolved.
//
// Flat vectors and 32-bit ids, as in the IR: cheap to make, walk and destroy at any depth. The parser refuses
// trees deeper than the limits in parser.hpp, so recursive walks are safe. Names and literals are views of
// the text, which the module keeps alive. Types are expressions: `array<vec4<f32>, 16>` is an identifier
// with template arguments.
//
//     for (const ast::Declaration& each : module.declarations)
//         if (each.kind == ast::DeclarationKind::function)
//             lower(module, module.functions[each.index]);
//
// Threads: plain data. Source: WGSL sections "Textual Structure" to "Functions".
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <muster/foundation/base/source.hpp>

namespace muster::wgsl::ast {

/// Index into one of the module's vectors; none if an optional part is absent.
template <class Thing>
struct Id {
    std::uint32_t index = UINT32_MAX;
    constexpr auto operator<=>(const Id&) const = default;
    constexpr explicit operator bool() const { return index != UINT32_MAX; }
};
/// Consecutive entries of one of the module's vectors.
template <class Thing>
struct Range {
    std::uint32_t first = 0, count = 0;
};

struct Expression;
struct Statement;
using ExpressionId = Id<Expression>;
using StatementId = Id<Statement>;

enum class UnaryOp : std::uint8_t { negate, logical_not, complement, dereference, address_of };

// clang-format off
enum class BinaryOp : std::uint8_t {
    add, subtract, multiply, divide, remainder,
    bit_and, bit_or, bit_xor, shift_left, shift_right,
    equal, not_equal, less, less_equal, greater, greater_equal,
    logical_and, logical_or,
};

/// The kinds of operators, by what they do with two operands of one type.
enum class BinaryKind : std::uint8_t { arithmetic, bitwise, shift, equality, order, logic };
constexpr BinaryKind kind(BinaryOp op) {
    using enum BinaryOp;
    switch (op) {
        case add: case subtract: case multiply: case divide: case remainder: return BinaryKind::arithmetic;
        case bit_and: case bit_or: case bit_xor: return BinaryKind::bitwise;
        case shift_left: case shift_right: return BinaryKind::shift;
        case equal: case not_equal: return BinaryKind::equality;
        case less: case less_equal: case greater: case greater_equal: return BinaryKind::order;
        case logical_and: case logical_or: break;
    }
    return BinaryKind::logic;
}
constexpr bool is_comparison(BinaryOp op) {
    return kind(op) == BinaryKind::equality || kind(op) == BinaryKind::order;
}

/// The fields of Expression that each kind uses, and what `where` points to:
enum class ExpressionKind : std::uint8_t {
    identifier,     // name; list: template arguments, has_template.   where: the name
    bool_literal,   // integer: 0 or 1.                                where: the literal
    int_literal,    // name: as written; integer, suffix
    float_literal,  // name: as written; number, suffix
    unary,          // unary, a                                        where: the operator
    binary,         // binary, a, b                                    where: the operator
    call,           // a: the callee, an identifier; list: arguments   where: the callee
    index,          // a[b]                                            where: the bracket
    member,         // a.name: a structure's member or a swizzle       where: the name
};
// clang-format on

/// Parentheses leave no trace. A literal's value has been checked against its type: integers without a suffix
/// fit i64, with one i32 or u32; floats are the nearest f64, with suffix `f` the nearest f32 (rounded once,
/// from the text), with `h` the nearest f64 within f16's range.
struct Expression {
    ExpressionKind kind = ExpressionKind::identifier;
    UnaryOp unary = UnaryOp::negate;
    BinaryOp binary = BinaryOp::add;
    char suffix = 0;  // of a literal: Number::suffix
    bool has_template = false;
    std::uint16_t depth = 1;  // height of the tree below, including this level
    SourceLocation where;
    std::uint32_t begin = 0, end = 0;  // the bytes of the text that it is written in
    std::string_view name;
    ExpressionId a, b;
    Range<ExpressionId> list;
    union {
        std::uint64_t integer = 0;
        double number;
    };
};

/// `@name(arguments)`. The argument of @builtin is an identifier; the rule `a.b` of @diagnostic is a member
/// expression.
struct Attribute {
    std::string_view name;
    SourceLocation where;  // the @
    Range<ExpressionId> arguments;
};

enum class VariableKind : std::uint8_t { const_, override_, let, var };

/// `@attributes var<templates> name : type = initial`, at module scope and in functions.
struct Variable {
    VariableKind kind = VariableKind::var;
    std::string_view name;
    SourceLocation where;  // the name
    Range<Attribute> attributes;
    Range<ExpressionId> templates;  // var: address space, access mode
    ExpressionId type;              // none: inferred
    ExpressionId initial;           // none: zero
};

// clang-format off
/// The fields of Statement that each kind uses; `where` is the first token after the attributes:
enum class StatementKind : std::uint8_t {
    compound,          // statements
    variable,          // variable
    assign,            // a = b
    compound_assign,   // a op= b
    phony_assign,      // _ = b
    increment,         // a++
    decrement,         // a--
    call,              // a: a call expression
    const_assert,      // a
    if_,               // a: condition; body; otherwise: a compound, an if_, or none
    switch_,           // a: selector; cases, exactly one of which is the default
    loop,              // body; continuing: a compound or none
    for_,              // init: or none; a: condition or none; update: or none; body
    while_,            // a: condition; body
    break_,
    break_if,          // a: condition; only as the last statement of a continuing compound
    continue_,
    return_,           // a: value or none
    discard,
};
// clang-format on

struct Case;

struct Statement {
    StatementKind kind = StatementKind::compound;
    BinaryOp op = BinaryOp::add;
    SourceLocation where;
    SourceLocation end;  // compound: the closing brace
    Range<Attribute> attributes;
    Range<Attribute> body_attributes;  // switch, loop: those before the brace
    ExpressionId a, b;
    StatementId init, update, body, otherwise, continuing;
    Range<StatementId> statements;
    Range<Case> cases;
    Id<Variable> variable;
};

/// A clause `case 1, 2, default: { ... }` or `default: { ... }`.
struct Case {
    SourceLocation where;
    Range<ExpressionId> selectors;
    bool is_default = false;  // `default` alone, or among the selectors
    StatementId body;
};

/// A member of a structure or a parameter of a function.
struct Field {
    std::string_view name;
    SourceLocation where;  // the name
    Range<Attribute> attributes;
    ExpressionId type;
};

struct Structure {
    std::string_view name;
    SourceLocation where;  // the name
    Range<Field> members;
};

struct Alias {
    std::string_view name;
    SourceLocation where;  // the name
    ExpressionId type;
};

struct Function {
    std::string_view name;
    SourceLocation where;  // the name
    Range<Attribute> attributes;
    Range<Field> parameters;
    Range<Attribute> result_attributes;
    ExpressionId result;  // none: returns nothing
    StatementId body;     // a compound
};

struct ConstAssert {
    SourceLocation where;
    ExpressionId condition;
};

enum class DeclarationKind : std::uint8_t { variable, structure, alias, function, const_assert };

/// A declaration at module scope: an index into the vector of its kind.
struct Declaration {
    DeclarationKind kind = DeclarationKind::variable;
    std::uint32_t index = 0;
};

struct Name {
    std::string_view text;
    SourceLocation where;
};

enum class DirectiveKind : std::uint8_t { enable, requires_, diagnostic };

/// `enable f16, subgroups;` has one name each. `diagnostic(off, a.b);` has the severity, a, and b if present.
struct Directive {
    DirectiveKind kind = DirectiveKind::enable;
    SourceLocation where;
    Range<Name> names;
};

struct Module {
    SourceFile file;  // keeps alive the text that names are views of

    std::vector<Directive> directives;
    std::vector<Declaration> declarations;  // in the text's order

    std::vector<Variable> variables;  // module-scope and local ones
    std::vector<Structure> structures;
    std::vector<Alias> aliases;
    std::vector<Function> functions;
    std::vector<ConstAssert> const_asserts;

    std::vector<Expression> expressions;
    std::vector<Statement> statements;
    std::vector<Attribute> attributes;
    std::vector<Field> fields;
    std::vector<Case> cases;
    std::vector<Name> names;
    std::vector<ExpressionId> expression_lists;
    std::vector<StatementId> statement_lists;

    const Expression& operator[](ExpressionId id) const { return expressions[id.index]; }
    const Statement& operator[](StatementId id) const { return statements[id.index]; }
    const Variable& operator[](Id<Variable> id) const { return variables[id.index]; }

    std::span<const ExpressionId> operator[](Range<ExpressionId> r) const {
        return slice(expression_lists, r);
    }
    std::span<const StatementId> operator[](Range<StatementId> r) const { return slice(statement_lists, r); }
    std::span<const Attribute> operator[](Range<Attribute> r) const { return slice(attributes, r); }
    std::span<const Field> operator[](Range<Field> r) const { return slice(fields, r); }
    std::span<const Case> operator[](Range<Case> r) const { return slice(cases, r); }
    std::span<const Name> operator[](Range<Name> r) const { return slice(names, r); }

  private:
    template <class Thing>
    static std::span<const Thing> slice(const std::vector<Thing>& all, Range<Thing> range) {
        return std::span<const Thing>(all).subspan(range.first, range.count);
    }
};

}  // namespace muster::wgsl::ast
