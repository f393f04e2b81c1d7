// Expressions but calls: literals, names, operators, access to parts.

#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/wgsl/limits.hpp>
#include <muster/foundation/wgsl/resolver.hpp>

namespace muster::wgsl {
namespace {

using ast::BinaryOp;
using ast::UnaryOp;

Op ir_op(BinaryOp op) {
    switch (op) {
        case BinaryOp::add: return Op::add;
        case BinaryOp::subtract: return Op::sub;
        case BinaryOp::multiply: return Op::mul;
        case BinaryOp::divide: return Op::div;
        case BinaryOp::remainder: return Op::rem;
        case BinaryOp::bit_and:
        case BinaryOp::logical_and: return Op::bit_and;
        case BinaryOp::bit_or:
        case BinaryOp::logical_or: return Op::bit_or;
        case BinaryOp::bit_xor: return Op::bit_xor;
        case BinaryOp::shift_left: return Op::shift_left;
        case BinaryOp::shift_right: return Op::shift_right;
        case BinaryOp::equal: return Op::eq;
        case BinaryOp::not_equal: return Op::ne;
        case BinaryOp::less: return Op::lt;
        case BinaryOp::less_equal: return Op::le;
        case BinaryOp::greater: return Op::gt;
        case BinaryOp::greater_equal: return Op::ge;
    }
    return Op::add;
}

std::string_view spelling(BinaryOp op) {
    switch (op) {
        case BinaryOp::add: return "+";
        case BinaryOp::subtract: return "-";
        case BinaryOp::multiply: return "*";
        case BinaryOp::divide: return "/";
        case BinaryOp::remainder: return "%";
        case BinaryOp::bit_and: return "&";
        case BinaryOp::bit_or: return "|";
        case BinaryOp::bit_xor: return "^";
        case BinaryOp::shift_left: return "<<";
        case BinaryOp::shift_right: return ">>";
        case BinaryOp::equal: return "==";
        case BinaryOp::not_equal: return "!=";
        case BinaryOp::less: return "<";
        case BinaryOp::less_equal: return "<=";
        case BinaryOp::greater: return ">";
        case BinaryOp::greater_equal: return ">=";
        case BinaryOp::logical_and: return "&&";
        case BinaryOp::logical_or: return "||";
    }
    return "?";
}

bool is_shift(BinaryOp op) { return op == BinaryOp::shift_left || op == BinaryOp::shift_right; }
bool is_bitwise(BinaryOp op) { return op >= BinaryOp::bit_and && op <= BinaryOp::bit_xor; }
bool is_equality(BinaryOp op) { return op == BinaryOp::equal || op == BinaryOp::not_equal; }
bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::greater_equal; }
bool is_arithmetic(BinaryOp op) { return op <= BinaryOp::remainder; }

/// Whether the operator takes operands with this scalar.
bool accepts(BinaryOp op, TypeRef scalar) {
    if (is_bitwise(op)) return scalar->is_integer() || (scalar->is_boolean() && op != BinaryOp::bit_xor);
    if (is_equality(op)) return true;
    return scalar->is_numeric();
}

std::string fix_for(BinaryOp op, TypeRef a, TypeRef b) {
    if (a->is_numeric() && b->is_numeric() && a->width() == b->width())
        return fmt::format("convert one side, as in {}(...).", b->name);
    if (is_bitwise(op)) return "use integers, or bool with & and |.";
    return "use operands of one type.";
}

}  // namespace

// Making expressions
// ---------------------------------------------------------------------------------------------

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
        e.form = ExpressionForm::unset_override;  // what depends on it alone has no value either
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
    if (constant_words_ > limits::constant_words)
        refuse(where, fmt::format("The program's constants hold over {} scalars.", limits::constant_words),
               "use fewer or smaller constant arrays, or a storage variable.");
}

