#include <algorithm>

#include <muster/foundation/analysis/ranges/expressions.hpp>

namespace muster::ranges {
namespace {

std::int64_t hold(std::int64_t a) { return std::clamp(a, -range_limit, range_limit); }

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t exact = 0;
    if (__builtin_mul_overflow(a, b, &exact)) return (a < 0) == (b < 0) ? range_limit : -range_limit;
    return hold(exact);
}

struct Bounds {
    std::int64_t low, high;
};

template <class Combine>
Bounds corners(const RangeExpression& a, const RangeExpression& b, Combine combine) {
    const auto [low, high] = std::minmax(
        {combine(a.low, b.low), combine(a.low, b.high), combine(a.high, b.low), combine(a.high, b.high)});
    return {low, high};
}

}  // namespace

std::int64_t apply(RangeOp op, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    switch (op) {
        case RangeOp::add: return hold(a + b);
        case RangeOp::sub: return hold(a - b);
        case RangeOp::mul: return product(a, b);
        case RangeOp::div: return a / std::max(b, std::int64_t{1});
        case RangeOp::shift_right: return a >> b;
        case RangeOp::min: return std::min(a, b);
        case RangeOp::max: return std::max(a, b);
        case RangeOp::select_le: return a <= b ? c : d;
        case RangeOp::constant:
        case RangeOp::workgroup_low:
        case RangeOp::workgroup_high:
        case RangeOp::num_workgroups:
        case RangeOp::array_length:
        case RangeOp::entry_value: break;  // these have no operands
    }
    return 0;
}

Expression Expressions::intern(const RangeExpression& made) {
    std::uint64_t hash = static_cast<std::uint64_t>(made.value) * 0x9e3779b97f4a7c15u + made.index +
                         (static_cast<std::uint64_t>(made.op) << 32);
    hash = (hash ^ hash_seed()) * 0xbf58476d1ce4e5b9u;
    for (const Expression operand : made.operands)
        hash = (hash ^ (hash >> 29) ^ operand.index) * 0xbf58476d1ce4e5b9u;
    const auto next = static_cast<std::uint32_t>(all_.size());
    const Expression at{known_.find_or_add(hash, next, [&](std::uint32_t i) {
        const RangeExpression& known = all_[i];
        return known.op == made.op && known.index == made.index && known.operands == made.operands &&
               known.value == made.value;
    })};
    if (at.index != next) return at;
    std::uint32_t depth = 0;
    for (const Expression operand : made.operands)
        if (operand != Expression{}) depth = std::max(depth, depth_[operand.index] + 1);
    all_.push_back(made);
    depth_.push_back(depth);
    return at;
}

Expression Expressions::constant(std::int64_t value) {
    return intern({.op = RangeOp::constant, .value = value, .low = value, .high = value});
}

Expression Expressions::symbol(RangeOp op, std::uint32_t index, std::int64_t low, std::int64_t high) {
    return intern({.op = op, .index = index, .low = low, .high = high});
}

Expression Expressions::make(RangeOp op, std::array<Expression, 4> operands, std::int64_t low,
                             std::int64_t high) {
    if (low == high) return constant(low);
    return intern({.op = op, .operands = operands, .low = low, .high = high});
}

std::pair<Expression, std::int64_t> Expressions::without_constant(Expression a) const {
    const RangeExpression& of = (*this)[a];
    if (of.op == RangeOp::add && value(of.operands[1])) return {of.operands[0], *value(of.operands[1])};
    return {a, 0};
}

// Constants are kept outermost and second, so that expressions that differ only by a
// constant compare as such.
Expression Expressions::add(Expression a, Expression b) {
    if (value(a)) std::swap(a, b);
    if (value(a) && value(b)) return constant(hold(*value(a) + *value(b)));
    const auto [a_rest, a_more] = without_constant(a);
    if (const auto more = value(b)) {
        const std::int64_t sum = a_more + *more;
        if (sum == 0) return a_rest;
        return make(RangeOp::add, {a_rest, constant(sum)}, hold(low(a_rest) + sum), hold(high(a_rest) + sum));
    }
    const auto [b_rest, b_more] = without_constant(b);
    if (a_more != 0 || b_more != 0) return add(add(a_rest, b_rest), constant(a_more + b_more));
    const RangeExpression& of_a = (*this)[a];
    if (of_a.op == RangeOp::sub && of_a.operands[1] == b) return of_a.operands[0];
    const RangeExpression& of_b = (*this)[b];
    if (of_b.op == RangeOp::sub && of_b.operands[1] == a) return of_b.operands[0];
    if (b < a) std::swap(a, b);
    return make(RangeOp::add, {a, b}, hold(low(a) + low(b)), hold(high(a) + high(b)));
}

Expression Expressions::sub(Expression a, Expression b) {
    if (a == b) return constant(0);
    if (const auto less = value(b)) return add(a, constant(-*less));
    const auto [a_rest, a_more] = without_constant(a);
    const auto [b_rest, b_more] = without_constant(b);
    if (a_more != 0 || b_more != 0) return add(sub(a_rest, b_rest), constant(a_more - b_more));
    const RangeExpression& of_a = (*this)[a];
    if (of_a.op == RangeOp::add && of_a.operands[0] == b) return of_a.operands[1];
    if (of_a.op == RangeOp::add && of_a.operands[1] == b) return of_a.operands[0];
    return make(RangeOp::sub, {a, b}, hold(low(a) - high(b)), hold(high(a) - low(b)));
}

