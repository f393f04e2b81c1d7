#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/driver/c_text/names.hpp>
#include <muster/driver/c_text/prelude.hpp>

namespace muster::c_text {
namespace {

// clang-format off
constexpr std::string_view reserved_words[] = {
    // C++
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char8_t", "char16_t", "char32_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "consteval", "constexpr", "constinit", "const_cast", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return", "short",
    "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
    "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq",
    // names a kernel can't have, and names that compilers and C's headers define as
    // macros or at namespace scope
    "main", "linux", "unix", "i386", "NULL", "assert", "errno", "signbit", "isnan", "isinf", "isfinite", "std", "size_t",
    "ptrdiff_t", "EOF", "INFINITY", "NAN", "M_PI",
    // muster's own
    "array", "padded", "padded_half", "padded_byte", "padded_wide", "half_bits", "i8_t", "u8_t", "i16_t", "u16_t", "i64_t",
    "u64_t", "component", "set_component", "pick", "store_to", "set_zero", "select", "all", "any"};
// clang-format on

// clang-format off
// C's names for double; the float versions end in `f`.
constexpr std::string_view mathematics[] = {
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf",
    "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "hypot",
    "ilogb", "j0", "j1", "jn", "ldexp", "lgamma", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint",
    "lround", "modf", "nan", "nearbyint", "nextafter", "pow", "remainder", "remquo", "rint", "round", "scalbln", "scalbn",
    "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn"};
constexpr std::string_view library[] = {
    "printf", "vprintf", "malloc", "calloc", "realloc", "free", "memcpy", "memset", "memmove", "memcmp", "clock", "labs",
    "llabs", "div", "ldiv", "lldiv", "exit", "abort", "atexit", "time", "rand", "srand", "random", "qsort", "bsearch",
    "index", "rindex", "signal", "raise", "system", "getenv", "puts", "gets", "read", "write", "open", "close", "select",
    "poll", "gamma", "drem", "significand", "signgam", "isnan", "isinf", "finite", "strlen", "strcmp", "remove", "rename",
    "link", "pipe", "sleep", "wait", "alarm", "pause", "truncate", "access", "environ",
    // types from headers that others include
    "FILE", "clock_t", "div_t", "fd_set", "fpos_t", "int8_t", "int16_t", "int32_t", "int64_t", "ldiv_t", "lldiv_t", "locale_t",
    "max_align_t", "nullptr_t", "off_t", "quad_t", "random_data", "sigset_t", "ssize_t", "stat", "time_t", "timespec",
    "timeval", "tm", "u_char", "u_int", "u_long", "u_short", "uint", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "ulong",
    "ushort", "va_list"};
// clang-format on

constexpr std::string_view vector_bases[] = {"bool",   "char",  "uchar", "short", "ushort",   "int",
                                             "uint",   "float", "long",  "ulong", "longlong", "ulonglong",
                                             "double", "i64x",  "u64x",  "f64x",  "f16x"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

// True for CUDA's vector types and functions (float4, make_uint3) and muster's (splat_float3).
bool is_vector_name_of_cuda(std::string_view name) {
    for (const std::string_view prefix : {"make_", "splat_"})
        if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    return std::ranges::any_of(vector_bases, [&](std::string_view base) {
        return name.starts_with(base) && name.size() == base.size() + 1 && is_digit(name.back());
    });
}

// True for C's vector types and functions on them (vec3f, add_vec3f), and for what
// types.cpp makes for each array.
bool is_made_for_c(std::string_view name) {
    constexpr std::string_view prefixes[] = {"array_", "padded_", "set_zero_", "store_to_", "size_of_"};
    if (std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }))
        return true;
    if (name.size() < 5) return false;
    const std::string_view end = name.substr(name.size() - 5);
    return end.starts_with("vec") && end[3] >= '2' && end[3] <= '4' &&
           std::string_view("biufhcystlmd").contains(end[4]);
}

// True for names like the prelude's functions: add_i32, min_f32, ...
bool is_helper_name(std::string_view name) {
    return std::ranges::any_of(
        std::array<std::string_view, 12>{"_i32", "_u32", "_f32", "_f16", "_bool", "_i8", "_u8", "_i16",
                                         "_u16", "_i64", "_u64", "_f64"},
        [&](std::string_view suffix) { return name.ends_with(suffix); });
}

bool is_reserved(const Dialect& dialect, std::string_view name) {
    return std::ranges::find(reserved_words, name) != std::end(reserved_words) || is_helper_name(name) ||
           (dialect.language() == Language::cpp ? is_vector_name_of_cuda(name) : is_made_for_c(name)) ||
           is_called(dialect, name) || dialect.is_reserved(name);
}

}  // namespace

