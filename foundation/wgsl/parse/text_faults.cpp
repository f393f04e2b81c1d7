#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/parser.hpp>
#include <muster/foundation/wgsl/parse/text_faults.hpp>
#include <muster/foundation/wgsl/tokens/utf8.hpp>

namespace muster::wgsl {
namespace {

SourceLocation locate(std::string_view text, std::size_t offset, std::uint32_t file_index) {
    SourceLocation where{file_index, 1, 1};
    std::size_t line_start = 0;
    for (std::size_t at = 0; at < offset;) {
        const std::size_t bytes = line_break_at(text, at);
        at += std::max<std::size_t>(bytes, 1);
        if (bytes == 0) continue;
        ++where.line;
        line_start = at;
    }
    where.column = static_cast<std::uint32_t>(offset - std::min(line_start, offset) + 1);
    return where;
}

Diagnostic unexpected_character(std::string_view spelled) {
    const char32_t c = code_point_at(spelled, 0).value;
    if (c == '"' || c == '\'') return {{}, "WGSL has no strings and no character literals.", "use numbers."};
    if (c == '?') {
        return {{}, "WGSL has no conditional operator.", "write select(if_false, if_true, condition)."};
    }
    if (c == '#') return {{}, "WGSL has no preprocessor.", "write const or override declarations instead."};
    const bool printable = c > 0x20 && c < 0x7f;
    return {{},
            fmt::format("The character {}U+{:04X} is part of no WGSL token.",
                        printable ? fmt::format("'{}', ", static_cast<char>(c)) : "",
                        static_cast<std::uint32_t>(c)),
            "remove it."};
}

std::string_view largest(const Number& number) {
    switch (number.suffix) {
        case 'i': return "2147483647, the largest i32";
        case 'u': return "4294967295, the largest u32";
        case 'f': return "3.4028235e38, the largest f32";
        case 'h': return "65504, the largest f16";
        case long_u: return "18446744073709551615, the largest u64";
        default: break;
    }
    return number.is_float ? "1.7976931348623157e308, the largest float"
                           : "9223372036854775807, the largest integer";
}

}  // namespace

std::optional<Diagnostic> text_fault(std::string_view text, std::uint32_t file_index) {
    if (text.size() > max_text_bytes) {
        return Diagnostic{
            {file_index, 1, 1},
            fmt::format("The text has {} bytes, more than the {} that a WGSL text may have here.",
                        text.size(), max_text_bytes),
            "divide it into several programs."};
    }
    if (text.starts_with("\xef\xbb\xbf")) {
        return Diagnostic{{file_index, 1, 1},
                          "The text begins with a byte order mark, which WGSL doesn't allow.",
                          "save it as UTF-8 without a byte order mark."};
    }
    if (const std::optional<std::size_t> at = find_invalid_utf8(text)) {
        return Diagnostic{locate(text, *at, file_index),
                          fmt::format("The text isn't UTF-8: the byte 0x{:02X} is invalid here.",
                                      static_cast<unsigned char>(text[*at])),
                          "save the text as UTF-8."};
    }
    if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
        return Diagnostic{locate(text, at, file_index),
                          "The text has a null character (U+0000), which WGSL doesn't allow.", "remove it."};
    }
    return std::nullopt;
}

Diagnostic token_fault(const Token& token, std::string_view spelled) {
    switch (token.fault) {
        case TokenFault::none:
            return {{},
                    fmt::format("{} is a word that WGSL reserves.", quoted(spelled)),
                    fmt::format("choose another name, for instance '{}_'.", spelled)};
        case TokenFault::unexpected_character: return unexpected_character(spelled);
        case TokenFault::unclosed_comment:
            return {{}, "This comment isn't closed: the text ends first.", "close it with '*/'."};
        case TokenFault::leading_underscores:
            return {{},
                    fmt::format("The name {} begins with two underscores, which WGSL doesn't allow.",
                                quoted(spelled)),
                    "begin it with one underscore at most."};
        case TokenFault::leading_zero:
            return {
                {},
                fmt::format("The integer {} begins with a zero, which WGSL doesn't allow.", quoted(spelled)),
                "remove the leading zeros."};
        case TokenFault::no_hex_digits:
            return {
                {}, fmt::format("The number {} has no digits.", quoted(spelled)), "write digits after '0x'."};
        case TokenFault::no_exponent_digits:
            return {{},
                    fmt::format("The number {} has an exponent without digits.", quoted(spelled)),
                    "write the exponent's digits, or remove its letter."};
        case TokenFault::joined_to_number:
            return {{},
                    fmt::format("{} is neither a number nor a name.", quoted(spelled)),
                    "WGSL's number suffixes are i, u, f and h; names don't begin with a digit."};
    }
    return {};
}

Diagnostic number_fault(const Number& number, std::string_view spelled) {
    if (number.fault == NumberFault::inexact) {
        const std::string_view type = number.suffix == 'h' ? "f16" : number.suffix == long_f ? "f64" : "f32";
        return {{},
                fmt::format("The hexadecimal number {} has no exact {} value.", quoted(spelled), type),
                "write fewer digits, or no suffix."};
    }
    return {{},
            fmt::format("The number {} is over {}.", quoted(spelled), largest(number)),
            "write a smaller number, or choose another suffix."};
}

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 40;
    if (text.size() <= longest) return fmt::format("'{}'", text);
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;
    return fmt::format("'{}...'", text.substr(0, end));
}

}  // namespace muster::wgsl
