// identifier.hpp - the names that WGSL takes as identifiers (section "Identifiers"). Needs no lexer.
#pragma once

#include <cstddef>
#include <string_view>

#include <muster/foundation/wgsl/tokens/literal.hpp>
#include <muster/foundation/wgsl/tokens/utf8.hpp>
#include <muster/foundation/wgsl/tokens/xid.hpp>

namespace muster::wgsl {

constexpr bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr bool is_ascii_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The end of the characters from `at` that an identifier may contain behind its first one.
inline std::size_t after_word(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        if (is_ascii(text[at])) {
            if (!is_ascii_letter(text[at]) && !is_digit(text[at])) break;
            ++at;
            continue;
        }
        const CodePoint point = code_point_at(text, at);
        if (!is_xid_continue(point.value)) break;
        at += point.bytes;
    }
    return at;
}

/// True if `name` is a WGSL identifier: not a keyword and not a reserved word.
bool is_identifier(std::string_view name);

/// Prefix for predeclared words that the program's own names hide; needs predeclared_enable (resolver.hpp).
inline constexpr std::string_view predeclared_prefix = "muster_predeclared_";

}  // namespace muster::wgsl
