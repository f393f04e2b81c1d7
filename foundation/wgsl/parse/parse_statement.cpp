// Parses statements (WGSL section "Statements Grammar Summary").
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/parser_state.hpp>
#include <muster/foundation/wgsl/parse/text_faults.hpp>

namespace muster::wgsl {

using ast::Statement;
using ast::StatementId;
using ast::StatementKind;
using enum TokenKind;

StatementId Parser::add(Statement statement) {
    module_.statements.push_back(statement);
    return {static_cast<std::uint32_t>(module_.statements.size() - 1)};
}

StatementId Parser::compound_statement(Block block, StatementId* continuing) {
    Statement result{.kind = StatementKind::compound};
    result.attributes = attributes();
    const Token open = peek();
    result.where = location(open);
    if (!at(brace_left)) {
        expect(brace_left, "A block");
        return {};
    }
    if (statement_nesting_ > max_statement_nesting) {
        fault_here(fmt::format("Blocks are nested more than {} levels deep.", max_statement_nesting),
                   "move inner blocks into functions.");
        skip_block();
        resynchronised_ = true;
        return {};
    }
    take();
    ++statement_nesting_;
    const std::size_t base = open_statements_.size();
    statement_list(block, continuing);
    const auto first = open_statements_.begin() + static_cast<std::ptrdiff_t>(base);
    result.statements = {static_cast<std::uint32_t>(module_.statement_lists.size()),
                         static_cast<std::uint32_t>(open_statements_.size() - base)};
    module_.statement_lists.insert(module_.statement_lists.end(), first, open_statements_.end());
    open_statements_.erase(first, open_statements_.end());
    --statement_nesting_;

    result.end = location(peek());
    if (!accept(brace_right) && !failed_) {
        unclosed(result.where, "{");
        leaves_function_ = true;
    }
    return add(result);
}

// Parses statements up to the closing brace. A fault skips only its own statement.
void Parser::statement_list(Block block, StatementId* continuing) {
    while (!at_any({brace_right, end, fn})) {
        const std::size_t begin = at_;
        if (block == Block::loop_body && at(TokenKind::continuing)) {
            take();
            *continuing = compound_statement(Block::continuing);
            if (!failed_ && !at(brace_right))
                fault_here(
                    fmt::format("'continuing' is the last statement of its loop, but {} follows.", found()),
                    "move what follows before 'continuing'.");
        } else if (block == Block::continuing && at(break_) && peek(1).kind == if_) {
            open_statements_.push_back(break_if_statement());
            if (!failed_ && !at(brace_right))
                fault_here(
                    fmt::format("'break if' is the last statement of its block, but {} follows.", found()),
                    "move what follows before 'break if'.");
        } else if (const StatementId each = statement()) {
            open_statements_.push_back(each);
        }
        if (failed_ && !recover_statement(begin)) return;
    }
}

// Returns none for `;` and after a fault.
StatementId Parser::statement() {
    if (accept(semicolon)) return {};
    if (!at(attr)) return keyword_statement(peek());
    const ast::Range<ast::Attribute> before = attributes();
    if (at(fn)) return {};  // the list ends at `fn`, and the block is reported as unclosed
    if (!at_any({brace_left, if_, switch_, loop, for_, while_})) refuse_attributes(before, "this statement");
    const StatementId result = failed_ ? StatementId{} : keyword_statement(peek());
    if (result) module_.statements[result.index].attributes = before;
    return result;
}

StatementId Parser::keyword_statement(const Token& first) {
    const auto simple = [this](StatementKind kind, std::string_view what) {
        const Token token = take();
        expect_semicolon(what);
        return add({.kind = kind, .where = location(token)});
    };
    if (first.kind == brace_left) return compound_statement();
    if (first.kind == if_) return if_statement();
    if (first.kind == switch_) return switch_statement();
    if (first.kind == loop) return loop_statement();
    if (first.kind == for_) return for_statement();
    if (first.kind == while_) return while_statement();
    if (first.kind == break_) return break_statement();
    if (first.kind == continue_) return simple(StatementKind::continue_, "'continue'");
    if (first.kind == discard) return simple(StatementKind::discard, "'discard'");
    if (first.kind == return_) return return_statement();
    if (first.kind == TokenKind::const_assert) return const_assert_statement();
    if (at_any({var, let, const_})) {
        const StatementId result = variable_statement();
        expect_semicolon("A declaration");
        return result;
    }
    if (at_any({underscore, identifier, paren_left, star, and_, and_and})) {
        const StatementId result = expression_statement();
        expect_semicolon("A statement");
        return result;
    }
    return misplaced_statement();
}

StatementId Parser::misplaced_statement() {
    const std::string what = found();
    if (at_any({struct_, alias, override_, enable, requires_, diagnostic})) {
        fault_here(fmt::format("{} stands at module scope only, not in a function.", what),
                   "move it out of the function.");
    } else if (at(else_)) {
        fault_here("'else' follows no if.", "write it right behind the closing brace of an if.");
    } else if (at_any({case_, default_})) {
        fault_here(fmt::format("{} stands outside a switch.", what),
                   "put it between the braces of a switch.");
    } else if (at(continuing)) {
        fault_here("'continuing' stands outside a loop's body.", "put it last in the body of a `loop`.");
    } else if (at_any({plus_plus, minus_minus})) {
        fault_here(fmt::format("{} stands behind a variable, not before it.", what),
                   "write `i++;` or `i--;`.");
    } else {
        fault_here(fmt::format("A statement can't begin with {}.", what), "remove it.");
    }
    return {};
}

StatementId Parser::if_statement() {
    const StatementId first = if_clause();
    StatementId last = first;
    for (std::uint32_t count = 0; !failed_ && at(else_); ++count) {
        take();
        const bool chained = at(if_);
        if (chained && count == max_else_ifs)
            fault_here(fmt::format("More than {} 'else if' follow each other.", max_else_ifs),
                       "use a switch.");
        const StatementId otherwise = chained ? if_clause() : compound_statement();
        if (failed_) break;
        module_.statements[last.index].otherwise = otherwise;
        last = otherwise;
        if (!chained) break;
    }
    return first;
}

StatementId Parser::if_clause() {
    Statement result{.kind = StatementKind::if_, .where = location(take())};
    result.a = expression();
    if (recover_header()) result.body = compound_statement();
    return add(result);
}

StatementId Parser::while_statement() {
    Statement result{.kind = StatementKind::while_, .where = location(take())};
    result.a = expression();
    if (recover_header()) result.body = compound_statement();
    return add(result);
}

StatementId Parser::loop_statement() {
    Statement result{.kind = StatementKind::loop, .where = location(take())};
    result.body = compound_statement(Block::loop_body, &result.continuing);
    return add(result);
}

StatementId Parser::switch_statement() {
    Statement result{.kind = StatementKind::switch_, .where = location(take())};
    result.a = expression();
    result.body_attributes = attributes();
    if (!recover_header() || !expect(brace_left, "A switch")) return {};
    const std::size_t base = open_cases_.size();
    std::uint32_t defaults = 0;
    const std::size_t faults_before = faults_.size();
    while (!at_any({brace_right, end, fn})) {
        const std::size_t begin = at_;
        switch_clause(defaults);
        if (failed_ && !recover_clause(begin)) break;
    }
    if (!failed_ && !accept(brace_right)) {
        unclosed(result.where, "switch");
        leaves_function_ = true;
    } else if (defaults != 1 && faults_.size() == faults_before) {
        fault(result.where,
              defaults == 0
                  ? "The switch has no default clause."
                  : fmt::format("The switch has {} default clauses, more than the one it needs.", defaults),
              defaults == 0 ? "add `default: {}`." : "remove all but one.");
        resynchronised_ = true;
    }
    const auto first = open_cases_.begin() + static_cast<std::ptrdiff_t>(base);
    result.cases = {static_cast<std::uint32_t>(module_.cases.size()),
                    static_cast<std::uint32_t>(open_cases_.size() - base)};
    module_.cases.insert(module_.cases.end(), first, open_cases_.end());
    open_cases_.erase(first, open_cases_.end());
    return add(result);
}

void Parser::switch_clause(std::uint32_t& defaults) {
    ast::Case result{.where = location(peek())};
    const std::size_t base = open_expressions_.size();
    if (accept(default_)) {
        result.is_default = true;
        ++defaults;
    } else if (accept(case_)) {
        bool any = false;
        do {
            if (any && at_any({colon, brace_left, attr})) break;
            any = true;
            if (accept(default_)) {
                result.is_default = true;
                ++defaults;
            } else {
                const ast::ExpressionId selector = expression();
                open_expressions_.push_back(selector);
            }
        } while (accept(comma));
    } else {
        fault_here(fmt::format("A switch holds 'case' and 'default' clauses, but {} stands here.", found()),
                   "write `case VALUE: {` before it.");
        return;
    }
    result.selectors = {static_cast<std::uint32_t>(module_.expression_lists.size()),
                        static_cast<std::uint32_t>(open_expressions_.size() - base)};
    const auto first = open_expressions_.begin() + static_cast<std::ptrdiff_t>(base);
    module_.expression_lists.insert(module_.expression_lists.end(), first, open_expressions_.end());
    open_expressions_.erase(first, open_expressions_.end());
    accept(colon);
    if (recover_header()) result.body = compound_statement();
    open_cases_.push_back(result);
}

StatementId Parser::for_statement() {
    Statement result{.kind = StatementKind::for_, .where = location(take())};
    if (expect(paren_left, "A for")) for_header(result);
    if (recover_header(true)) result.body = compound_statement();
    return add(result);
}

void Parser::for_header(Statement& statement) {
    statement.init = for_part(true);
    expect(semicolon, "The first part of a for");
    if (!at(semicolon) && !failed_) statement.a = expression();
    expect(semicolon, "The condition of a for");
    if (!at(paren_right) && !failed_) statement.update = for_part(false);
    expect(paren_right, "The head of a for");
}

StatementId Parser::for_part(bool may_declare) {
    if (at_any({semicolon, paren_right}) || failed_) return {};
    if (may_declare && at_any({var, let, const_})) return variable_statement();
    return expression_statement();
}

StatementId Parser::break_statement() {
    const Token token = take();
    if (accept(if_)) {
        fault(location(token), "'break if' stands only as the last statement of a continuing block.",
              "write `if CONDITION { break; }`.");
        return {};
    }
    expect_semicolon("'break'");
    return add({.kind = StatementKind::break_, .where = location(token)});
}

StatementId Parser::break_if_statement() {
    Statement result{.kind = StatementKind::break_if, .where = location(take())};
    take();
    result.a = expression();
    expect_semicolon("'break if'");
    return add(result);
}

StatementId Parser::return_statement() {
    Statement result{.kind = StatementKind::return_, .where = location(take())};
    if (!at_any({semicolon, brace_right})) result.a = expression();
    expect_semicolon("A return");
    return add(result);
}

StatementId Parser::const_assert_statement() {
    Statement result{.kind = StatementKind::const_assert, .where = location(take())};
    result.a = expression();
    expect_semicolon("A const_assert");
    return add(result);
}

StatementId Parser::variable_statement() {
    Statement result{.kind = StatementKind::variable, .where = location(peek())};
    result.variable = variable_decl({});
    return add(result);
}

StatementId Parser::phony_assignment() {
    Statement result{.kind = StatementKind::phony_assign, .where = location(take())};
    expect(equal, "'_'");
    if (!failed_) result.b = expression();
    return add(result);
}

StatementId Parser::expression_statement() {
    if (at(underscore)) return phony_assignment();
    const Token start = peek();
    const bool is_word = start.kind == identifier;
    Statement result{.where = location(start)};
    if (!at_any({identifier, paren_left, star, and_, and_and})) return misplaced_statement();
    result.a = unary_expression();
    if (failed_) return {};
    const Token op = peek();
    if (op.kind == equal || is_compound_assignment(op.kind)) {
        take();
        result.kind = op.kind == equal ? StatementKind::assign : StatementKind::compound_assign;
        if (op.kind != equal) result.op = binary_op(op.kind);
        result.b = expression();
    } else if (op.kind == plus_plus || op.kind == minus_minus) {
        take();
        result.kind = op.kind == plus_plus ? StatementKind::increment : StatementKind::decrement;
    } else if (is_word && module_[result.a].kind == ast::ExpressionKind::call) {
        result.kind = StatementKind::call;
    } else if (op.kind == identifier && is_word) {
        fault(result.where,
              fmt::format("{} begins no statement: WGSL writes a variable's type behind its name.",
                          quoted(text(start))),
              fmt::format("declare it as `var {}: {} = ...;`.", text(op).substr(0, 40),
                          text(start).substr(0, 40)));
    } else {
        fault(result.where, "An expression alone isn't a statement.", "assign it: `_ = ...;`, or remove it.");
    }
    return add(result);
}

}  // namespace muster::wgsl
