#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <muster/foundation/base/source.hpp>
#include <muster/foundation/wgsl/tokens/identifier.hpp>
#include <muster/foundation/wgsl/tokens/lexer.hpp>
#include <muster/foundation/wgsl/tokens/literal.hpp>
#include <muster/foundation/wgsl/tokens/template_lists.hpp>

namespace muster::wgsl {
namespace {

// Blankspace other than line breaks (WGSL section "Blankspace and Line Breaks").
bool is_plain_blank(char32_t c) { return c == ' ' || c == '\t' || c == 0x200e || c == 0x200f; }

// Syntactic tokens, by first character, longest first if one begins with another; Lexer::greater_than handles `>`.
// clang-format off
constexpr std::array symbols{
    TokenKind::shift_left_equal, TokenKind::shift_left, TokenKind::less_than_equal, TokenKind::less_than,
    TokenKind::and_and, TokenKind::and_equal, TokenKind::and_, TokenKind::or_or, TokenKind::or_equal, TokenKind::or_,
    TokenKind::arrow, TokenKind::minus_minus, TokenKind::minus_equal, TokenKind::minus,
    TokenKind::plus_plus, TokenKind::plus_equal, TokenKind::plus, TokenKind::equal_equal, TokenKind::equal,
    TokenKind::not_equal, TokenKind::bang, TokenKind::times_equal, TokenKind::star,
    TokenKind::division_equal, TokenKind::forward_slash, TokenKind::modulo_equal, TokenKind::modulo,
    TokenKind::xor_equal, TokenKind::xor_, TokenKind::attr, TokenKind::bracket_left, TokenKind::bracket_right,
    TokenKind::brace_left, TokenKind::brace_right, TokenKind::colon, TokenKind::comma, TokenKind::period,
    TokenKind::paren_left, TokenKind::paren_right, TokenKind::semicolon, TokenKind::tilde,
};
// clang-format on

// The position in `symbols` of the first one that begins with an ASCII character.
constexpr auto first_symbols = [] {
    std::array<std::uint8_t, 128> first{};
    first.fill(symbols.size());
    for (std::size_t i = symbols.size(); i-- > 0;)
        first[static_cast<unsigned char>(spelling(symbols[i]).front())] = static_cast<std::uint8_t>(i);
    return first;
}();

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {
        tokens_.reserve(std::min(text.size() / 4, max_tokens));
    }

    std::vector<Token> run() && {
        while (at_ < text_.size() && tokens_.size() <= max_tokens) next();
        begin();
        add(TokenKind::end, 0);
        return std::move(tokens_);
    }

  private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool starts_with(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

    // Skips one line break or code point, and counts lines.
    void skip_one() {
        if (const std::size_t bytes = line_break_at(text_, at_)) {
            at_ += bytes;
            ++line_;
            line_start_ = at_;
        } else {
            at_ += code_point_at(text_, at_).bytes;
        }
    }

    void begin() {
        token_ = Token{.offset = static_cast<std::uint32_t>(at_),
                       .line = line_,
                       .column = static_cast<std::uint32_t>(at_ - line_start_ + 1)};
    }

    // Adds the token that starts where begin() was last called and is `bytes` long.
    void add(TokenKind kind, std::size_t bytes, TokenFault fault = TokenFault::none) {
        token_.kind = kind;
        token_.fault = fault;
        token_.length = static_cast<std::uint32_t>(bytes);
        at_ = token_.offset + bytes;
        tokens_.push_back(token_);
    }

    void next() {
        if (peek() == ' ') {
            ++at_;
            return;
        }
        if (is_ascii_letter(peek())) {
            begin();
            return word();
        }
        const CodePoint point = code_point_at(text_, at_);
        if (is_plain_blank(point.value) || line_break_at(text_, at_) != 0) return skip_one();
        if (starts_with("//")) return line_comment();
        if (starts_with("/*")) return block_comment();
        begin();
        if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
        if (!is_ascii(peek()) && is_xid_start(point.value)) return word();
        if (peek() == '>') return greater_than();
        symbol(point.bytes);
    }

    void line_comment() {
        while (at_ < text_.size() && line_break_at(text_, at_) == 0) at_ += code_point_at(text_, at_).bytes;
    }

    void block_comment() {
        begin();
        std::size_t depth = 0;
        do {
            if (starts_with("/*")) {
                ++depth;
                at_ += 2;
            } else if (starts_with("*/")) {
                --depth;
                at_ += 2;
            } else if (at_ < text_.size()) {
                skip_one();
            } else {
                return unclosed_comment();
            }
        } while (depth != 0);
    }

    // The fault points to the comment's start; the rest of the text has been consumed.
    void unclosed_comment() {
        const std::size_t end = at_;
        add(TokenKind::invalid, 2, TokenFault::unclosed_comment);
        at_ = end;
    }

    void word() {
        const std::string_view spelled = text_.substr(at_, after_word(text_, at_) - at_);
        if (spelled == "_") return add(TokenKind::underscore, 1);
        if (spelled.starts_with("__"))
            return add(TokenKind::invalid, spelled.size(), TokenFault::leading_underscores);
        add(word_kind(spelled), spelled.size());
    }

    void greater_than() {
        if (lists_.closes()) {
            add(TokenKind::template_args_end, 1);
            tokens_[lists_.close()].kind = TokenKind::template_args_start;
            return;
        }
        for (const TokenKind kind : {TokenKind::shift_right_equal, TokenKind::shift_right,
                                     TokenKind::greater_than_equal, TokenKind::greater_than})
            if (starts_with(spelling(kind))) return add(kind, spelling(kind).size());
    }

    void symbol(std::size_t bytes) {
        const std::size_t first =
            is_ascii(peek()) ? first_symbols[static_cast<unsigned char>(peek())] : symbols.size();
        for (const TokenKind kind : std::span(symbols).subspan(first)) {
            if (spelling(kind).front() != peek()) break;
            if (!starts_with(spelling(kind))) continue;
            const bool after_word = !tokens_.empty() && names_a_template(tokens_.back().kind);
            lists_.see(kind, tokens_.size(), after_word);
            return add(kind, spelling(kind).size());
        }
        add(TokenKind::invalid, bytes, TokenFault::unexpected_character);
    }

    // Word characters directly after a number make the whole an invalid token.
    void number() {
        const auto [number_end, scanned] = scan_number(text_, at_);
        const std::size_t end = after_word(text_, number_end);
        TokenFault fault = scanned;
        if (fault == TokenFault::none && end != number_end) fault = TokenFault::joined_to_number;
        add(fault == TokenFault::none ? TokenKind::number : TokenKind::invalid, end - at_, fault);
    }

    std::string_view text_;
    std::size_t at_ = 0, line_start_ = 0;
    std::uint32_t line_ = 1;
    Token token_;
    std::vector<Token> tokens_;
    TemplateLists lists_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace muster::wgsl
