// lexer.hpp - WGSL text -> tokens, with template lists found.
//
// `<` and `>` that delimit a template list come out as tokens of their own kinds, by the algorithm of WGSL
// section "Template Lists", which runs along with the reading. Bytes that are no token come out as `invalid`
// ones, so that the parser reports them where they hurt. Time and memory are linear in the text's length.
// Threads: pure.
#pragma once

#include <string_view>
#include <vector>

#include <muster/foundation/wgsl/tokens/token.hpp>

namespace muster::wgsl {

/// The most tokens that a text may have. tokenize() stops after one more.
inline constexpr std::size_t max_tokens = std::size_t{1} << 24;

/// Precondition: `text` is valid UTF-8 of fewer than 2^32 bytes.
std::vector<Token> tokenize(std::string_view text);

/// True if WGSL takes `name` for an identifier: no keyword, no reserved word.
bool is_identifier(std::string_view name);

/// The prefix of a predeclared word that a name of the program hides: see the enable of the same name.
inline constexpr std::string_view predeclared_prefix = "muster_predeclared_";

}  // namespace muster::wgsl