std::string legal_name(const Dialect& dialect, std::string_view name) {
    std::string legal;
    for (const char c : name) {
        const char next = is_word(c) ? c : '_';
        // C++ reserves two underscores in a row and, at namespace scope, a leading one.
        if (next != '_' || (!legal.empty() && legal.back() != '_')) legal += next;
    }
    if (legal.empty()) legal = "unnamed";
    if (is_digit(legal[0])) legal.insert(0, "n");
    if (is_reserved(dialect, legal)) legal += legal.back() == '_' ? "x" : "_";
    return legal;
}

std::string kernel_name(const Dialect& dialect, std::string_view name) {
    std::string legal = legal_name(dialect, name);
    const std::string_view whole = legal;
    const std::string_view without_f = whole.ends_with('f') ? whole.substr(0, whole.size() - 1) : whole;
    const bool is_function = std::ranges::count(mathematics, whole) +
                                 std::ranges::count(mathematics, without_f) +
                                 std::ranges::count(library, whole) !=
                             0;
    if (is_function || dialect.is_reserved_globally(whole)) legal += '_';
    return legal;
}

std::vector<std::string> declared_names(std::string_view text) {
    constexpr std::string_view define = "#define ";
    std::vector<std::string> names;
    int depth = 0;  // of brackets
    const auto skip_to = [&](std::size_t end) { text.remove_prefix(std::min(end, text.size())); };
    const auto take_word = [&] {
        const auto end = std::ranges::find_if_not(text, is_word);
        const std::string_view word(text.begin(), end);
        if (depth == 0 && !word.empty() && !is_digit(word[0])) names.emplace_back(word);
        text.remove_prefix(word.size());
    };
    while (!text.empty()) {
        const char c = text[0];
        if (text.starts_with("//")) {
            skip_to(text.find('\n'));
        } else if (text.starts_with("/*")) {
            skip_to(std::min(text.find("*/", 2), text.size() - 2) + 2);
        } else if (c == '#') {
            if (text.starts_with(define)) {
                text.remove_prefix(define.size());
                take_word();
            }
            std::size_t end = text.find('\n');
            while (end < text.size() && end > 0 && text[end - 1] == '\\') end = text.find('\n', end + 1);
            skip_to(end);
        } else if (c == '"' || c == '\'') {
            std::size_t end = 1;
            while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
            skip_to(end + 1);
        } else if (is_word(c)) {
            take_word();
        } else {
            if (std::string_view("({[").contains(c)) ++depth;
            if (std::string_view(")}]").contains(c)) --depth;
            text.remove_prefix(1);
        }
    }
    return names;
}

std::string Names::unique_name(std::string_view name) {
    std::string legal = legal_name(dialect_, name);
    if (taken_.insert(legal).second) return legal;
    if (legal.back() == '_') legal.pop_back();
    std::uint32_t& number = last_number_.try_emplace(legal, 1).first->second;
    for (;;) {
        std::string numbered = fmt::format("{}_{}", legal, ++number);
        if (taken_.insert(numbered).second) return numbered;
    }
}

}  // namespace muster::c_text
