#include <algorithm>

#include <muster/graph/text/lexer.hpp>

namespace muster::graph {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_word(char c) { return begins_word(c) || is_digit(c) || c == '.'; }

std::size_t digits_from(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}

}  // namespace

bool is_word(std::string_view text) {
    return !text.empty() && begins_word(text[0]) && std::ranges::all_of(text, continues_word);
}

void Lexer::skip_blanks() {
    bool in_comment = false;
    for (; at_ < text_.size(); ++at_) {
        const char c = text_[at_];
        if (c == '\n') {
            ++line_;
            line_start_ = at_ + 1;
            in_comment = false;
        } else if (c == '#') {
            in_comment = true;
        } else if (!in_comment && c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

Token Lexer::take(TokenKind kind, std::size_t length) {
    const SourceLocation where{0, line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)};
    const Token token{kind, text_.substr(at_, length), where};
    at_ += length;
    return token;
}

/// The length of the number here: digits, perhaps with a sign, a fraction and an exponent, or
/// -inf. 0 if there is none.
std::size_t Lexer::number_length() const {
    const std::string_view rest = text_.substr(at_);
    const std::size_t begin = rest[0] == '-' ? 1 : 0;
    if (rest.starts_with("-inf")) return 4;
    std::size_t end = digits_from(rest, begin);
    if (end == begin) return 0;
    if (end < rest.size() && rest[end] == '.') end = digits_from(rest, end + 1);
    if (end < rest.size() && (rest[end] == 'e' || rest[end] == 'E')) {
        const std::size_t sign =
            end + 1 < rest.size() && (rest[end + 1] == '-' || rest[end + 1] == '+') ? 1 : 0;
        const std::size_t exponent = digits_from(rest, end + 1 + sign);
        if (exponent > end + 1 + sign) end = exponent;
    }
    return end;
}

Token Lexer::next() {
    skip_blanks();
    if (at_ == text_.size()) return take(TokenKind::end, 0);
    const char c = text_[at_];
    if (begins_word(c)) {
        const auto end =
            std::find_if_not(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(), continues_word);
        return take(TokenKind::word, static_cast<std::size_t>(end - text_.begin()) - at_);
    }
    if (is_digit(c) || c == '-') {
        const std::size_t length = number_length();
        return length > 0 ? take(TokenKind::number, length) : take(TokenKind::symbol, 1);
    }
    if (c != '"') {
        return take(std::string_view("{}()[]:,=@*?+/|;").contains(c) ? TokenKind::symbol : TokenKind::invalid,
                    1);
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size() || text_[end] != '"') return take(TokenKind::invalid, 1);
    Token token = take(TokenKind::string, end + 1 - at_);
    token.text = token.text.substr(1, token.text.size() - 2);
    return token;
}

}  // namespace muster::graph
