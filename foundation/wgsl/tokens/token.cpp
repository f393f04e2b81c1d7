#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

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

constexpr auto first_keyword = std::ranges::find_if(token_kinds, &TokenKindInfo::is_keyword);
constexpr auto after_keywords = std::find_if_not(first_keyword, token_kinds.end(),
                                                 [](const TokenKindInfo& row) { return row.is_keyword; });

// The positions in a sorted range at which the words that begin with each ASCII character start;
// one more, for their end.
template <class Words, class Spelling>
constexpr std::array<std::uint8_t, 129> starts_of(const Words& words, Spelling spelling) {
    std::array<std::uint8_t, 129> starts{};
    for (const auto& word : words)
        for (std::size_t c = static_cast<std::size_t>(spelling(word).front()) + 1; c < starts.size(); ++c)
            ++starts[c];
    return starts;
}
constexpr std::span keywords(first_keyword, after_keywords);
constexpr auto keyword_starts = starts_of(keywords, [](const TokenKindInfo& info) { return info.spelling; });
constexpr auto reserved_starts = starts_of(reserved_words, [](std::string_view word) { return word; });

constexpr bool in_order() {
    for (std::size_t i = 0; i < token_kinds.size(); ++i)
        if (static_cast<std::size_t>(token_kinds[i].kind) != i) return false;
    return std::none_of(after_keywords, token_kinds.end(), [](const auto& row) { return row.is_keyword; }) &&
           std::ranges::is_sorted(reserved_words) &&
           std::ranges::is_sorted(keywords, {}, &TokenKindInfo::spelling) &&
           std::ranges::none_of(reserved_words, &std::string_view::empty);
}
static_assert(in_order());

}  // namespace

TokenKind word_kind(std::string_view word) {
    const auto first = static_cast<unsigned char>(word.front());
    if (first >= 0x80) return TokenKind::identifier;
    for (std::size_t i = keyword_starts[first]; i < keyword_starts[first + 1u]; ++i)
        if (keywords[i].spelling == word) return keywords[i].kind;
    for (std::size_t i = reserved_starts[first]; i < reserved_starts[first + 1u]; ++i)
        if (reserved_words[i] == word) return TokenKind::reserved;
    return TokenKind::identifier;
}

}  // namespace muster::wgsl
