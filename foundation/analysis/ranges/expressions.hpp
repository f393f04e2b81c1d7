// expressions.hpp - builds range expressions: hash-consed, simplified when they are made, each with constant
// bounds that its value never leaves. Internal to the range analysis.
//
// Simplification assumes that sums are exact. They are whenever control reaches the point that an interval
// describes, because intervals.hpp keeps values far from range_limit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <muster/foundation/analysis/ranges/ranges.hpp>
#include <muster/foundation/base/intern_table.hpp>

namespace muster::ranges {

using Expression = RangeExpressionId;

enum class Order : std::uint8_t { always, never, depends };

/// Applies one operation to numbers; shared by evaluation and folding.
std::int64_t apply(RangeOp op, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d);

class Expressions {
  public:
    /// A soft limit: more can be made, but callers should stop when full() is true.
    static constexpr std::size_t budget = 150'000;
    /// Deeper expressions are treated as unknown: they would cost more than the checks that they save.
    static constexpr std::uint32_t max_depth = 40;

    Expression constant(std::int64_t value);
    Expression symbol(RangeOp op, std::uint32_t index, std::int64_t low, std::int64_t high);
    Expression add(Expression a, Expression b);
    Expression add(Expression a, std::int64_t b) { return add(a, constant(b)); }
    Expression sub(Expression a, Expression b);
    Expression mul(Expression a, Expression b);
    Expression mul(Expression a, std::int64_t b) { return mul(a, constant(b)); }
    Expression div(Expression a, Expression b);
    Expression shift_right(Expression a, std::uint32_t count);
    Expression min(Expression a, Expression b);
    Expression max(Expression a, Expression b);
    Expression select_le(Expression a, Expression b, Expression then, Expression otherwise);

    /// Compares a <= b, as far as a short search can tell.
    Order compare(Expression a, Expression b);

    const RangeExpression& operator[](Expression id) const { return all_[id.index]; }
    std::int64_t low(Expression id) const { return all_[id.index].low; }
    std::int64_t high(Expression id) const { return all_[id.index].high; }
    std::uint32_t depth(Expression id) const { return depth_[id.index]; }
    std::optional<std::int64_t> value(Expression id) const {
        return low(id) == high(id) ? std::optional(low(id)) : std::nullopt;
    }
    bool full() const { return all_.size() > budget; }
    std::size_t count() const { return all_.size(); }

  private:
    Expression make(RangeOp op, std::array<Expression, 4> operands, std::int64_t low, std::int64_t high);
    Expression intern(const RangeExpression& made);
    // a = first + second, with a constant second.
    std::pair<Expression, std::int64_t> without_constant(Expression a) const;
    static constexpr int max_steps = 100;  // per comparison
    bool plainly(Expression a, Expression b, std::int64_t more, int depth);
    bool at_most(Expression a, Expression b, std::int64_t more, int depth);
    bool part_by_part(const RangeExpression& x, const RangeExpression& y, std::int64_t more, int depth);

    std::vector<RangeExpression> all_;
    std::vector<std::uint32_t> depth_;
    int steps_ = 0;
    InternTable known_;
};

}  // namespace muster::ranges