TypedExpression* Resolver::load(Expr* place) {
    if (!place->is_reference) return place;
    if (place->access == Access::write)
        refuse(place->where, "The place read is write-only.", "declare it read_write.");
    if (!place->type->constructible)
        refuse(place->where, fmt::format("A value of type {} can't be read as a whole.", place->type->name),
               place->type->kind == Kind::atomic ? "use atomicLoad(&x)."
                                                 : "read its elements, or pass a pointer to it.");
    Expr* e = make(ExpressionForm::load, place->type, place->where, {place});
    e->name = place->name;
    return e;
}

TypedExpression* Resolver::convert(Expr* e, TypeRef to, std::string_view use) {
    if (e->type == to) return e;
    if (!converts(e->type, to)) {
        std::string fix = e->type->is_numeric() && to->is_numeric() && e->type->width() == to->width()
                              ? fmt::format("convert it, as in {}(...).", to->name)
                              : fmt::format("use a value of type {}.", to->name);
        refuse(e->where, fmt::format("{} takes {}, not {}.", use, to->name, e->type->name), std::move(fix));
    }
    if (to->words > 4) spend_words(to->words, e->where);
    return known(convert_automatically(e->constant, to), to, e->stage, e->where);
}

TypedExpression* Resolver::concrete(Expr* e) { return convert(e, types_.concrete(e->type), "this"); }

TypedExpression* Resolver::splat(Expr* e, std::uint32_t width) {
    if (e->type->width() == width) return e;
    const TypeRef type = types_.vector(e->type, width);
    if (e->is_known())
        return known(ConstValue(type, std::vector<Word>(width, e->constant[0])), e->stage, e->where);
    return make(ExpressionForm::splat, type, e->where, {e});
}

// Names and literals
// ---------------------------------------------------------------------------------------------

TypedExpression* Resolver::expression(ast::ExpressionId id) {
    const ast::Expression& e = ast_[id];
    switch (e.kind) {
        case ast::ExpressionKind::identifier: return identifier(e);
        case ast::ExpressionKind::bool_literal:
        case ast::ExpressionKind::int_literal:
        case ast::ExpressionKind::float_literal: return literal(e);
        case ast::ExpressionKind::unary: return unary(e);
        case ast::ExpressionKind::binary:
            return e.binary == BinaryOp::logical_and || e.binary == BinaryOp::logical_or ? logical(e)
                                                                                         : binary(e);
        case ast::ExpressionKind::call: return call(e);
        case ast::ExpressionKind::index: return index(e);
        case ast::ExpressionKind::member: return member(e);
    }
    refuse(e.where, "This expression isn't understood.");
}

TypedExpression* Resolver::literal(const ast::Expression& e) {
    if (e.suffix == 'h')
        refuse(e.where, "16-bit floats are not supported yet by muster (the suffix h).", "use the suffix f.");
    if (e.kind == ast::ExpressionKind::float_literal)
        return known(ConstValue(e.suffix == 'f' ? types_.f32 : types_.abstract_float, word(e.number)),
                     Stage::constant, e.where);
    const auto value = static_cast<std::int64_t>(e.integer);
    if (e.kind == ast::ExpressionKind::bool_literal)
        return known(ConstValue(types_.boolean, word(value)), Stage::constant, e.where);
    if (e.suffix == 'f')
        return known(ConstValue(types_.f32, word(static_cast<double>(value))), Stage::constant, e.where);
    const TypeRef type = e.suffix == 'i' ? types_.i32 : e.suffix == 'u' ? types_.u32 : types_.abstract_int;
    return known(ConstValue(type, word(value)), Stage::constant, e.where);
}

