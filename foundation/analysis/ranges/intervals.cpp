#include <algorithm>
#include <bit>
#include <limits>

#include <muster/foundation/analysis/ranges/intervals.hpp>

namespace muster::ranges {
namespace {

constexpr std::int64_t near = std::int64_t{1} << 50;  // beyond the sum of any values
constexpr std::int64_t far = std::int64_t{1} << 58;   // so far beyond that such sums can't bring it back

struct TypeRange {
    std::int64_t low, high;
};
TypeRange range_of(Scalar type) {
    if (type == Scalar::i32)
        return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    return {0, type == Scalar::boolean ? 1 : std::int64_t{UINT32_MAX}};
}

// The shift counts in an interval, modulo 32.
TypeRange counts_of(const Expressions& e, Interval count) {
    const std::int64_t low = e.low(count.low), high = e.high(count.high);
    return low >= 0 && high <= 31 && low <= high ? TypeRange{low, high} : TypeRange{0, 31};
}

}  // namespace

Intervals::Intervals(Expressions& expressions) : e_(expressions) {
    for (const ScalarInfo& row : scalars) {
        const TypeRange all = range_of(row.scalar);
        all_[static_cast<std::size_t>(row.scalar)] = constant(all.low, all.high);
    }
}

Interval Intervals::add_scaled(Interval a, Interval b, std::int64_t factor) {
    if (factor == 0) return a;
    if (factor < 0) std::swap(b.low, b.high);
    Expression low = e_.mul(b.low, factor), high = e_.mul(b.high, factor);
    if (e_.high(low) > near) low = e_.min(low, e_.constant(near));
    if (e_.low(low) < -near) low = e_.max(low, e_.constant(-far));
    if (e_.low(high) < -near) high = e_.max(high, e_.constant(-near));
    if (e_.high(high) > near) high = e_.min(high, e_.constant(far));
    return {e_.add(a.low, low), e_.add(a.high, high)};
}

Interval Intervals::mul(Interval a, Interval b) {
    if (is_natural(a) && is_natural(b)) return {e_.mul(a.low, b.low), e_.mul(a.high, b.high)};
    const Expression ends[] = {e_.mul(a.low, b.low), e_.mul(a.low, b.high), e_.mul(a.high, b.low),
                               e_.mul(a.high, b.high)};
    return {e_.min(e_.min(ends[0], ends[1]), e_.min(ends[2], ends[3])),
            e_.max(e_.max(ends[0], ends[1]), e_.max(ends[2], ends[3]))};
}

Interval Intervals::fit(Interval a, Scalar type) {
    const TypeRange all = range_of(type);
    if (e_.low(a.low) >= all.low && e_.high(a.high) <= all.high) return a;
    const Expression low = of(type).low, high = of(type).high;
    const auto where_it_fits = [&](Expression then, Expression otherwise) {
        return e_.select_le(low, a.low, e_.select_le(a.high, high, then, otherwise), otherwise);
    };
    return {where_it_fits(a.low, low), where_it_fits(a.high, high)};
}

Interval Intervals::shallow(Interval a) {
    if (e_.depth(a.low) > Expressions::max_depth) a.low = e_.constant(e_.low(a.low));
    if (e_.depth(a.high) > Expressions::max_depth) a.high = e_.constant(e_.high(a.high));
    return a;
}

// semantics::div gives x / 0 = x; RangeOp::div treats a divisor below 1 as 1.
Interval Intervals::div(Interval a, Interval b, Scalar type) {
    if (is_natural(b) && (is_natural(a) || e_.low(b.low) > 0)) {
        const Expression low =
            is_natural(a) ? e_.div(a.low, b.high) : e_.min(e_.div(a.low, b.low), e_.div(a.low, b.high));
        const Expression high =
            is_natural(a) ? e_.div(a.high, b.low) : e_.max(e_.div(a.high, b.low), e_.div(a.high, b.high));
        return {low, high};
    }
    // The quotient is no further from zero than the dividend; MIN / -1 = MIN.
    const Expression size = e_.max(e_.sub(e_.constant(0), a.low), a.high);
    return meet(of(type), {e_.sub(e_.constant(0), size), size});
}

// The remainder has a's sign, is no further from zero than a, and nearer than b; x % 0 = 0.
Interval Intervals::rem(Interval a, Interval b, Scalar) {
    const Expression zero = e_.constant(0);
    const Expression size = e_.add(e_.max(e_.sub(zero, b.low), b.high), -1);
    return {e_.min(zero, e_.max(a.low, e_.sub(zero, size))), e_.max(zero, e_.min(a.high, size))};
}

Interval Intervals::bit_and(Interval a, Interval b, Scalar type) {
    if (is_natural(a) && is_natural(b)) return {e_.constant(0), e_.min(a.high, b.high)};
    if (is_natural(b)) return {e_.constant(0), b.high};
    if (is_natural(a)) return {e_.constant(0), a.high};
    return of(type);
}

Interval Intervals::bit_or(Interval a, Interval b, Scalar type) {
    if (!is_natural(a) || !is_natural(b)) return of(type);
    const auto most =
        static_cast<std::uint64_t>(std::max({e_.high(a.high), e_.high(b.high), std::int64_t{0}}));
    const auto ones = static_cast<std::int64_t>((std::uint64_t{1} << std::bit_width(most)) - 1);
    return {e_.constant(0), e_.min(e_.add(a.high, b.high), e_.constant(ones))};
}

Interval Intervals::shift_left(Interval a, Interval count, Scalar type) {
    const TypeRange counts = counts_of(e_, count);
    if (!is_natural(a)) return of(type);
    return fit({e_.mul(a.low, std::int64_t{1} << counts.low), e_.mul(a.high, std::int64_t{1} << counts.high)},
               type);
}

Interval Intervals::shift_right(Interval a, Interval count, Scalar) {
    const TypeRange counts = counts_of(e_, count);
    const auto least = static_cast<std::uint32_t>(counts.low), most = static_cast<std::uint32_t>(counts.high);
    if (is_natural(a)) return {e_.shift_right(a.low, most), e_.shift_right(a.high, least)};
    return {e_.min(e_.shift_right(a.low, least), e_.shift_right(a.low, most)),
            e_.max(e_.shift_right(a.high, least), e_.shift_right(a.high, most))};
}

Interval Intervals::abs(Interval a, Scalar type) {
    if (is_natural(a)) return a;
    return fit({e_.constant(0), e_.max(e_.sub(e_.constant(0), a.low), a.high)}, type);
}

}  // namespace muster::ranges
