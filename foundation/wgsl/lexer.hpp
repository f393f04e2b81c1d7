// lexer.hpp - WGSL text -> tokens, with template lists found.
//
// `<` and `>` that delimit a template list come out as tokens of their own kinds, by the algorithm of WGSL
// section "Template Lists", which runs along with the reading. Bytes that are no token come out as `invalid`
// ones, so that the parser reports them where they hurt. Time and memory are linear in the text's length.
// Threads: pure.
#pragma once

#include <string_view>
#include <vector>

#include <muster/foundation/wgsl/token.hpp>

namespace muster::wgsl {

/// Precondition: `text` is valid UTF-8 of fewer than 2^32 bytes.
/// Tokens that a text may have. Of a longer text the first ones are read, and one more.
inline constexpr std::size_t max_tokens = std::size_t{1} << 24;

std::vector<Token> tokenize(std::string_view text);

}  // namespace muster::wgsl
