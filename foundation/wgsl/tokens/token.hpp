// token.hpp - the tokens of a WGSL text.
//
// Source: WGSL sections "Tokens", "Keyword Summary", "Reserved Words", "Syntactic Tokens".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster::wgsl {

// clang-format off
enum class TokenKind : std::uint8_t {
    end,         // of the text; always the last token
    invalid,     // see Token::fault
    identifier,
    reserved,  // a reserved word, which can't be an identifier
    number,
    // keywords
    alias, break_, case_, const_, const_assert, continue_, continuing, default_, diagnostic, discard, else_, enable,
    false_, fn, for_, if_, let, loop, override_, requires_, return_, struct_, switch_, true_, var, while_,
    // syntactic tokens
    and_, and_and, arrow, attr, forward_slash, bang, bracket_left, bracket_right, brace_left, brace_right, colon, comma,
    equal, equal_equal, not_equal, greater_than, greater_than_equal, shift_right, less_than, less_than_equal,
    shift_left, modulo, minus, minus_minus, period, plus, plus_plus, or_, or_or, paren_left, paren_right, semicolon,
    star, tilde, underscore, xor_, plus_equal, minus_equal, times_equal, division_equal, modulo_equal, and_equal,
    or_equal, xor_equal, shift_right_equal, shift_left_equal,
    template_args_start, template_args_end,
};
// clang-format on
inline constexpr std::size_t token_kind_count = static_cast<std::size_t>(TokenKind::template_args_end) + 1;

struct TokenKindInfo {
    TokenKind kind;
    std::string_view spelling;
    bool is_keyword = false;
};

// clang-format off
inline constexpr std::array<TokenKindInfo, token_kind_count> token_kinds{{
    {TokenKind::end, "the end of the text"}, {TokenKind::invalid, "an invalid character"},
    {TokenKind::identifier, "a name"}, {TokenKind::reserved, "a reserved word"}, {TokenKind::number, "a number"},
    {TokenKind::alias, "alias", true}, {TokenKind::break_, "break", true}, {TokenKind::case_, "case", true},
    {TokenKind::const_, "const", true}, {TokenKind::const_assert, "const_assert", true}, {TokenKind::continue_, "continue", true},
    {TokenKind::continuing, "continuing", true}, {TokenKind::default_, "default", true}, {TokenKind::diagnostic, "diagnostic", true},
    {TokenKind::discard, "discard", true}, {TokenKind::else_, "else", true}, {TokenKind::enable, "enable", true},
    {TokenKind::false_, "false", true}, {TokenKind::fn, "fn", true}, {TokenKind::for_, "for", true}, {TokenKind::if_, "if", true},
    {TokenKind::let, "let", true}, {TokenKind::loop, "loop", true}, {TokenKind::override_, "override", true},
    {TokenKind::requires_, "requires", true}, {TokenKind::return_, "return", true}, {TokenKind::struct_, "struct", true},
    {TokenKind::switch_, "switch", true}, {TokenKind::true_, "true", true}, {TokenKind::var, "var", true}, {TokenKind::while_, "while", true},
    {TokenKind::and_, "&"}, {TokenKind::and_and, "&&"}, {TokenKind::arrow, "->"}, {TokenKind::attr, "@"},
    {TokenKind::forward_slash, "/"}, {TokenKind::bang, "!"}, {TokenKind::bracket_left, "["},
    {TokenKind::bracket_right, "]"}, {TokenKind::brace_left, "{"}, {TokenKind::brace_right, "}"},
    {TokenKind::colon, ":"}, {TokenKind::comma, ","}, {TokenKind::equal, "="}, {TokenKind::equal_equal, "=="},
    {TokenKind::not_equal, "!="}, {TokenKind::greater_than, ">"}, {TokenKind::greater_than_equal, ">="},
    {TokenKind::shift_right, ">>"}, {TokenKind::less_than, "<"}, {TokenKind::less_than_equal, "<="},
    {TokenKind::shift_left, "<<"}, {TokenKind::modulo, "%"}, {TokenKind::minus, "-"},
    {TokenKind::minus_minus, "--"}, {TokenKind::period, "."}, {TokenKind::plus, "+"}, {TokenKind::plus_plus, "++"},
    {TokenKind::or_, "|"}, {TokenKind::or_or, "||"}, {TokenKind::paren_left, "("}, {TokenKind::paren_right, ")"},
    {TokenKind::semicolon, ";"}, {TokenKind::star, "*"}, {TokenKind::tilde, "~"}, {TokenKind::underscore, "_"},
    {TokenKind::xor_, "^"}, {TokenKind::plus_equal, "+="}, {TokenKind::minus_equal, "-="},
    {TokenKind::times_equal, "*="}, {TokenKind::division_equal, "/="}, {TokenKind::modulo_equal, "%="},
    {TokenKind::and_equal, "&="}, {TokenKind::or_equal, "|="}, {TokenKind::xor_equal, "^="},
    {TokenKind::shift_right_equal, ">>="}, {TokenKind::shift_left_equal, "<<="},
    {TokenKind::template_args_start, "<"}, {TokenKind::template_args_end, ">"},
}};
// clang-format on

/// The token's text; for the first five kinds, a description.
constexpr std::string_view spelling(TokenKind kind) {
    return token_kinds[static_cast<std::size_t>(kind)].spelling;
}

constexpr bool is_keyword(TokenKind kind) { return token_kinds[static_cast<std::size_t>(kind)].is_keyword; }

/// The keyword with this text, or `reserved` for a reserved word, otherwise `identifier`.
/// Precondition: the text isn't empty.
TokenKind word_kind(std::string_view word);

/// The reason why a token is invalid.
enum class TokenFault : std::uint8_t {
    none,
    unexpected_character,
    unclosed_comment,
    leading_underscores,
    leading_zero,
    no_hex_digits,
    no_exponent_digits,
    joined_to_number,
};

struct Token {
    TokenKind kind = TokenKind::end;
    TokenFault fault = TokenFault::none;
    std::uint32_t offset = 0, length = 0;  // bytes
    std::uint32_t line = 1, column = 1;    // as in SourceLocation
};

}  // namespace muster::wgsl
