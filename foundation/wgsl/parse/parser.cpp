#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/parser.hpp>
#include <muster/foundation/wgsl/parse/parser_state.hpp>
#include <muster/foundation/wgsl/parse/text_faults.hpp>
#include <muster/foundation/wgsl/tokens/lexer.hpp>

namespace muster::wgsl {

Parser::Parser(SourceFile file, std::uint32_t file_index) : file_index_(file_index) {
    tokens_ = tokenize(*file.text);
    module_.file = std::move(file);
}

ParsedModule Parser::run() && {
    if (tokens_.size() > max_tokens + 1) {
        fault(location(tokens_[max_tokens]),
              fmt::format("The text has more than {} words, numbers and signs.", max_tokens),
              "divide it into several programs.");
    } else {
        translation_unit();
    }
    std::sort(faults_.begin(), faults_.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.where, a.message) < std::tie(b.where, b.message);
    });
    return {std::move(module_), std::move(faults_)};
}

const Token& Parser::peek(std::size_t ahead) const {
    if (failed_) return tokens_.back();
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool Parser::at_any(std::initializer_list<TokenKind> kinds) const {
    return std::find(kinds.begin(), kinds.end(), peek().kind) != kinds.end();
}

Token Parser::take() {
    const Token token = peek();
    if (!failed_ && at_ + 1 < tokens_.size()) ++at_;
    taken_to_ = token.offset + token.length;
    return token;
}

bool Parser::accept(TokenKind kind) {
    if (failed_ || !at(kind)) return false;
    take();
    return true;
}

bool Parser::expect(TokenKind kind, std::string_view what) {
    if (accept(kind)) return true;
    fault_here(fmt::format("{} needs '{}' here, but {} stands here.", what, spelling(kind), found()),
               fmt::format("write '{}' before it, or correct what stands before.", spelling(kind)));
    return false;
}

bool Parser::expect_semicolon(std::string_view what) {
    if (accept(TokenKind::semicolon)) return true;
    if (at_any({TokenKind::invalid, TokenKind::reserved}) || at_ == 0) {
        fault_here("", "");
        return false;
    }
    const Token& before = tokens_[at_ - 1];
    SourceLocation end = location(before);
    end.column += before.length;
    fault(end, fmt::format("{} ends in ';', but {} follows.", what, found()), "write ';' here.");
    return false;
}

ast::Name Parser::expect_name(std::string_view what) {
    if (at(TokenKind::identifier)) {
        const Token token = take();
        return {text(token), location(token)};
    }
    const bool keyword = is_keyword(peek().kind);
    fault_here(fmt::format("{} needs a name here, but {}{} stands here.", what, keyword ? "the keyword " : "",
                           found()),
               keyword ? "choose another name." : "write a name here.");
    return {{}, location(peek())};
}

void Parser::take_half(TokenKind half) {
    Token& token = tokens_[at_];
    token.kind = half;
    token.offset += 1;
    token.column += 1;
    token.length = 1;
}

std::string_view Parser::text(const Token& token) const {
    return std::string_view(*module_.file.text).substr(token.offset, token.length);
}

SourceLocation Parser::location(const Token& token) const { return {file_index_, token.line, token.column}; }

std::string Parser::found() const {
    return at(TokenKind::end) ? std::string(spelling(TokenKind::end)) : quoted(text(peek()));
}

void Parser::fault(SourceLocation where, std::string message, std::string fix) {
    if (failed_) return;
    failed_ = true;
    faults_.push_back({{where, std::move(message), std::move(fix)}});
    if (faults_.size() >= max_faults) leaves_function_ = true;
}

void Parser::fault_here(std::string message, std::string fix) {
    const Token token = peek();
    if (token.kind == TokenKind::invalid || token.kind == TokenKind::reserved) {
        Diagnostic own = token_fault(token, text(token));
        return fault(location(token), std::move(own.message), std::move(own.fix));
    }
    fault(location(token), std::move(message), std::move(fix));
}

void Parser::unclosed(SourceLocation open, std::string_view bracket) {
    if (at_any({TokenKind::invalid, TokenKind::reserved})) return fault_here("", "");
    const std::string before = found();
    fault(open,
          fmt::format("This '{}' isn't closed: {} on line {} comes first.", bracket, before, peek().line),
          "close it, or remove it.");
}

// Recovers from a fault in the header of an if, for, while, switch or function: skips to its block, so that
// the block is parsed too. Returns false if there is no block.
bool Parser::recover_header(bool over_semicolons) {
    if (!failed_) return true;
    if (leaves_function_) return false;
    std::size_t to = at_;
    for (;; ++to) {
        const TokenKind kind = tokens_[to].kind;
        if (kind == TokenKind::brace_left) break;
        if (kind == TokenKind::end || kind == TokenKind::brace_right || kind == TokenKind::fn) return false;
        if (kind == TokenKind::semicolon && !over_semicolons) return false;
    }
    at_ = to;
    failed_ = false;
    return true;
}

namespace {

bool begins_statement(TokenKind kind) {
    using enum TokenKind;
    for (const TokenKind each : {break_, const_, const_assert, continue_, continuing, discard, fn, for_, if_,
                                 let, loop, return_, switch_, var, while_})
        if (kind == each) return true;
    return false;
}

bool begins_declaration(TokenKind kind) {
    using enum TokenKind;
    for (const TokenKind each :
         {alias, attr, const_, const_assert, enable, fn, override_, requires_, struct_, var})
        if (kind == each) return true;
    return false;
}

}  // namespace

// Skips to where the next statement may begin. Returns false to abandon the enclosing block.
bool Parser::recover_statement(std::size_t begin) {
    if (leaves_function_) return false;
    failed_ = false;
    if (std::exchange(resynchronised_, false)) return true;
    for (;; ++at_) {
        const TokenKind kind = tokens_[at_].kind;
        if (kind == TokenKind::end || kind == TokenKind::brace_right) return true;
        if (kind == TokenKind::semicolon) {
            ++at_;
            return true;
        }
        if (at_ == begin) continue;
        if (kind == TokenKind::brace_left || begins_statement(kind)) return true;
    }
}

// Skips to the next clause of a switch. Returns false to abandon the switch.
bool Parser::recover_clause(std::size_t begin) {
    if (leaves_function_) return false;
    failed_ = false;
    if (std::exchange(resynchronised_, false)) return true;
    while (!at_any({TokenKind::end, TokenKind::brace_right, TokenKind::fn})) {
        if (at_ != begin && at_any({TokenKind::case_, TokenKind::default_})) return true;
        if (at(TokenKind::brace_left)) {
            skip_block();
        } else {
            ++at_;
        }
    }
    return true;
}

void Parser::recover_member() {
    if (leaves_function_) return;
    failed_ = false;
    while (!at_any(
        {TokenKind::end, TokenKind::brace_right, TokenKind::brace_left, TokenKind::fn, TokenKind::struct_}))
        if (take().kind == TokenKind::comma) return;
}

void Parser::recover_declaration(std::size_t begin) {
    failed_ = leaves_function_ = false;
    statement_nesting_ = expression_nesting_ = 0;
    if (std::exchange(resynchronised_, false)) return;
    for (;; ++at_) {
        const TokenKind kind = tokens_[at_].kind;
        if (kind == TokenKind::end) return;
        if (kind == TokenKind::brace_left) return skip_block();
        if (kind == TokenKind::semicolon || kind == TokenKind::brace_right) {
            ++at_;
            return;
        }
        if (at_ != begin && begins_declaration(kind)) return;
    }
}

// Skips from a `{` past its matching `}`.
void Parser::skip_block() {
    std::size_t depth = 0;
    for (; tokens_[at_].kind != TokenKind::end; ++at_) {
        if (tokens_[at_].kind == TokenKind::brace_left) ++depth;
        if (tokens_[at_].kind == TokenKind::brace_right && --depth == 0) {
            ++at_;
            return;
        }
    }
}

ParsedModule parse_module(SourceFile file, std::uint32_t file_index) {
    if (std::optional<Diagnostic> fault = text_fault(*file.text, file_index)) {
        ParsedModule parsed;
        parsed.module.file = std::move(file);
        parsed.faults.push_back({std::move(*fault)});
        return parsed;
    }
    return Parser(std::move(file), file_index).run();
}

}  // namespace muster::wgsl
