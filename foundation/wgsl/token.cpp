#include <algorithm>
#include <array>

#include <muster/foundation/wgsl/token.hpp>

namespace muster::wgsl {
namespace {

struct KindInfo {
    TokenKind kind;
    std::string_view spelling;
};

// clang-format off
constexpr std::array<KindInfo, token_kind_count> kinds{{
    {TokenKind::end, "the end of the text"}, {TokenKind::invalid, "an invalid character"},
    {TokenKind::identifier, "a name"}, {TokenKind::reserved, "a reserved word"}, {TokenKind::number, "a number"},
    {TokenKind::alias, "alias"}, {TokenKind::break_, "break"}, {TokenKind::case_, "case"},
    {TokenKind::const_, "const"}, {TokenKind::const_assert, "const_assert"}, {TokenKind::continue_, "continue"},
    {TokenKind::continuing, "continuing"}, {TokenKind::default_, "default"}, {TokenKind::diagnostic, "diagnostic"},
    {TokenKind::discard, "discard"}, {TokenKind::else_, "else"}, {TokenKind::enable, "enable"},
    {TokenKind::false_, "false"}, {TokenKind::fn, "fn"}, {TokenKind::for_, "for"}, {TokenKind::if_, "if"},
    {TokenKind::let, "let"}, {TokenKind::loop, "loop"}, {TokenKind::override_, "override"},
    {TokenKind::requires_, "requires"}, {TokenKind::return_, "return"}, {TokenKind::struct_, "struct"},
    {TokenKind::switch_, "switch"}, {TokenKind::true_, "true"}, {TokenKind::var, "var"}, {TokenKind::while_, "while"},
    {TokenKind::and_, "&"}, {TokenKind::and_and, "&&"}, {TokenKind::arrow, "->"}, {TokenKind::attr, "@"},
    {TokenKind::forward_slash, "/"}, {TokenKind::bang, "!"}, {TokenKind::bracket_left, "["},
    {TokenKind::bracket_right, "]"}, {TokenKind::brace_left, "{"}, {TokenKind::brace_right, "}"},
    {TokenKind::colon, ":"}, {TokenKind::comma, ","}, {TokenKind::equal, "="}, {TokenKind::equal_equal, "=="},
    {TokenKind::not_equal, "!="}, {TokenKind::greater_than, ">"}, {TokenKind::greater_than_equal, ">="},
    {TokenKind::shift_right, ">>"}, {TokenKind::less_than, "<"}, {TokenKind::less_than_equal, "<="},
    {TokenKind::shift_left, "<<"}, {TokenKind::modulo, "%"}, {TokenKind::minus, "-"},
    {TokenKind::minus_minus, "--"}, {TokenKind::period, "."}, {TokenKind::plus, "+"}, {TokenKind::plus_plus, "++"},
    {TokenKind::or_, "|"}, {TokenKind::or_or, "||"}, {TokenKind::paren_left, "("}, {TokenKind::paren_right, ")"},
    {TokenKind::semicolon, ";"}, {TokenKind::star, "*"}, {TokenKind::tilde, "~"}, {TokenKind::underscore, "_"},
    {TokenKind::xor_, "^"}, {TokenKind::plus_equal, "+="}, {TokenKind::minus_equal, "-="},
    {TokenKind::times_equal, "*="}, {TokenKind::division_equal, "/="}, {TokenKind::modulo_equal, "%="},
    {TokenKind::and_equal, "&="}, {TokenKind::or_equal, "|="}, {TokenKind::xor_equal, "^="},
    {TokenKind::shift_right_equal, ">>="}, {TokenKind::shift_left_equal, "<<="},
    {TokenKind::template_args_start, "<"}, {TokenKind::template_args_end, ">"},
}};

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

constexpr auto first_keyword = kinds.begin() + static_cast<int>(TokenKind::alias);
constexpr auto after_keywords = kinds.begin() + static_cast<int>(TokenKind::and_);
constexpr std::size_t longest_word = 16;  // reinterpret_cast, demote_to_helper, compile_fragment

constexpr bool in_order() {
    for (std::size_t i = 0; i < kinds.size(); ++i)
        if (static_cast<std::size_t>(kinds[i].kind) != i) return false;
    return std::is_sorted(reserved_words.begin(), reserved_words.end()) &&
           std::is_sorted(first_keyword, after_keywords,
                          [](const KindInfo& a, const KindInfo& b) { return a.spelling < b.spelling; }) &&
           std::all_of(reserved_words.begin(), reserved_words.end(),
                       [](std::string_view word) { return !word.empty() && word.size() <= longest_word; });
}
static_assert(in_order());

}  // namespace

std::string_view spelling(TokenKind kind) { return kinds[static_cast<std::size_t>(kind)].spelling; }

TokenKind word_kind(std::string_view word) {
    if (word.size() > longest_word) return TokenKind::identifier;
    const auto* keyword =
        std::lower_bound(first_keyword, after_keywords, word,
                         [](const KindInfo& a, std::string_view b) { return a.spelling < b; });
    if (keyword != after_keywords && keyword->spelling == word) return keyword->kind;
    return std::binary_search(reserved_words.begin(), reserved_words.end(), word) ? TokenKind::reserved
                                                                                  : TokenKind::identifier;
}

}  // namespace muster::wgsl
