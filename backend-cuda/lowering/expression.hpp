// expression.hpp - a C++ expression's text and precedence, which decides whether it needs parentheses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace muster::cuda {

/// Precedence, loosest first. Bit operations and shifts share a level, so mixing them always gets parentheses:
/// compilers warn and readers stumble without.
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

/// True for a name, a member of a name, or a literal: text short enough to repeat in a line.
inline bool is_short(const Expression& one) {
    return one.precedence >= Precedence::prefix && one.text.size() <= 40 &&
           std::ranges::all_of(one.text, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.' || c == '-' || c == '!';
           });
}

}  // namespace muster::cuda
