// c_name.hpp - what kernels and their parts are called where C or a debugger names them. Pure. Inline, since the compiler is a
// module of its own.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <muster/foundation/base/source.hpp>

namespace muster::cpu {

// clang-format off
/// Keywords of C (to C23) and C++ (to C++23), and names from <stddef.h> and <stdint.h> that a WGSL
/// program may well use; sorted.
inline constexpr auto c_keywords = std::to_array<std::string_view>({
    "NULL", "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic", "_Imaginary", "_Noreturn",
    "_Static_assert", "_Thread_local", "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool",
    "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield",
    "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default",
    "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for",
    "friend", "goto", "if", "inline", "int", "int32_t", "long", "mutable", "namespace", "new", "noexcept", "not",
    "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "restrict", "return", "short", "signed", "size_t", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "typeof", "typeof_unqual", "uint32_t", "uint64_t", "union", "unsigned", "using", "virtual", "void", "volatile",
    "wchar_t", "while", "xor", "xor_eq"});
// clang-format on
static_assert(std::ranges::is_sorted(c_keywords));

/// A WGSL name as a C and C++ identifier: keywords get an underscore, other characters are spelt out.
inline std::string c_identifier(std::string_view name) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::string result;
    for (const char c : name) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
        result += is_plain ? std::string(1, c) : fmt::format("x{:02X}", static_cast<unsigned char>(c));
    }
    if (result.empty() || is_digit(result[0])) result.insert(0, 1, '_');
    if (std::ranges::binary_search(c_keywords, result)) result += '_';
    return result;
}

/// A kernel's name as a C identifier: the entry's name, or its file's if the entry is "main", since a C program has its own main.
inline std::string c_name(std::string_view entry, std::span<const SourceFile> files) {
    if (entry != "main") return c_identifier(entry);
    std::string_view file = files.empty() ? std::string_view() : files[0].name;
    file.remove_prefix(file.find_last_of("/\\") + 1);
    file = file.substr(0, file.find('.'));
    return file.empty() || file == "main" ? "main_kernel" : c_identifier(file);
}

}  // namespace muster::cpu
