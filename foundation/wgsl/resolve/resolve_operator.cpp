// Resolves operators.

#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/wgsl/resolve/matrix_operators.hpp>
#include <muster/foundation/wgsl/resolve/resolver.hpp>

namespace muster::wgsl {
namespace {

using ast::BinaryOp;
using ast::UnaryOp;

bool is_shift(BinaryOp op) { return kind(op) == ast::BinaryKind::shift; }
bool is_bitwise(BinaryOp op) { return kind(op) == ast::BinaryKind::bitwise; }
bool is_equality(BinaryOp op) { return kind(op) == ast::BinaryKind::equality; }
bool is_arithmetic(BinaryOp op) { return kind(op) == ast::BinaryKind::arithmetic; }

/// True if the operator accepts operands with this scalar type.
bool accepts(BinaryOp op, TypeRef scalar) {
    if (is_bitwise(op)) return scalar->is_integer() || (scalar->is_boolean() && op != BinaryOp::bit_xor);
    if (is_equality(op)) return !scalar->is_narrow();
    return scalar->is_numeric();
}

std::string fix_for(BinaryOp op, TypeRef a, TypeRef b) {
    if (a->is_matrix() || b->is_matrix())
        return op == BinaryOp::multiply
                   ? "a * b takes as many columns of a as b has rows, of one scalar type."
                   : "matrices of one type have + and -, and * is a product.";
    for (const TypeRef type : {a, b})
        if (type->is_narrow())
            return fmt::format("convert it first, as in {}(x).",
                               type->scalar()->name.starts_with('i') ? "i32" : "u32");
    if (a->is_numeric() && b->is_numeric() && a->width() == b->width())
        return fmt::format("convert one side, as in {}(...).", b->name);
    if (is_bitwise(op)) return "use integers, or bool with & and |.";
    return "use operands of one type.";
}

}  // namespace

TypedExpression* Resolver::unary(const ast::Expression& e) {
    if (e.unary == UnaryOp::address_of) {
        Expr* reference = expression(e.a);
        if (!reference->is_reference)
            refuse(e.where, "& takes a variable or a part of one, not a value.", "declare a var.");
        if (reference->form == ExpressionForm::index_reference &&
            store_type(reference->operands[0])->is_vector())
            refuse(e.where, "& can't take a component of a vector.",
                   "take the whole vector, or copy the component to a var.");
        Expr* pointer = make(reference->form,
                             types_.pointer(reference->space, reference->type, reference->access), e.where);
        TypeRef type = pointer->type;
        *pointer = *reference;
        pointer->type = type;
        pointer->where = e.where;
        pointer->is_reference = false;
        return pointer;
    }
    if (e.unary == UnaryOp::dereference) {
        Expr* pointer = expression(e.a);
        if (pointer->is_reference || pointer->type->kind != Kind::pointer)
            refuse(e.where, fmt::format("* takes a pointer, not {}.", pointer->type->name), "remove it.");
        Expr* reference = make(pointer->form, pointer->type->element, e.where);
        TypeRef type = reference->type;
        *reference = *pointer;
        reference->type = type;
        reference->where = e.where;
        reference->is_reference = true;
        return reference;
    }
    Expr* a = value(e.a);
    const TypeRef type = a->type;
    const bool shaped = type->is_scalar() || type->is_vector();
    const bool fits = shaped && (e.unary == UnaryOp::logical_not ? type->is_boolean()
                                 : e.unary == UnaryOp::complement
                                     ? type->is_integer()
                                     : type->is_numeric() && type->scalar()->kind != Kind::u32 &&
                                           type->scalar()->kind != Kind::u64);
    const std::string_view sign = e.unary == UnaryOp::logical_not  ? "!"
                                  : e.unary == UnaryOp::complement ? "~"
                                                                   : "-";
    if (!fits) {
        const std::string_view takes = e.unary == UnaryOp::logical_not ? "bool or a vector of bool"
                                       : e.unary == UnaryOp::complement
                                           ? "an integer or a vector of integers"
                                           : "a signed number or a vector of them";
        refuse(e.where, fmt::format("{} takes {}, not {}.", sign, takes, type->name),
               e.unary == UnaryOp::negate && type->is_integer()
                   ? type->is_wide() ? "convert it to i64 first." : "convert it to i32 first."
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
               fix_for(op, types_.concrete(a->type), types_.concrete(b->type)));
    };
    const auto shaped = [](TypeRef t) { return t->is_scalar() || t->is_vector() || t->is_matrix(); };
    if (!shaped(a->type) || !shaped(b->type)) mismatch();
    const bool has_matrix = a->type->is_matrix() || b->type->is_matrix();
    const bool mixed = a->type->width() != b->type->width();
    if (!has_matrix && mixed && !(is_arithmetic(op) && (a->type->width() == 1 || b->type->width() == 1)))
        mismatch();
    TypeRef scalar = a->type->scalar();
    if (scalar != b->type->scalar()) {
        if (converts(scalar, b->type->scalar()))
            scalar = b->type->scalar();
        else if (!converts(b->type->scalar(), scalar))
            mismatch();
    }
    if (!accepts(op, scalar)) mismatch();
    // Beside an operand that isn't a const-expression, an abstract operand becomes concrete.
    if (scalar->is_abstract && (a->stage != Stage::constant || b->stage != Stage::constant))
        scalar = types_.concrete(scalar);
    const TypeRef left = types_.shaped(scalar, a->type), right = types_.shaped(scalar, b->type);
    auto of_matrices = has_matrix ? matrix_operator(types_, op, left, right) : std::nullopt;
    if (has_matrix && !of_matrices) mismatch();
    a = convert(a, left, "this");
    b = convert(b, right, "this");
    if (of_matrices) return function_call(*std::move(of_matrices), spelling(op), {a, b}, where);
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
                      (a->type->is_scalar() || a->type->is_vector()) &&
                      b->type->scalar()->kind != Kind::i32 && !b->type->is_wide();
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
    // If the left side decides, the right side isn't evaluated.
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

}  // namespace muster::wgsl
