// Resolves statements, and the ways in which they can end (their behavior).

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/parser.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {
namespace {

// The fault for a target that can't be assigned to, and its fix.
ConstFault not_assignable(const ast::Expression& target, const TypedExpression& e) {
    if (e.type->kind == Kind::pointer)
        return {"This can't be assigned to: it's a pointer.", "write * in front."};
    if (target.kind == ast::ExpressionKind::member && e.type->is_vector() && target.name.size() > 1)
        return {fmt::format("Several components can't be assigned at once, as in .{}.", target.name),
                "assign each component, or the whole vector."};
    return {fmt::format("This can't be assigned to: it's {}.", target.kind == ast::ExpressionKind::identifier
                                                                   ? "a let, a const or a parameter"
                                                                   : "a value"),
            "declare a var, and assign to it or to a part of it."};
}

// The fault of `x += value` and the like on an atomic.
ConstFault not_updatable(const ast::Expression& target, const ast::Statement& s) {
    const std::string x =
        target.kind == ast::ExpressionKind::identifier ? fmt::format("&{}", target.name) : "&x";
    const bool counts = s.kind != ast::StatementKind::compound_assign;
    const std::string_view value = counts ? "1" : "value";
    const ast::BinaryOp op = s.kind == ast::StatementKind::increment   ? ast::BinaryOp::add
                             : s.kind == ast::StatementKind::decrement ? ast::BinaryOp::subtract
                                                                       : s.op;
    const std::string_view function = op == ast::BinaryOp::add        ? "atomicAdd"
                                      : op == ast::BinaryOp::subtract ? "atomicSub"
                                      : op == ast::BinaryOp::bit_and  ? "atomicAnd"
                                      : op == ast::BinaryOp::bit_or   ? "atomicOr"
                                      : op == ast::BinaryOp::bit_xor  ? "atomicXor"
                                                                      : "";
    return {"An atomic isn't read and written in one statement like other variables.",
            function.empty() ? fmt::format("compute with atomicLoad({}), and write with atomicStore, or with "
                                           "atomicCompareExchangeWeak in a loop.",
                                           x)
                             : fmt::format("write {}({}, {});", function, x, value)};
}

}  // namespace

TypedStatement& Resolver::add(TypedBlock& out, StatementForm form, SourceLocation where) {
    TypedStatement& statement = out.statements.emplace_back();
    statement.form = form;
    statement.where = where;
    return statement;
}

void Resolver::note_returns(TypedStatement& statement, std::uint32_t before) {
    statement.has_return = function_->returns != before;
    function_->returns_inside = function_->returns_inside || statement.has_return;
}

Behavior Resolver::block(ast::StatementId id, TypedBlock& out, bool new_scope) {
    const ast::Statement& compound = ast_[id];
    guarded([&] { allow(compound.attributes, {}, "a block"); });
    std::optional<DiagnosticScope> filter;
    guarded([&] { filter.emplace(*this, compound.attributes); });
    if (new_scope) open_scope();
    const Behavior behavior = sequence(ast_[compound.statements], out);
    if (new_scope) close_scope();
    return behavior;
}

Behavior Resolver::sequence(std::span<const ast::StatementId> statements, TypedBlock& out) {
    Behavior all = goes_on;
    for (ast::StatementId id : statements) {
        Behavior one = goes_on;
        guarded([&] { one = statement(id, out); });
        if (!all.next) continue;  // unreachable code is checked, but doesn't count
        all.next = false;
        all = all | one;
    }
    return all;
}

Behavior Resolver::statement(ast::StatementId id, TypedBlock& out) {
    const ast::Statement& s = ast_[id];
    if (s.kind != ast::StatementKind::compound) allow(s.attributes, {}, "this statement");
    const DiagnosticScope filter(*this, s.attributes);
    switch (s.kind) {
        case ast::StatementKind::compound: {
            TypedBlock& inner = out_.blocks.emplace_back();
            const Behavior behavior = block(id, inner);
            add(out, StatementForm::block, s.where).body = &inner;
            return behavior;
        }
        case ast::StatementKind::variable: local_variable(ast_[s.variable], out); return goes_on;
        case ast::StatementKind::assign: assign(s, out); return goes_on;
        case ast::StatementKind::phony_assign: {
            Expr* e = value(s.b);
            if (e->type == types_.nothing)
                refuse(e->where, "_ = takes a value, and this call returns none.", "call it as a statement.");
            // An abstract number stays one: nothing asks for a concrete value.
            if (!e->is_known()) add(out, StatementForm::evaluate, s.where).a = e;
            return goes_on;
        }
        case ast::StatementKind::compound_assign:
        case ast::StatementKind::increment:
        case ast::StatementKind::decrement: update(s, out); return goes_on;
        case ast::StatementKind::call: call_statement(s, out); return goes_on;
        case ast::StatementKind::const_assert: const_assert(s.a, s.where); return goes_on;
        case ast::StatementKind::if_: return if_statement(s, out);
        case ast::StatementKind::switch_: return switch_statement(s, out);
        case ast::StatementKind::loop: return loop_statement(s, out);
        case ast::StatementKind::for_:
        case ast::StatementKind::while_: return for_statement(s, out);
        case ast::StatementKind::break_:
            if (loops_ == 0 && switches_ == 0)
                refuse(s.where, "break stands outside of a loop and a switch.",
                       continuing_.empty()
                           ? "remove it."
                           : "write `break if condition;` at the end of the continuing block.");
            add(out, StatementForm::break_, s.where);
            return {.breaks = true};
        case ast::StatementKind::break_if:
            refuse(s.where, "break if stands elsewhere than at the end of a continuing block.",
                   "write `if condition { break; }`.");
        case ast::StatementKind::continue_:
            if (loops_ == 0) refuse(s.where, "continue stands outside of a loop's body.", "remove it.");
            add(out, StatementForm::continue_, s.where);
            first_continue_ = std::min(first_continue_, function_->locals);
            return {.continues = true};
        case ast::StatementKind::return_: return_statement(s, out); return {.returns = true};
        case ast::StatementKind::discard:
            refuse_unsupported(s.where, "discard is for fragment shaders.", "use return.");
    }
    return goes_on;
}

void Resolver::local_variable(const ast::Variable& variable, TypedBlock& out) {
    LocalSymbol symbol{};
    symbol.failed = true;
    try {
        allow(variable.attributes, {}, "a local declaration");
        if (variable.kind == ast::VariableKind::override_)
            refuse(variable.where, "An override stands inside a function.", "move it to module scope.");
        const auto templates = ast_[variable.templates];
        if (!templates.empty() &&
            (templates.size() > 1 || address_space(ast_[templates[0]]) != AddressSpace::function))
            refuse(variable.where,
                   fmt::format("The variable {} inside a function isn't in the address space function.",
                               variable.name),
                   "write var, or move it to module scope.");
        const bool is_var = variable.kind == ast::VariableKind::var;
        Expr* initial = variable.initial ? value(variable.initial) : nullptr;
        TypeRef of = variable.type ? type(variable.type) : nullptr;
        if (initial == nullptr && (!is_var || of == nullptr))
            refuse(variable.where,
                   fmt::format("{} has no value{}.", variable.name, is_var ? " and no type" : ""),
                   "add `= value`.");
        if (initial != nullptr && of != nullptr) initial = convert(initial, of, variable.name);
        if (variable.kind == ast::VariableKind::const_) {
            if (!initial->is_known() || initial->stage != Stage::constant)
                refuse(initial->where,
                       fmt::format("The value of the constant {} isn't a const-expression.", variable.name),
                       "write let.");
            symbol.constant = initial;
        } else {
            if (initial != nullptr && of == nullptr) {
                if (initial->type == types_.nothing)
                    refuse(initial->where,
                           fmt::format("{} gets no value: the function returns nothing.", variable.name),
                           "call it as a statement.");
                initial = concrete(initial);
                of = initial->type;
            }
            if (!of->constructible && (is_var || of->kind != Kind::pointer))
                refuse(variable.where,
                       fmt::format("{} {} can't have type {}.", is_var ? "A variable" : "A let",
                                   variable.name, of->name),
                       "use a fixed-size type without atomics.");
            symbol.local = &new_local(variable.name, variable.where, of, is_var);
            TypedStatement& statement =
                add(out, is_var ? StatementForm::declare : StatementForm::let, variable.where);
            statement.local = symbol.local;
            statement.a = initial;
        }
        symbol.failed = false;
    } catch (Refusal&) {
        // Uses of the name report no further faults; the name counts as declared.
        if (const auto same = locals_.find(variable.name);
            same == locals_.end() || same->second.empty() || same->second.back().depth != scope_marks_.size())
            declare(variable.name, variable.where, symbol);
        throw;
    }
    declare(variable.name, variable.where, symbol);
}

void Resolver::assign(const ast::Statement& s, TypedBlock& out) {
    Expr* reference = expression(s.a);
    if (!reference->is_reference) refuse(s.where, not_assignable(ast_[s.a], *reference), declared_root(s.a));
    if (reference->access == Access::read)
        refuse(s.where,
               {fmt::format("{} is read-only.", reference->name), reference->space == AddressSpace::uniform
                                                                      ? "use a storage variable."
                                                                      : "write var<storage, read_write>."},
               declared_root(s.a));
    if (!reference->type->constructible)
        refuse(
            s.where, fmt::format("A value of type {} can't be assigned as a whole.", reference->type->name),
            reference->type->kind == Kind::atomic   ? "use atomicStore(&x, value)."
            : reference->type->kind == Kind::buffer ? "assign to a view, as in *bufferView<u32>(&x, 0) = 1."
                                                    : "assign its elements.");
    Expr* b = convert(value(s.b), reference->type, "The assignment", [&] { return declared_root(s.a); });
    TypedStatement& statement = add(out, StatementForm::store, s.where);
    statement.a = reference;
    statement.b = b;
}

void Resolver::update(const ast::Statement& s, TypedBlock& out) {
    const bool counts = s.kind != ast::StatementKind::compound_assign;
    Expr* reference = expression(s.a);
    if (!reference->is_reference) refuse(s.where, not_assignable(ast_[s.a], *reference), declared_root(s.a));
    if (reference->access != Access::read_write)
        refuse(s.where, {fmt::format("{} is read-only.", reference->name), "write var<storage, read_write>."},
               declared_root(s.a));
    if (reference->type->kind == Kind::atomic)
        refuse(s.where, not_updatable(ast_[s.a], s), declared_root(s.a));
    if (counts && (!reference->type->is_scalar() || !reference->type->is_integer()))
        refuse(s.where,
               fmt::format("{} takes an i32 or a u32, not {}.",
                           s.kind == ast::StatementKind::increment ? "++" : "--", reference->type->name),
               "write x += 1 for other types.");
    Expr* old = load(reference);
    const bool adds = s.kind == ast::StatementKind::increment;
    const ast::BinaryOp op = counts ? (adds ? ast::BinaryOp::add : ast::BinaryOp::subtract) : s.op;
    Expr* with = counts ? known(ConstValue(reference->type, word(std::int64_t{1})), Stage::constant, s.where)
                        : value(s.b);
    const bool shifts = op == ast::BinaryOp::shift_left || op == ast::BinaryOp::shift_right;
    Expr* result = shifts ? shift(op, old, with, s.where) : combine(op, old, with, s.where);
    TypedStatement& statement = add(out, StatementForm::update, s.where);
    statement.a = reference;
    statement.b = convert(result, reference->type, "The assignment", [&] { return declared_root(s.a); });
}

void Resolver::call_statement(const ast::Statement& s, TypedBlock& out) {
    Expr* e = call(ast_[s.a]);
    const bool may_drop = e->form == ExpressionForm::user_call
                              ? !e->callee->must_use
                              : e->form == ExpressionForm::atomic || e->form == ExpressionForm::barrier ||
                                    e->form == ExpressionForm::grid_barrier;
    if (!may_drop) {
        const std::string_view name = ast_[ast_[s.a].a].name;
        refuse(s.where, fmt::format("The value of {} isn't used.", name),
               fmt::format("use it, or write `_ = {}(...);`.", name));
    }
    add(out, StatementForm::evaluate, s.where).a = e;
}

TypedExpression* Resolver::condition(ast::ExpressionId id, std::string_view of) {
    Expr* e = value(id);
    if (e->type != types_.boolean)
        refuse(e->where, fmt::format("The condition of {} has type {}, not bool.", of, e->type->name),
               e->type->is_boolean() ? "use all() or any()." : "compare it, as in x != 0.");
    return e;
}

Behavior Resolver::if_statement(const ast::Statement& s, TypedBlock& out) {
    Expr* test = nullptr;
    guarded([&] { test = condition(s.a, "if"); });  // the branches are checked even if this fails
    TypedBlock& then = out_.blocks.emplace_back();
    Behavior behavior = block(s.body, then);
    TypedBlock* otherwise = nullptr;
    if (s.otherwise) {
        otherwise = &out_.blocks.emplace_back();
        behavior = behavior | (ast_[s.otherwise].kind == ast::StatementKind::if_
                                   ? if_statement(ast_[s.otherwise], *otherwise)
                                   : block(s.otherwise, *otherwise));
    } else {
        behavior.next = true;
    }
    TypedStatement& statement = add(out, StatementForm::if_, s.where);
    statement.a = test;
    statement.body = &then;
    statement.otherwise = otherwise;
    return behavior;
}

void Resolver::return_statement(const ast::Statement& s, TypedBlock& out) {
    if (!continuing_.empty())
        refuse(s.where, "return stands in a continuing block.", "move it to the loop's body.");
    ++function_->returns;
    Expr* result = nullptr;
    if (s.a) {
        result = value(s.a);
        if (function_->result == types_.nothing)
            refuse(s.where, fmt::format("{} returns nothing, and a value is given.", function_->name),
                   "remove the value, or declare the result: `-> type`.");
        result = convert(result, function_->result, fmt::format("The result of {}", function_->name),
                         [&] { return declared(function_->name); });
    } else if (function_->result != types_.nothing) {
        refuse(s.where,
               fmt::format("{} returns {}, and no value is given.", function_->name, function_->result->name),
               "write return value;");
    }
    add(out, StatementForm::return_, s.where).a = result;
}

void Resolver::const_assert(ast::ExpressionId id, SourceLocation where) {
    Expr* e = condition(id, "const_assert");
    if (!e->is_known() || e->stage != Stage::constant)
        refuse(e->where, "The condition of const_assert isn't a const-expression.",
               "use literals, constants and built-in functions of them.");
    if (!e->constant.boolean())
        refuse(where, "The const_assert fails: its condition is false.",
               "change what it states, or the constants in it.");
}

}  // namespace muster::wgsl