TypedExpression* Resolver::identifier(const ast::Expression& e) {
    const auto placed = [&](ExpressionForm form, TypeRef type, AddressSpace space, Access access) {
        Expr* place = make(form, type, e.where);
        place->is_reference = true;
        place->space = space;
        place->access = access;
        place->name = e.name;
        place->cost = 0;
        return place;
    };
    if (const LocalSymbol* symbol = find_local(e.name)) {
        if (symbol->failed) throw Refusal{{}, true};
        if (symbol->constant != nullptr)
            return known(symbol->constant->constant, symbol->constant->stage, e.where);
        const Local& local = *symbol->local;
        for (const Continuing& each : continuing_)
            if (local.index >= each.first && local.index < each.end)
                refuse(e.where, fmt::format("A continue may jump over the declaration of {}.", e.name),
                       "declare it before the first continue.");
        Expr* place = nullptr;
        if (local.is_variable) {
            place =
                placed(ExpressionForm::local_place, local.type, AddressSpace::function, Access::read_write);
        } else {
            place = make(ExpressionForm::local, local.type, e.where);
            place->space = local.type->space;
            place->access = local.type->access;
            place->cost = 0;
            place->is_cheap = local.type->kind != Kind::pointer ||
                              local.type->space == AddressSpace::function ||
                              local.type->space == AddressSpace::private_;
        }
        place->local = &local;
        return place;
    }
    if (module_.contains(e.name)) {
        ModuleSymbol& symbol = need(e.name, e.where);
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
            Expr* place = placed(ExpressionForm::global_place, symbol.global->type, symbol.global->space,
                                 symbol.global->access);
            place->global = symbol.global;
            place->is_cheap = symbol.global->space == AddressSpace::private_ ||
                              symbol.global->space == AddressSpace::uniform;
            return place;
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
    if (is_function(e.name))
        refuse(e.where, fmt::format("{} is a function, not a value.", e.name),
               fmt::format("call it: {}(...).", e.name));
    refuse(e.where, fmt::format("Nothing is called {} here.", e.name),
           "declare it, or check its spelling and scope.");
}

// Operators
// ------------------------------------------------------------------------------------------------------

TypedExpression* Resolver::unary(const ast::Expression& e) {
    if (e.unary == UnaryOp::address_of) {
        Expr* place = expression(e.a);
        if (!place->is_reference)
            refuse(e.where, "& takes a variable or a part of one, not a value.", "declare a var.");
        if (place->form == ExpressionForm::index_place && place->operands[0]->is_reference &&
            place->operands[0]->type->is_vector())
            refuse(e.where, "& can't take a component of a vector.",
                   "take the whole vector, or copy the component to a var.");
        Expr* pointer = make(place->form, types_.pointer(place->space, place->type, place->access), e.where);
        TypeRef type = pointer->type;
        *pointer = *place;
        pointer->type = type;
        pointer->where = e.where;
        pointer->is_reference = false;
        return pointer;
    }
    if (e.unary == UnaryOp::dereference) {
        Expr* pointer = expression(e.a);
        if (pointer->is_reference || pointer->type->kind != Kind::pointer)
            refuse(e.where, fmt::format("* takes a pointer, not {}.", pointer->type->name), "remove it.");
        Expr* place = make(pointer->form, pointer->type->element, e.where);
        TypeRef type = place->type;
        *place = *pointer;
        place->type = type;
        place->where = e.where;
        place->is_reference = true;
        return place;
    }
    Expr* a = value(e.a);
    const TypeRef type = a->type;
    const bool shaped = type->is_scalar() || type->is_vector();
    const bool fits = shaped && (e.unary == UnaryOp::logical_not ? type->is_boolean()
                                 : e.unary == UnaryOp::complement
                                     ? type->is_integer()
                                     : type->is_numeric() && type->scalar()->kind != Kind::u32);
    const std::string_view sign = e.unary == UnaryOp::logical_not  ? "!"
                                  : e.unary == UnaryOp::complement ? "~"
                                                                   : "-";
    if (!fits) {
        const std::string_view takes = e.unary == UnaryOp::logical_not ? "bool or a vector of bool"
                                       : e.unary == UnaryOp::complement
                                           ? "an integer or a vector of integers"
                                           : "a signed number or a vector of them";
        refuse(e.where, fmt::format("{} takes {}, not {}.", sign, takes, type->name),
               e.unary == UnaryOp::negate && type->is_integer() ? "convert it to i32 first."
                                                                : "use another operand.");
    }
    if (a->is_known()) return known(evaluate_unary(e.unary, a->constant, type), type, a->stage, e.where);
    Expr* result = make(ExpressionForm::unary, type, e.where, {a});
    result->op = e.unary == UnaryOp::logical_not  ? Op::logical_not
                 : e.unary == UnaryOp::complement ? Op::bit_not
                                                  : Op::neg;
    return result;
}

TypedExpression* Resolver::binary(const ast::Expression& e) {
    Expr* a = value(e.a);
    Expr* b = value(e.b);
    return is_shift(e.binary) ? shift(e.binary, a, b, e.where) : combine(e.binary, a, b, e.where);
}

TypedExpression* Resolver::combine(BinaryOp op, Expr* a, Expr* b, SourceLocation where) {
    const auto mismatch = [&] {
        refuse(where,
               fmt::format("{} doesn't take operands of types {} and {}.", spelling(op), a->type->name,
                           b->type->name),
               fix_for(op, a->type, b->type));
    };
    const auto shaped = [](TypeRef t) { return t->is_scalar() || t->is_vector(); };
    if (!shaped(a->type) || !shaped(b->type)) mismatch();
    const bool mixed = a->type->width() != b->type->width();
    if (mixed && !(is_arithmetic(op) && (a->type->width() == 1 || b->type->width() == 1))) mismatch();
    TypeRef scalar = a->type->scalar();
    if (scalar != b->type->scalar()) {
        if (converts(scalar, b->type->scalar()))
            scalar = b->type->scalar();
        else if (!converts(b->type->scalar(), scalar))
            mismatch();
    }
    if (!accepts(op, scalar)) mismatch();
    // Abstract beside what isn't a const-expression becomes concrete.
    if (scalar->is_abstract && (a->stage != Stage::constant || b->stage != Stage::constant))
        scalar = types_.concrete(scalar);
    a = convert(a, types_.shaped(scalar, a->type), "this");
    b = convert(b, types_.shaped(scalar, b->type), "this");
    const TypeRef wide = a->type->is_vector() ? a->type : b->type;
    const TypeRef result = is_comparison(op) ? types_.shaped(types_.boolean, wide) : wide;
    if (b->is_known()) {
        if (a->is_known())
            return known(evaluate_binary(op, a->constant, b->constant, result), result,
                         std::max(a->stage, b->stage), where);
        if (ConstFault wrong = check_right_operand(op, a->type, b->constant);
            !wrong.message.empty() && unevaluated_ == 0)
            refuse(where, std::move(wrong));
    }
    Expr* e = make(ExpressionForm::binary, result, where, {splat(a, wide->width()), splat(b, wide->width())});
    e->op = ir_op(op);
    return e;
}

TypedExpression* Resolver::shift(BinaryOp op, Expr* a, Expr* b, SourceLocation where) {
    const bool fits = a->type->is_integer() && b->type->is_integer() &&
                      a->type->width() == b->type->width() &&
                      (a->type->is_scalar() || a->type->is_vector()) && b->type->scalar()->kind != Kind::i32;
    if (!fits)
        refuse(where,
               fmt::format("{} doesn't take operands of types {} and {}.", spelling(op), a->type->name,
                           b->type->name),
               "shift an integer by a u32, or vectors of them as wide.");
    b = convert(b, types_.shaped(types_.u32, b->type), "a shift");
    if (b->stage != Stage::constant) a = concrete(a);
    if (b->is_known()) {
        if (a->is_known())
            return known(evaluate_binary(op, a->constant, b->constant, a->type), a->type,
                         std::max(a->stage, b->stage), where);
        if (ConstFault wrong = check_right_operand(op, a->type, b->constant);
            !wrong.message.empty() && unevaluated_ == 0)
            refuse(where, std::move(wrong));
    }
    Expr* e = make(ExpressionForm::binary, a->type, where, {a, b});
    e->op = ir_op(op);
    return e;
}

TypedExpression* Resolver::logical(const ast::Expression& e) {
    const bool is_and = e.binary == BinaryOp::logical_and;
    Expr* a = value(e.a);
    const auto check = [&](const Expr* side) {
        if (side->type != types_.boolean)
            refuse(
                e.where,
                fmt::format("{} doesn't take an operand of type {}.", spelling(e.binary), side->type->name),
                side->type->is_boolean() ? "use & or | for vectors." : "compare it, as in x != 0.");
    };
    check(a);
    // The right side isn't evaluated where the left one decides.
    const bool decided = a->is_known() && a->constant.boolean() != is_and;
    if (decided) ++unevaluated_;
    struct Restore {
        std::uint32_t& count;
        bool decided;
        ~Restore() { count -= decided ? 1 : 0; }
    } restore{unevaluated_, decided};
    Expr* b = value(e.b);
    check(b);
    if (decided && b->stage != Stage::runtime)
        return known(ConstValue(types_.boolean, word(std::int64_t{!is_and})), std::max(a->stage, b->stage),
                     e.where);
    if (a->is_known() && b->is_known()) return known(b->constant, std::max(a->stage, b->stage), e.where);
    return make(is_and ? ExpressionForm::logical_and : ExpressionForm::logical_or, types_.boolean, e.where,
                {a, b});
}

// Parts
// ----------------------------------------------------------------------------------------------------------

TypedExpression* Resolver::element_place(Expr* base, Expr* index, SourceLocation where) {
    Expr* place = make(ExpressionForm::index_place, place_type(base)->element, where, {base, index});
    place->is_reference = true;
    place->space = base->space;
    place->access = base->access;
    place->name = base->name;
    place->is_cheap = place->is_cheap && index->is_known();
    place->cost = base->cost;
    return place;
}

TypedExpression* Resolver::known_index(Expr* index, TypeRef of, SourceLocation where) {
    const std::int64_t n = index->constant.integer();
    if ((n < 0 || (of->count != 0 && n >= of->count)) && unevaluated_ == 0)
        refuse(where, fmt::format("The index {} is outside {}.", n, of->name),
               of->count == 0 ? "use an index from 0." : fmt::format("use 0 to {}.", of->count - 1));
    // One type for all constant indices, so that a[1], a[1i] and a[1u] are one structure.
    return known(
        ConstValue(types_.u32, word(std::int64_t{n < 0 || (of->count != 0 && n >= of->count) ? 0 : n})),
        index->stage, index->where);
}

TypedExpression* Resolver::index(const ast::Expression& e) {
    Expr* base = expression(e.a);
    Expr* index = concrete(value(e.b));
    const bool is_place = base->is_reference || base->type->kind == Kind::pointer;
    const TypeRef of = is_place ? place_type(base) : base->type;
    if (of->kind != Kind::array && of->kind != Kind::vector)
        refuse(e.where, fmt::format("A value of type {} has no elements.", of->name),
               "index an array or a vector.");
    if (!index->type->is_scalar() || !index->type->is_integer())
        refuse(index->where, fmt::format("An index has type {}.", index->type->name), "use an i32 or a u32.");
    if (index->is_known()) index = known_index(index, of, e.where);
    if (is_place) return element_place(base, index, e.where);
    if (index->is_known()) {
        const auto which = static_cast<std::uint32_t>(index->constant.integer());
        if (base->is_known())
            return known(base->constant.element(which), std::max(base->stage, index->stage), e.where);
        Expr* part = make(ExpressionForm::extract, of->element, e.where, {base});
        part->index = which;
        return part;
    }
    base = concrete(base);
    Expr* part = make(ExpressionForm::extract_dynamic, base->type->element, e.where, {base, index});
    part->is_cheap = false;  // an index out of bounds is reported where reports are asked for
    return part;
}

TypedExpression* Resolver::member(const ast::Expression& e) {
    Expr* base = expression(e.a);
    const bool is_place = base->is_reference || base->type->kind == Kind::pointer;
    const TypeRef of = is_place ? place_type(base) : base->type;
    if (of->kind == Kind::structure) return structure_member(base, e);
    if (of->kind == Kind::vector) return swizzle(base, e);
    refuse(e.where, fmt::format("A value of type {} has no member {}.", of->name, e.name),
           "structures and vectors have members.");
}

TypedExpression* Resolver::structure_member(Expr* base, const ast::Expression& e) {
    const bool is_place = base->is_reference || base->type->kind == Kind::pointer;
    const TypeRef of = is_place ? place_type(base) : base->type;
    const auto found = std::ranges::find(of->members, e.name, &WgslMember::name);
    if (found == of->members.end()) {
        std::string names;
        for (std::size_t n = 0; n < std::min<std::size_t>(of->members.size(), 12); ++n)
            names += (n == 0 ? "" : ", ") + of->members[n].name;
        refuse(e.where, fmt::format("The structure {} has no member {}.", of->name, e.name),
               fmt::format("it has {}{}.", names, of->members.size() > 12 ? ", ..." : ""));
    }
    const auto which = static_cast<std::uint32_t>(found - of->members.begin());
    if (!is_place && base->is_known()) return known(base->constant.element(which), base->stage, e.where);
    Expr* part =
        make(is_place ? ExpressionForm::member_place : ExpressionForm::extract, found->type, e.where, {base});
    part->index = which;
    if (is_place) {
        part->is_reference = true;
        part->space = base->space;
        part->access = base->access;
        part->name = base->name;
        part->cost = base->cost;
    }
    return part;
}

TypedExpression* Resolver::swizzle(Expr* base, const ast::Expression& e) {
    const bool is_place = base->is_reference || base->type->kind == Kind::pointer;
    const TypeRef of = is_place ? place_type(base) : base->type;
    std::vector<std::uint8_t> components;
    constexpr std::string_view xyzw = "xyzw", rgba = "rgba";
    const std::string_view letters =
        !e.name.empty() && xyzw.find(e.name[0]) != std::string_view::npos ? xyzw : rgba;
    for (char c : e.name) {
        const std::size_t at = letters.find(c);
        if (at == std::string_view::npos || at >= of->count || components.size() == 4)
            refuse(e.where, fmt::format("{} isn't a swizzle of {}.", e.name, of->name),
                   fmt::format("use up to four of {} or of {}.", xyzw.substr(0, of->count),
                               rgba.substr(0, of->count)));
        components.push_back(static_cast<std::uint8_t>(at));
    }
    if (is_place && components.size() == 1)
        return element_place(
            base, known(ConstValue(types_.u32, word(std::int64_t{components[0]})), Stage::constant, e.where),
            e.where);
    if (is_place && !base->is_reference) {
        Expr* place = make(base->form, of, base->where);
        *place = *base;
        place->type = of;
        place->is_reference = true;
        base = place;
    }
    base = load(base);
    const TypeRef type = types_.vector(of->element, static_cast<std::uint32_t>(components.size()));
    if (base->is_known()) {
        std::vector<Word> words;
        for (std::uint8_t c : components) words.push_back(base->constant[c]);
        return known(ConstValue(type, words), base->stage, e.where);
    }
    Expr* part = make(components.size() == 1 ? ExpressionForm::extract : ExpressionForm::swizzle, type,
                      e.where, {base});
    part->index = components[0];
    part->components = std::move(components);
    return part;
}

}  // namespace muster::wgsl
