// token.hpp - the words of a WGSL text.
// Source: WGSL sections "Tokens", "Keyword Summary", "Reserved Words", "Syntactic Tokens".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster::wgsl {

// clang-format off
enum class TokenKind : std::uint8_t {
    end,         // of the text; always the last token
    invalid,     // see Token::fault
    identifier,
    reserved,    // a reserved word: no identifier may be spelled so
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

/// How a kind is written; for the first five, what it is called.
std::string_view spelling(TokenKind kind);

/// The keyword or `reserved` that is spelled so, else `identifier`.
TokenKind word_kind(std::string_view word);

/// Why the bytes of an invalid token are none.
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
