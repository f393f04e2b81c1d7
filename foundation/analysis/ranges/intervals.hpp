// intervals.hpp - arithmetic on intervals whose ends are range expressions. Internal to the range analysis.
//
// An Interval states that an integer lies in [low, high] whatever the facts are; if low > high, control
// doesn't get there. Integers are exact here: fit() converts an integer that may have left a type's range
// to a value of that type.
#pragma once

#include <muster/foundation/analysis/ranges/expressions.hpp>

namespace muster::ranges {

struct Interval {
    Expression low, high;
    bool operator==(const Interval&) const = default;
};

class Intervals {
  public:
    explicit Intervals(Expressions& expressions);

    Interval constant(std::int64_t low, std::int64_t high) { return {e_.constant(low), e_.constant(high)}; }
    Interval point(Expression value) { return {value, value}; }
    Interval of(Scalar type) const { return all_[static_cast<std::size_t>(type)]; }  // all values of the type

    /// a + b * factor, for adding up the terms of a sum. Ends beyond +-2^50 are clamped there in the
    /// direction that states less, or kept so far out that fit() notices.
    Interval add_scaled(Interval a, Interval b, std::int64_t factor);
    Interval add(Interval a, std::int64_t b) { return {e_.add(a.low, b), e_.add(a.high, b)}; }
    Interval mul(Interval a, Interval b);

    /// The value of the type that is congruent, modulo 2^32, to an integer in `a`: the same integer if all of
    /// `a` is in the type's range, else anything. The result's ends are in the type's range.
    Interval fit(Interval a, Scalar type);
    /// meet: the integers in both intervals; hull: the smallest interval that contains both.
    Interval meet(Interval a, Interval b) { return {e_.max(a.low, b.low), e_.min(a.high, b.high)}; }
    Interval hull(Interval a, Interval b) { return {e_.min(a.low, b.low), e_.max(a.high, b.high)}; }
    /// The interval with ends that are too deep replaced by constants.
    Interval shallow(Interval a);

    // Operations on i32 or u32 values, as semantics.hpp defines them.
    Interval div(Interval a, Interval b, Scalar type);
    Interval rem(Interval a, Interval b, Scalar type);
    Interval bit_and(Interval a, Interval b, Scalar type);
    Interval bit_or(Interval a, Interval b, Scalar type);  // and bit_xor
    Interval shift_left(Interval a, Interval count, Scalar type);
    Interval shift_right(Interval a, Interval count, Scalar type);
    Interval abs(Interval a, Scalar type);

  private:
    bool is_natural(Interval a) const { return e_.low(a.low) >= 0; }
    Expressions& e_;
    std::array<Interval, scalar_count> all_;  // f32's entry isn't used
};

}  // namespace muster::ranges
