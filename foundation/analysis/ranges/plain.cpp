#include <algorithm>
#include <limits>

#include <muster/foundation/analysis/ranges/plain.hpp>

namespace muster::ranges {
namespace {

// With parts of this size, sums of products in an expression stay far below range_limit.
constexpr std::int64_t most_loose = std::int64_t{1} << 36;

}  // namespace

std::optional<std::vector<RangeComparison>> Plain::of(const std::vector<RangeComparison>& all_of) {
    known_.clear();
    demanded_.clear();
    is_possible_ = true;
    for (const RangeComparison& one : all_of) demand(one.low, one.high);
    if (!is_possible_) return {};
    std::ranges::sort(demanded_);
    demanded_.erase(std::unique(demanded_.begin(), demanded_.end()), demanded_.end());
    for (std::size_t i = demanded_.size(); i-- > 0;)
        if (follows(i)) demanded_.erase(demanded_.begin() + static_cast<std::ptrdiff_t>(i));
    return std::move(demanded_);
}

// True if another comparison implies this one.
bool Plain::follows(std::size_t which) {
    for (std::size_t i = 0; i < demanded_.size(); ++i)
        if (i != which && e_.compare(demanded_[which].low, demanded_[i].low) == Order::always &&
            e_.compare(demanded_[i].high, demanded_[which].high) == Order::always)
            return true;
    return false;
}

void Plain::demand(Expression low, Expression high) {
    low = bound(low, End::high);
    high = bound(high, End::low);
    const Order order = e_.compare(low, high);
    if (order == Order::never || e_.full()) is_possible_ = false;
    if (order == Order::depends) demanded_.push_back({low, high});
}

Expression Plain::bound(Expression a, End end) {
    const std::uint64_t key = std::uint64_t{a.index} * 2 + (end == End::high ? 1 : 0);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    const RangeExpression of = e_[a];
    const Expression made = make(of, a, end);
    known_.emplace(key, made);
    return made;
}

Expression Plain::make(const RangeExpression& of, Expression itself, End end) {
    const auto operand = [&](std::size_t which) { return bound(of.operands[which], end); };
    const auto opposite = [&](std::size_t which) { return bound(of.operands[which], other(end)); };
    switch (of.op) {
        case RangeOp::add: return e_.add(operand(0), operand(1));
        case RangeOp::sub: return e_.sub(operand(0), opposite(1));
        case RangeOp::mul: return product(of, itself, end);
        case RangeOp::div:
            if (e_.low(of.operands[0]) < 0 && !e_.value(of.operands[1])) return itself;
            return e_.div(operand(0), opposite(1));
        case RangeOp::shift_right:
            return e_.shift_right(operand(0), static_cast<std::uint32_t>(*e_.value(of.operands[1])));
        case RangeOp::min:
            if (end == End::high && is_end_of_type(of.operands[0]))
                return cut(of.operands[1], of.operands[0], end);
            if (end == End::high && is_end_of_type(of.operands[1]))
                return cut(of.operands[0], of.operands[1], end);
            return e_.min(operand(0), operand(1));
        case RangeOp::max:
            if (end == End::low && is_end_of_type(of.operands[0]))
                return cut(of.operands[1], of.operands[0], end);
            if (end == End::low && is_end_of_type(of.operands[1]))
                return cut(of.operands[0], of.operands[1], end);
            return e_.max(operand(0), operand(1));
        case RangeOp::select_le:
            if (!is_end_of_type(of.operands[3])) return itself;
            demand(of.operands[0], of.operands[1]);
            return operand(2);
        case RangeOp::constant:
        case RangeOp::workgroup_low:
        case RangeOp::workgroup_high:
        case RangeOp::num_workgroups:
        case RangeOp::array_length:
        case RangeOp::entry_value: break;
    }
    return itself;
}

// Removes the clamp to the end of a type: freely if the value can't get far, else by demanding that it stays
// inside.
Expression Plain::cut(Expression a, Expression type_end, End end) {
    if (e_.value(type_end) == 0)
        return end == End::high ? e_.min(bound(a, end), type_end) : e_.max(bound(a, end), type_end);
    const Expression free = bound(a, end);
    if (end == End::high && e_.high(free) > most_loose) demand(a, type_end);
    if (end == End::low && e_.low(free) < -most_loose) demand(type_end, a);
    return free;
}

Expression Plain::product(const RangeExpression& of, Expression itself, End end) {
    const auto factor = e_.value(of.operands[1]);
    if (factor) return e_.mul(bound(of.operands[0], *factor < 0 ? other(end) : end), *factor);
    if (e_.low(of.operands[0]) < 0 || e_.low(of.operands[1]) < 0) return itself;
    const Expression a = bound(of.operands[0], end), b = bound(of.operands[1], end);
    return e_.low(a) < 0 || e_.low(b) < 0 ? itself : e_.mul(a, b);
}

bool Plain::is_end_of_type(Expression a) const {
    constexpr std::int64_t ends[] = {0, std::numeric_limits<std::uint32_t>::max(),
                                     std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int32_t>::max()};
    const auto value = e_.value(a);
    return value && std::ranges::find(ends, *value) != std::end(ends);
}

}  // namespace muster::ranges
