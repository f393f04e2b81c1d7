// expression.hpp - an expression's text and precedence, which decides whether it needs parentheses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace muster::c_text {

/// Precedence, loosest first. Bit operations and shifts share a level, so mixing them always gets
/// parentheses: compilers warn and readers stumble without.
enum class Precedence : std::uint8_t {
    choice,
    either,
    both,
    bits,
    comparison,
    sum,
    product,
    prefix,
    postfix
};

struct Expression {
    std::string text;
    Precedence precedence = Precedence::postfix;
};

inline std::string parenthesised(const Expression& one, Precedence least) {
    return one.precedence < least ? "(" + one.text + ")" : one.text;
}

inline Expression literal_expression(std::string text) {
    const bool is_prefix = text.starts_with('-') || text.starts_with('(');  // C's casts
    return {std::move(text), is_prefix ? Precedence::prefix : Precedence::postfix};
}

/// True for a name, a member of a name, or a literal: text short enough to repeat in a line.
inline bool is_short(const Expression& one) {
    return one.precedence >= Precedence::prefix && one.text.size() <= 40 &&
           std::ranges::all_of(one.text, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.' || c == '-' || c == '!';
           });
}

}  // namespace muster::c_text
