// plain.hpp - removes from a claim's expressions the guards against values that leave their type. Internal to
// the range analysis.
//
// For a u32 x that may be larger, fit() makes min(x, 2^32 - 1) and selects between x and the type's ends. A
// claim may instead demand that x fits: then this is stated once, in a comparison that many claims share, and
// the claim's expressions become as short as a person would write them.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include <muster/foundation/analysis/ranges/expressions.hpp>

namespace muster::ranges {

class Plain {
  public:
    explicit Plain(Expressions& expressions) : e_(expressions) {}

    /// Returns comparisons that imply all of the given ones; nothing if none were found.
    std::optional<std::vector<RangeComparison>> of(const std::vector<RangeComparison>& all_of);

  private:
    // high: a bound that is at least `a` if the demands hold; low: one that is at most `a`.
    enum class End : std::uint8_t { low, high };
    static End other(End end) { return end == End::low ? End::high : End::low; }
    Expression bound(Expression a, End end);
    Expression make(const RangeExpression& of, Expression itself, End end);
    Expression product(const RangeExpression& of, Expression itself, End end);
    Expression cut(Expression a, Expression type_end, End end);
    bool is_end_of_type(Expression a) const;
    bool follows(std::size_t which);
    void demand(Expression low, Expression high);

    Expressions& e_;
    std::unordered_map<std::uint64_t, Expression> known_;
    std::vector<RangeComparison> demanded_;
    bool is_possible_ = true;
};

}  // namespace muster::ranges
