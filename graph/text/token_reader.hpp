// token_reader.hpp - the tokens of a text with the one that comes next, and errors with their place: the base
// of the parsers of graphs and of patterns. Internal to graph.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/base/source.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/text/lexer.hpp>

namespace muster::graph {

/// The token as errors name it.
std::string shown(const Token& token);

class TokenReader {
  protected:
    TokenReader(std::string_view text, std::string_view file);

    const Token& next() const { return token_; }
    bool is(char symbol) const { return token_.kind == TokenKind::symbol && token_.text[0] == symbol; }
    bool is_word(std::string_view word) const {
        return token_.kind == TokenKind::word && token_.text == word;
    }
    Token take();
    bool accept(char symbol);
    /// Takes a word and the symbol behind it, or nothing, and gives the word.
    std::optional<Token> accept_word_before(char symbol);
    Result<void> expect(char symbol);
    /// Calls `item` for each item of a list that ends with `last`, which is taken.
    template <class Item>
    Result<void> list(char last, Item&& item) {
        while (!accept(last)) {
            TRY(item());
            if (!is(last)) TRY(expect(','));
        }
        return {};
    }

    std::unexpected<Error> fault(SourceLocation where, std::string message, std::string fix = {}) const;
    /// The fault that the next token isn't what is wanted.
    std::unexpected<Error> unexpected(std::string_view wanted) const;
    /// An error of something else, at a place of the text.
    std::unexpected<Error> at(SourceLocation where, Error error) const;

  private:
    SourceFile file_;
    Lexer lexer_;
    Token token_;
};

}  // namespace muster::graph
