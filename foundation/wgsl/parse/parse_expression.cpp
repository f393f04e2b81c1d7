// Parses expressions (WGSL sections "Expression Grammar Summary", "Operator Precedence and Associativity").
#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/parser_state.hpp>
#include <muster/foundation/wgsl/parse/text_faults.hpp>

namespace muster::wgsl {

using ast::ExpressionId;
using ast::ExpressionKind;
using enum TokenKind;

namespace {

struct OperatorInfo {
    TokenKind plain;
    TokenKind assigning;  // `end`: no assigning form
    ast::BinaryOp op;
};
constexpr OperatorInfo operators[] = {
    {plus, plus_equal, ast::BinaryOp::add},
    {minus, minus_equal, ast::BinaryOp::subtract},
    {star, times_equal, ast::BinaryOp::multiply},
    {forward_slash, division_equal, ast::BinaryOp::divide},
    {modulo, modulo_equal, ast::BinaryOp::remainder},
    {and_, and_equal, ast::BinaryOp::bit_and},
    {or_, or_equal, ast::BinaryOp::bit_or},
    {xor_, xor_equal, ast::BinaryOp::bit_xor},
    {shift_left, shift_left_equal, ast::BinaryOp::shift_left},
    {shift_right, shift_right_equal, ast::BinaryOp::shift_right},
    {equal_equal, end, ast::BinaryOp::equal},
    {not_equal, end, ast::BinaryOp::not_equal},
    {less_than, end, ast::BinaryOp::less},
    {less_than_equal, end, ast::BinaryOp::less_equal},
    {greater_than, end, ast::BinaryOp::greater},
    {greater_than_equal, end, ast::BinaryOp::greater_equal},
    {and_and, end, ast::BinaryOp::logical_and},
    {or_or, end, ast::BinaryOp::logical_or},
};

const OperatorInfo* find_operator(TokenKind kind) {
    const auto* found =
        std::find_if(std::begin(operators), std::end(operators), [kind](const OperatorInfo& each) {
            return each.plain == kind || (each.assigning == kind && kind != end);
        });
    return found == std::end(operators) ? nullptr : found;
}

constexpr auto relational = {less_than,          less_than_equal, greater_than,
                             greater_than_equal, equal_equal,     not_equal};

}  // namespace

bool is_binary_operator(TokenKind kind) {
    const OperatorInfo* found = find_operator(kind);
    return found != nullptr && found->plain == kind;
}

bool is_compound_assignment(TokenKind kind) {
    const OperatorInfo* found = find_operator(kind);
    return found != nullptr && found->assigning == kind;
}

ast::BinaryOp binary_op(TokenKind kind) { return find_operator(kind)->op; }

ExpressionId Parser::expression() {
    ExpressionId left = unary_expression();
    if (at_any({and_, or_, xor_})) {
        const TokenKind kind = peek().kind;
        while (at(kind)) {
            const Token op = take();
            left = binary(op, left, unary_expression());
        }
    } else {
        left = relational_expression(left);
        const TokenKind kind = peek().kind;
        while ((kind == and_and || kind == or_or) && at(kind)) {
            const Token op = take();
            left = binary(op, left, relational_expression(unary_expression()));
        }
    }
    if (is_binary_operator(peek().kind)) refuse_mixing();
    return left;
}

// Reports an operator that the grammar can combine with the previous one only by parentheses.
void Parser::refuse_mixing() {
    fault_here(fmt::format("WGSL gives '{}' and '{}' no order beside each other.", spelling(last_operator_),
                           spelling(peek().kind)),
               "say with parentheses which is meant first.");
}

ExpressionId Parser::relational_expression(ExpressionId left) {
    left = shift_expression(left);
    if (!at_any(relational)) return left;
    const Token op = take();
    return binary(op, left, shift_expression(unary_expression()));
}

ExpressionId Parser::shift_expression(ExpressionId left) {
    if (at_any({shift_left, shift_right})) {
        const Token op = take();
        return binary(op, left, unary_expression());
    }
    left = multiplicative_chain(left);
    while (at_any({plus, minus, minus_minus})) {
        const Token op = peek();
        if (at(minus_minus)) {
            take_half(minus);
        } else {
            take();
        }
        left = binary(op, left, multiplicative_chain(unary_expression()));
    }
    return left;
}

ExpressionId Parser::multiplicative_chain(ExpressionId left) {
    while (at_any({star, forward_slash, modulo})) {
        const Token op = take();
        left = binary(op, left, unary_expression());
    }
    return left;
}

ExpressionId Parser::binary(const Token& op, ExpressionId left, ExpressionId right) {
    last_operator_ = op.kind;
    if (failed_) return {};
    const TokenKind kind = op.kind == minus_minus ? minus : op.kind;
    return add({.kind = ExpressionKind::binary,
                .binary = binary_op(kind),
                .where = location(op),
                .a = left,
                .b = right},
               module_[left].begin);
}

// Every deeper expression is parsed through this function, so it limits the nesting.
ExpressionId Parser::unary_expression() {
    if (expression_nesting_ >= max_expression_nesting) {
        fault_here(fmt::format("The expression is nested more than {} levels deep.", max_expression_nesting),
                   "name its parts with `let`.");
        return {};
    }
    ++expression_nesting_;
    ExpressionId result;
    if (at_any({minus, minus_minus, bang, tilde, star, and_, and_and})) {
        const Token op = peek();
        ast::UnaryOp unary = ast::UnaryOp::negate;
        if (op.kind == bang) unary = ast::UnaryOp::logical_not;
        if (op.kind == tilde) unary = ast::UnaryOp::complement;
        if (op.kind == star) unary = ast::UnaryOp::dereference;
        if (op.kind == and_ || op.kind == and_and) unary = ast::UnaryOp::address_of;
        if (op.kind == minus_minus || op.kind == and_and) {
            take_half(op.kind == minus_minus ? minus : and_);
        } else {
            take();
        }
        const ExpressionId operand = unary_expression();
        if (!failed_)
            result = add({.kind = ExpressionKind::unary, .unary = unary, .where = location(op), .a = operand},
                         op.offset);
    } else {
        result = singular_expression();
    }
    --expression_nesting_;
    return result;
}

ExpressionId Parser::singular_expression() {
    ExpressionId value = primary_expression();
    while (at_any({bracket_left, period})) {
        const Token op = take();
        if (op.kind == bracket_left) {
            const ExpressionId index = expression();
            expect(bracket_right, "An index");
            if (failed_) return {};
            value = add({.kind = ExpressionKind::index, .where = location(op), .a = value, .b = index},
                        module_[value].begin);
        } else {
            const ast::Name member = expect_name("'.'");
            if (failed_) return {};
            value =
                add({.kind = ExpressionKind::member, .where = member.where, .name = member.text, .a = value},
                    module_[value].begin);
        }
    }
    return value;
}

ExpressionId Parser::primary_expression() {
    if (at(paren_left)) {
        const Token open = take();
        const ExpressionId inner = expression();
        expect(paren_right, "An expression in parentheses");
        if (failed_) return {};
        module_.expressions[inner.index].begin = open.offset;
        module_.expressions[inner.index].end = taken_to_;
        return inner;
    }
    if (at_any({number, true_, false_})) return literal();
    if (!at(identifier)) {
        fault_here(fmt::format("An expression is needed here, but {} stands here.", found()),
                   "write a value here.");
        return {};
    }
    const ExpressionId callee = template_elaborated_ident();
    if (!at(paren_left)) return callee;
    take();
    const ast::Range<ExpressionId> arguments = expression_list(paren_right, "An argument list");
    if (failed_) return {};
    return add({.kind = ExpressionKind::call, .where = module_[callee].where, .a = callee, .list = arguments},
               module_[callee].begin);
}

ExpressionId Parser::template_elaborated_ident() {
    const Token token = take();
    ast::Expression result{.where = location(token), .name = text(token)};
    if (accept(template_args_start)) {
        result.has_template = true;
        result.list = expression_list(template_args_end, "A template list");
        if (!failed_ && result.list.count == 0)
            fault(result.where, fmt::format("The template list of {} is empty.", quoted(result.name)),
                  "write its arguments, or remove it.");
    }
    return failed_ ? ExpressionId{} : add(result, token.offset);
}

ExpressionId Parser::type_specifier(std::string_view what) {
    if (at(identifier)) return template_elaborated_ident();
    fault_here(fmt::format("{} needs a type here, but {} stands here.", what, found()),
               "write a type here, for instance f32.");
    return {};
}

ExpressionId Parser::literal() {
    const Token token = take();
    ast::Expression result{.where = location(token), .name = text(token)};
    if (token.kind != TokenKind::number) {
        result.kind = ExpressionKind::bool_literal;
        result.integer = token.kind == true_ ? 1 : 0;
        return add(result, token.offset);
    }
    const Number number = read_number(result.name);
    if (number.fault != NumberFault::none) {
        Diagnostic own = number_fault(number, result.name);
        fault(result.where, std::move(own.message), std::move(own.fix));
        return {};
    }
    result.suffix = number.suffix;
    result.kind = number.is_float ? ExpressionKind::float_literal : ExpressionKind::int_literal;
    if (number.is_float) {
        result.number = number.value;
    } else {
        result.integer = number.integer;
    }
    return add(result, token.offset);
}

// Parses expressions up to `close` and consumes it; a trailing comma is allowed.
ast::Range<ExpressionId> Parser::expression_list(TokenKind close, std::string_view what) {
    const std::size_t base = open_expressions_.size();
    while (!at_any({close, end})) {
        const ExpressionId each = expression();
        open_expressions_.push_back(each);
        if (!accept(comma)) break;
    }
    expect(close, what);
    const ast::Range<ExpressionId> list{static_cast<std::uint32_t>(module_.expression_lists.size()),
                                        static_cast<std::uint32_t>(open_expressions_.size() - base)};
    const auto first = open_expressions_.begin() + static_cast<std::ptrdiff_t>(base);
    module_.expression_lists.insert(module_.expression_lists.end(), first, open_expressions_.end());
    open_expressions_.erase(first, open_expressions_.end());
    return list;
}

std::uint16_t Parser::depth(ExpressionId id) const { return id ? module_[id].depth : std::uint16_t{0}; }

ExpressionId Parser::add(ast::Expression expression, std::uint32_t begin) {
    std::uint16_t below = std::max(depth(expression.a), depth(expression.b));
    for (const ExpressionId each : module_[expression.list]) below = std::max(below, depth(each));
    if (below >= max_expression_depth) {
        fault(expression.where,
              fmt::format("The expression has more than {} operations one upon the other.",
                          max_expression_depth),
              "name its parts with `let`.");
        return {};
    }
    expression.depth = static_cast<std::uint16_t>(below + 1);
    expression.begin = begin;
    expression.end = taken_to_;
    module_.expressions.push_back(expression);
    return {static_cast<std::uint32_t>(module_.expressions.size() - 1)};
}

}  // namespace muster::wgsl