Expression Expressions::mul(Expression a, Expression b) {
    if (value(a)) std::swap(a, b);
    if (const auto factor = value(b)) {
        if (*factor == 0) return b;
        if (*factor == 1) return a;
    } else if (b < a) {
        std::swap(a, b);
    }
    const Bounds bounds = corners((*this)[a], (*this)[b], product);
    return make(RangeOp::mul, {a, b}, bounds.low, bounds.high);
}

Expression Expressions::div(Expression a, Expression b) {
    if (high(b) <= 1) return a;
    const auto quotient = [](std::int64_t x, std::int64_t y) { return apply(RangeOp::div, x, y, 0, 0); };
    const Bounds bounds = corners((*this)[a], (*this)[b], quotient);
    return make(RangeOp::div, {a, b}, bounds.low, bounds.high);
}

Expression Expressions::shift_right(Expression a, std::uint32_t count) {
    if (count == 0) return a;
    return make(RangeOp::shift_right, {a, constant(count)}, low(a) >> count, high(a) >> count);
}

Expression Expressions::min(Expression a, Expression b) {
    if (plainly(a, b, 0, 3)) return a;
    if (plainly(b, a, 0, 3)) return b;
    if (b < a) std::swap(a, b);
    return make(RangeOp::min, {a, b}, std::min(low(a), low(b)), std::min(high(a), high(b)));
}

Expression Expressions::max(Expression a, Expression b) {
    if (plainly(a, b, 0, 3)) return b;
    if (plainly(b, a, 0, 3)) return a;
    if (b < a) std::swap(a, b);
    return make(RangeOp::max, {a, b}, std::max(low(a), low(b)), std::max(high(a), high(b)));
}

Expression Expressions::select_le(Expression a, Expression b, Expression then, Expression otherwise) {
    if (then == otherwise) return then;
    const Order order = compare(a, b);
    if (order == Order::always) return then;
    if (order == Order::never) return otherwise;
    if (then == a && otherwise == b) return min(a, b);
    return make(RangeOp::select_le, {a, b, then, otherwise}, std::min(low(then), low(otherwise)),
                std::max(high(then), high(otherwise)));
}

Order Expressions::compare(Expression a, Expression b) {
    if (plainly(a, b, 0, 6)) return Order::always;
    if (plainly(b, a, -1, 6)) return Order::never;
    return Order::depends;
}

bool Expressions::plainly(Expression a, Expression b, std::int64_t more, int depth) {
    steps_ = 0;
    return at_most(a, b, more, depth);
}

// True if a <= b + more is certain.
bool Expressions::at_most(Expression a, Expression b, std::int64_t more, int depth) {
    if (++steps_ > max_steps) return false;
    if (high(a) <= low(b) + more) return true;
    if (low(a) > high(b) + more) return false;
    const auto [a_rest, a_more] = without_constant(a);
    const auto [b_rest, b_more] = without_constant(b);
    more += b_more - a_more;
    if (a_rest == b_rest) return more >= 0;
    if (depth == 0) return false;
    const RangeExpression& x = (*this)[a_rest];
    const RangeExpression& y = (*this)[b_rest];
    const auto left = [&, below = b_rest](Expression part) { return at_most(part, below, more, depth - 1); };
    const auto right = [&, above = a_rest](Expression part) { return at_most(above, part, more, depth - 1); };
    if (x.op == y.op && (x.op == RangeOp::add || x.op == RangeOp::mul) && part_by_part(x, y, more, depth))
        return true;
    // The cases that need both parts come first: they lose nothing.
    if (x.op == RangeOp::max) return left(x.operands[0]) && left(x.operands[1]);
    if (y.op == RangeOp::min) return right(y.operands[0]) && right(y.operands[1]);
    if (x.op == RangeOp::select_le && left(x.operands[2]) && left(x.operands[3])) return true;
    if (y.op == RangeOp::select_le && right(y.operands[2]) && right(y.operands[3])) return true;
    if (x.op == RangeOp::min && (left(x.operands[0]) || left(x.operands[1]))) return true;
    if (y.op == RangeOp::max && (right(y.operands[0]) || right(y.operands[1]))) return true;
    return false;
}

// For sums, and products of non-negative factors: true if each part of x is at most its counterpart in y, in
// either order.
bool Expressions::part_by_part(const RangeExpression& x, const RangeExpression& y, std::int64_t more,
                               int depth) {
    const auto [a, b] = std::pair(x.operands[0], x.operands[1]);
    if (x.op == RangeOp::mul && (low(a) < 0 || low(b) < 0 || more < 0)) return false;
    const std::int64_t spare = x.op == RangeOp::add ? more : 0;
    for (const bool crossed : {false, true}) {
        const Expression c = y.operands[crossed ? 1 : 0], d = y.operands[crossed ? 0 : 1];
        if (at_most(a, c, spare, depth - 1) && at_most(b, d, 0, depth - 1)) return true;
        if (spare != 0 && at_most(a, c, 0, depth - 1) && at_most(b, d, spare, depth - 1)) return true;
    }
    return false;
}

}  // namespace muster::ranges
