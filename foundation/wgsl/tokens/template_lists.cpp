#include <muster/foundation/wgsl/tokens/template_lists.hpp>

namespace muster::wgsl {

bool names_a_template(TokenKind before) {
    if (before == TokenKind::true_ || before == TokenKind::false_) return false;
    return before == TokenKind::identifier || before == TokenKind::reserved || is_keyword(before);
}

void TemplateLists::see(TokenKind symbol, std::size_t index, bool after_word) {
    // All tokens that matter to the algorithm are listed; others can't begin or end a list.
    const auto is = [symbol](auto... kinds) { return ((symbol == kinds) || ...); };
    using enum TokenKind;
    if (is(less_than)) {
        if (after_word) pending_.push_back({index, depth_});
    } else if (is(paren_left, bracket_left)) {
        ++depth_;
    } else if (is(paren_right, bracket_right)) {
        forget_level();
        if (depth_ > 0) --depth_;
    } else if (is(and_and, or_or)) {
        forget_level();
    } else if (is(semicolon, brace_left, colon, equal, plus_equal, minus_equal, times_equal, division_equal,
                  modulo_equal, and_equal, or_equal, xor_equal, shift_left_equal)) {
        forget_all();
    } else if (is(less_than_equal) && !after_word) {
        forget_all();  // the algorithm treats its second half as an assignment
    }
}

std::size_t TemplateLists::close() {
    const std::size_t index = pending_.back().index;
    pending_.pop_back();
    return index;
}

void TemplateLists::forget_level() {
    while (!pending_.empty() && pending_.back().depth >= depth_) pending_.pop_back();
}

void TemplateLists::forget_all() {
    pending_.clear();
    depth_ = 0;
}

}  // namespace muster::wgsl
