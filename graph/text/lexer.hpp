// lexer.hpp - splits the textual form of graphs, and of patterns, into tokens, one at a time.
// Internal to graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <muster/foundation/base/source.hpp>

namespace muster::graph {

enum class TokenKind : std::uint8_t { end, word, string, number, symbol, invalid };

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;  // of a string without its quotes, with its escapes
    SourceLocation where;
};

bool is_word(std::string_view text);

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}
    Token next();

  private:
    void skip_blanks();
    Token take(TokenKind kind, std::size_t length);
    std::size_t number_length() const;

    std::string_view text_;
    std::size_t at_ = 0, line_start_ = 0;
    std::uint32_t line_ = 1;
};

}  // namespace muster::graph
