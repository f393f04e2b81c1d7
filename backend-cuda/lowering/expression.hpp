// expression.hpp - a piece of C++ and how tightly it holds together, so that only what needs parentheses gets them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace muster::cuda {

/// Loosest first. Bit operations and shifts are one step: between them, compilers warn and readers stumble.
enum class Binds : std::uint8_t { choice, either, both, bits, comparison, sum, product, prefix, postfix };

struct Expression {
    std::string text;
    Binds binds = Binds::postfix;
};

inline std::string parenthesised(const Expression& one, Binds least) {
    return one.binds < least ? "(" + one.text + ")" : one.text;
}

/// A name, a member of one, or a literal: may stand twice in a line.
inline bool is_short(const Expression& one) {
    return one.binds >= Binds::prefix && one.text.size() <= 40 && std::ranges::all_of(one.text, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.' || c == '-' || c == '!';
           });
}

}  // namespace muster::cuda
