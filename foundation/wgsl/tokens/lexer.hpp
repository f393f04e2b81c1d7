// lexer.hpp - splits WGSL text into tokens and finds template lists.
//
// `<` and `>` that delimit a template list become tokens of separate kinds, by the algorithm of WGSL section
// "Template Lists", which runs while tokens are read. Bytes that aren't a token become `invalid` tokens, so
// that the parser reports them when it reaches them. Time and memory are linear in the
// text's length. Threads: pure.
#pragma once

#include <string_view>
#include <vector>

#include <muster/foundation/wgsl/tokens/token.hpp>

namespace muster::wgsl {

/// Most tokens of a text. tokenize() stops after one more.
inline constexpr std::size_t max_tokens = std::size_t{1} << 24;

/// Precondition: `text` is valid UTF-8 of fewer than 2^32 bytes.
std::vector<Token> tokenize(std::string_view text);

}  // namespace muster::wgsl
