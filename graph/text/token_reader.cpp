#include <memory>
#include <utility>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/graph/text/token_reader.hpp>

namespace muster::graph {

std::string shown(const Token& token) {
    if (token.kind == TokenKind::end) return "the end of the text";
    if (token.kind == TokenKind::string) return "a string";
    return fmt::format("`{}`", printable(token.text.substr(0, 40)));
}

TokenReader::TokenReader(std::string_view text, std::string_view file)
    : file_{std::string(file), std::make_shared<const std::string>(text)},
      lexer_(*file_.text),
      token_(lexer_.next()) {}

Token TokenReader::take() { return std::exchange(token_, lexer_.next()); }

bool TokenReader::accept(char symbol) {
    if (!is(symbol)) return false;
    take();
    return true;
}

std::optional<Token> TokenReader::accept_word_before(char symbol) {
    if (token_.kind != TokenKind::word) return std::nullopt;
    const Lexer before = lexer_;
    const Token word = take();
    if (accept(symbol)) return word;
    lexer_ = before;
    token_ = word;
    return std::nullopt;
}

Result<void> TokenReader::expect(char symbol) {
    if (accept(symbol)) return {};
    return unexpected(fmt::format("`{}`", symbol));
}

std::unexpected<Error> TokenReader::fault(SourceLocation where, std::string message, std::string fix) const {
    return fail(ErrorCode::invalid_program, render({where, std::move(message), std::move(fix)}, file_));
}

std::unexpected<Error> TokenReader::unexpected(std::string_view wanted) const {
    return fault(token_.where, fmt::format("Expected {}, found {}.", wanted, shown(token_)));
}

std::unexpected<Error> TokenReader::at(SourceLocation where, Error error) const {
    error.message = render({where, std::move(error.message), std::move(error.fix)}, file_);
    error.fix.clear();
    return std::unexpected(std::move(error));
}

}  // namespace muster::graph
