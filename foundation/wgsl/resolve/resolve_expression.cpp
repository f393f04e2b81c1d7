// Resolves expressions: literals, names, loads and conversions.

#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/limits.hpp>
#include <muster/foundation/wgsl/resolve/names.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>
#include <muster/foundation/wgsl/tokens/literal.hpp>

namespace muster::wgsl {

Stage Resolver::stage_of(std::span<Expr* const> operands) {
    Stage stage = Stage::constant;
    for (const Expr* e : operands) stage = std::max(stage, e->stage);
    return stage;
}

bool Resolver::all_known(std::span<Expr* const> operands) {
    return std::ranges::all_of(operands, [](const Expr* e) { return e->is_known(); });
}

TypedExpression* Resolver::make(ExpressionForm form, TypeRef type, SourceLocation where,
                                std::vector<Expr*> operands) {
    Expr& e = out_.expressions.emplace_back();
    e.form = form;
    e.type = type;
    e.where = where;
    e.is_cheap = true;
    e.cost = 1;
    const Expr* unset = nullptr;
    bool others_known = true;
    for (const Expr* operand : operands) {
        e.is_cheap = e.is_cheap && operand->is_cheap;
        e.cost = std::min<std::uint32_t>(e.cost + operand->cost, 1000);
        if (operand->form == ExpressionForm::unset_override)
            unset = operand;
        else
            others_known = others_known && operand->is_known();
    }
    if (unset != nullptr && others_known) {
        e.form = ExpressionForm::unset_override;  // nothing else in it is unknown
        e.name = unset->name;
    }
    e.operands = std::move(operands);
    return &e;
}

TypedExpression* Resolver::known(ConstValue value, Stage stage, SourceLocation where) {
    Expr* e = make(ExpressionForm::constant, value.type(), where);
    e->stage = stage;
    e->cost = 0;
    e->constant = std::move(value);
    return e;
}

TypedExpression* Resolver::known(ConstResult value, TypeRef type, Stage stage, SourceLocation where) {
    if (value) return known(*std::move(value), stage, where);
    if (unevaluated_ == 0) refuse(where, std::move(value).error());
    return known(ConstValue::zero(type), stage, where);
}

void Resolver::spend_words(std::uint64_t words, SourceLocation where) {
    constant_words_ += words;
    if (constant_words_ > limits::text_constant_words)
        refuse(where,
               fmt::format("The program's constants hold over {} scalars.", limits::text_constant_words),
               "use fewer or smaller constant arrays, or a storage variable.");
}

TypedExpression* Resolver::load(Expr* reference) {
    if (!reference->is_reference) return reference;
    if (reference->access == Access::write)
        refuse(reference->where, "The variable read here is write-only.", "declare it read_write.");
    if (!reference->type->constructible)
        refuse(reference->where,
               fmt::format("A value of type {} can't be read as a whole.", reference->type->name),
               reference->type->kind == Kind::atomic   ? "use atomicLoad(&x)."
               : reference->type->kind == Kind::buffer ? "read a view, as in *bufferView<u32>(&x, 0)."
                                                       : "read its elements, or pass a pointer to it.");
    Expr* e = make(ExpressionForm::load, reference->type, reference->where, {reference});
    e->name = reference->name;
    return e;
}

TypedExpression* Resolver::refuse_conversion(const Expr& e, TypeRef to, std::string_view use,
                                             std::vector<RelatedPlace> others) {
    std::string fix = e.type->is_numeric() && to->is_numeric() && have_one_shape(e.type, to)
                          ? fmt::format("convert it, as in {}(...).", to->name)
                          : fmt::format("use a value of type {}.", to->name);
    refuse(e.where, {fmt::format("{} takes {}, not {}.", use, to->name, e.type->name), std::move(fix)},
           std::move(others));
}

TypedExpression* Resolver::converted(Expr* e, TypeRef to) {
    if (e->type == to) return e;
    if (to->words > 4) spend_words(to->words, e->where);
    return known(convert_constant(e->constant, to), to, e->stage, e->where);
}

TypedExpression* Resolver::concrete(Expr* e) { return convert(e, types_.concrete(e->type), "this"); }

TypedExpression* Resolver::splat(Expr* e, std::uint32_t width) {
    if (e->type->width() == width) return e;
    const TypeRef type = types_.vector(e->type, width);
    if (e->is_known())
        return known(ConstValue(type, std::vector<Word>(width, e->constant[0])), e->stage, e->where);
    return make(ExpressionForm::splat, type, e->where, {e});
}

TypedExpression* Resolver::expression(ast::ExpressionId id) {
    const ast::Expression& e = ast_[id];
    switch (e.kind) {
        case ast::ExpressionKind::identifier: return identifier(e);
        case ast::ExpressionKind::bool_literal:
        case ast::ExpressionKind::int_literal:
        case ast::ExpressionKind::float_literal: return literal(e);
        case ast::ExpressionKind::unary: return unary(e);
        case ast::ExpressionKind::binary:
            return e.binary == ast::BinaryOp::logical_and || e.binary == ast::BinaryOp::logical_or
                       ? logical(e)
                       : binary(e);
        case ast::ExpressionKind::call: return call(e);
        case ast::ExpressionKind::index: return index(e);
        case ast::ExpressionKind::member: return member(e);
    }
    refuse(e.where, "This expression isn't understood.");
}

TypedExpression* Resolver::literal(const ast::Expression& e) {
    if (e.suffix == 'h') need_f16("The suffix h", e.where);
    if (e.kind == ast::ExpressionKind::float_literal) {
        const TypeRef type = e.suffix == 'f'      ? types_.f32
                             : e.suffix == 'h'    ? types_.f16
                             : e.suffix == long_f ? extended_type(types_.f64, "The suffix lf", e.where)
                                                  : types_.abstract_float;
        return known(ConstValue(type, word(e.number)), Stage::constant, e.where);
    }
    const auto value = static_cast<std::int64_t>(e.integer);
    if (e.kind == ast::ExpressionKind::bool_literal)
        return known(ConstValue(types_.boolean, word(value)), Stage::constant, e.where);
    if (e.suffix == 'f')
        return known(ConstValue(types_.f32, word(static_cast<double>(value))), Stage::constant, e.where);
    if (e.suffix == long_f)
        return known(
            ConstValue(extended_type(types_.f64, "The suffix lf", e.where), word(static_cast<double>(value))),
            Stage::constant, e.where);
    const TypeRef type = e.suffix == 'i'      ? types_.i32
                         : e.suffix == 'u'    ? types_.u32
                         : e.suffix == long_i ? extended_type(types_.i64, "The suffix li", e.where)
                         : e.suffix == long_u ? extended_type(types_.u64, "The suffix lu", e.where)
                                              : types_.abstract_int;
    return known(ConstValue(type, word(value)), Stage::constant, e.where);
}

TypedExpression* Resolver::identifier(const ast::Expression& e) {
    const auto make_reference = [&](ExpressionForm form, TypeRef type, AddressSpace space, Access access) {
        Expr* reference = make(form, type, e.where);
        reference->is_reference = true;
        reference->space = space;
        reference->access = access;
        reference->name = e.name;
        reference->cost = 0;
        return reference;
    };
    const auto refuse_template = [&] {  // WGSL parses `a < b > c` as a template list
        if (e.has_template)
            refuse(e.where, fmt::format("{} is a value and takes no template arguments.", e.name),
                   "write parentheses where comparisons are meant, as in (a < b) == (c > d).");
    };
    if (const LocalSymbol* symbol = find_local(e.name)) {
        if (symbol->failed) throw Refusal{{}, true};
        refuse_template();
        if (symbol->constant != nullptr)
            return known(symbol->constant->constant, symbol->constant->stage, e.where);
        const Local& local = *symbol->local;
        for (const Continuing& each : continuing_)
            if (local.index >= each.first && local.index < each.end)
                refuse(e.where, fmt::format("A continue may jump over the declaration of {}.", e.name),
                       "declare it before the first continue.");
        Expr* reference = nullptr;
        if (local.is_variable) {
            reference = make_reference(ExpressionForm::local_reference, local.type, AddressSpace::function,
                                       Access::read_write);
        } else {
            reference = make(ExpressionForm::local, local.type, e.where);
            reference->space = local.type->space;
            reference->access = local.type->access;
            reference->cost = 0;
            reference->is_cheap = local.type->kind != Kind::pointer;
        }
        reference->local = &local;
        return reference;
    }
    if (module_.contains(e.name)) {
        ModuleSymbol& symbol = resolved_symbol(e.name, e.where);
        if (symbol.value != nullptr || symbol.global != nullptr) refuse_template();
        if (symbol.value != nullptr) {
            if (!symbol.value->is_known()) {
                Expr* unset = make(ExpressionForm::unset_override, symbol.value->type, e.where);
                unset->name = symbol.value->name;
                return unset;
            }
            return known(symbol.value->constant, symbol.value->stage, e.where);
        }
        if (symbol.global != nullptr) {
            if (in_module_scope_)
                refuse(e.where, fmt::format("The variable {} has no value before the program runs.", e.name),
                       "use constants and overrides here.");
            Expr* reference = make_reference(ExpressionForm::global_reference, symbol.global->type,
                                             symbol.global->space, symbol.global->access);
            reference->global = symbol.global;
            if (function_ != nullptr &&
                std::ranges::find(function_->globals, symbol.global) == function_->globals.end())
                function_->globals.push_back(symbol.global);
            reference->is_cheap = symbol.global->space == AddressSpace::private_ ||
                                  symbol.global->space == AddressSpace::uniform;
            return reference;
        }
        if (symbol.function != nullptr)
            refuse(e.where, fmt::format("{} is a function, not a value.", e.name),
                   fmt::format("call it: {}(...).", e.name));
        refuse(e.where, fmt::format("{} is a type, not a value.", e.name),
               fmt::format("make a value of it: {}(...).", e.name));
    }
    if (is_type_name(e.name))
        refuse(e.where, fmt::format("{} is a type, not a value.", e.name),
               fmt::format("make a value of it: {}(...).", e.name));
    if (is_function(e.name) || std::ranges::find(other_functions(), e.name) != other_functions().end())
        refuse(e.where, fmt::format("{} is a function, not a value.", e.name),
               fmt::format("call it: {}(...).", e.name));
    refuse_unknown(Wanted::value, e.name, e.where);
}

}  // namespace muster::wgsl
