#include <algorithm>
#include <array>

#include <muster/foundation/wgsl/tokens/token.hpp>

namespace muster::wgsl {
namespace {

// clang-format off
constexpr auto reserved_words = std::to_array<std::string_view>({
    "NULL", "Self", "abstract", "active", "alignas", "alignof", "as", "asm", "asm_fragment", "async", "attribute",
    "auto", "await", "become", "cast", "catch", "class", "co_await", "co_return", "co_yield", "coherent",
    "column_major", "common", "compile", "compile_fragment", "concept", "const_cast", "consteval", "constexpr",
    "constinit", "crate", "debugger", "decltype", "delete", "demote", "demote_to_helper", "do", "dynamic_cast", "enum",
    "explicit", "export", "extends", "extern", "external", "fallthrough", "filter", "final", "finally", "friend",
    "from", "fxgroup", "get", "goto", "groupshared", "highp", "impl", "implements", "import", "inline", "instanceof",
    "interface", "layout", "lowp", "macro", "macro_rules", "match", "mediump", "meta", "mod", "module", "move", "mut",
    "mutable", "namespace", "new", "nil", "noexcept", "noinline", "nointerpolation", "non_coherent", "noncoherent",
    "noperspective", "null", "nullptr", "of", "operator", "package", "packoffset", "partition", "pass", "patch",
    "pixelfragment", "precise", "precision", "premerge", "priv", "protected", "pub", "public", "readonly", "ref",
    "regardless", "register", "reinterpret_cast", "require", "resource", "restrict", "self", "set", "shared", "sizeof",
    "smooth", "snorm", "static", "static_assert", "static_cast", "std", "subroutine", "super", "target", "template",
    "this", "thread_local", "throw", "trait", "try", "type", "typedef", "typeid", "typename", "typeof", "union",
    "unless", "unorm", "unsafe", "unsized", "use", "using", "varying", "virtual", "volatile", "wgsl", "where", "with",
    "writeonly", "yield",
});
// clang-format on

constexpr auto first_keyword = token_kinds.begin() + static_cast<int>(TokenKind::alias);
constexpr auto after_keywords = token_kinds.begin() + static_cast<int>(TokenKind::and_);
constexpr std::size_t longest_word = 16;  // reinterpret_cast, demote_to_helper, compile_fragment

constexpr bool in_order() {
    for (std::size_t i = 0; i < token_kinds.size(); ++i)
        if (static_cast<std::size_t>(token_kinds[i].kind) != i) return false;
    return std::is_sorted(reserved_words.begin(), reserved_words.end()) &&
           std::is_sorted(
               first_keyword, after_keywords,
               [](const TokenKindInfo& a, const TokenKindInfo& b) { return a.spelling < b.spelling; }) &&
           std::all_of(reserved_words.begin(), reserved_words.end(),
                       [](std::string_view word) { return !word.empty() && word.size() <= longest_word; });
}
static_assert(in_order());

}  // namespace

TokenKind word_kind(std::string_view word) {
    if (word.size() > longest_word) return TokenKind::identifier;
    const auto* keyword =
        std::lower_bound(first_keyword, after_keywords, word,
                         [](const TokenKindInfo& a, std::string_view b) { return a.spelling < b; });
    if (keyword != after_keywords && keyword->spelling == word) return keyword->kind;
    return std::binary_search(reserved_words.begin(), reserved_words.end(), word) ? TokenKind::reserved
                                                                                  : TokenKind::identifier;
}

}  // namespace muster::wgsl
