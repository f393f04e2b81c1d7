// template_lists.hpp - distinguishes the `<` and `>` of template lists from operators while tokens are read.
//
// The algorithm of WGSL section "Template Lists", on tokens instead of code points: `vec3<f32>` and
// `A(B < C, D > (E))` have lists, `a < b || c > d` has none. Internal to the lexer.
// Linear time over all calls.
#pragma once

#include <cstddef>
#include <vector>

#include <muster/foundation/wgsl/tokens/token.hpp>

namespace muster::wgsl {

/// True if a `<` after this token may begin a template list.
bool names_a_template(TokenKind before);

class TemplateLists {
  public:
    /// Processes a syntactic token other than those that begin with `>`. `index`: its
    /// position among the tokens.
    void see(TokenKind symbol, std::size_t index, bool after_word);
    /// True if a `>` here ends a list.
    bool closes() const { return !pending_.empty() && pending_.back().depth == depth_; }
    /// Ends the innermost list and returns the index of its `<`. Precondition: closes().
    std::size_t close();

  private:
    struct Candidate {
        std::size_t index;
        std::size_t depth;
    };
    void forget_level();
    void forget_all();

    std::vector<Candidate> pending_;
    std::size_t depth_ = 0;  // of parentheses and brackets
};

}  // namespace muster::wgsl
