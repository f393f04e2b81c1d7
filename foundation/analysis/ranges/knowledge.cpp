#include <algorithm>
#include <utility>

#include <muster/foundation/analysis/ranges/knowledge.hpp>
#include <muster/foundation/analysis/ranges/plain.hpp>

namespace muster::ranges {
namespace {

std::int64_t as_signed(std::uint32_t factor) { return static_cast<std::int32_t>(factor); }

}  // namespace

void Knowledge::enter() {
    scopes_.push_back({undo_.size(), facts_.size(), unequal_.size(), truths_.size(), epoch_});
}

void Knowledge::leave() {
    const Scope scope = scopes_.back();
    scopes_.pop_back();
    for (; undo_.size() > scope.undo; undo_.pop_back())
        known_[undo_.back().value.index] = undo_.back().before;
    for (; facts_.size() > scope.facts; facts_.pop_back())
        facts_about_[facts_.back().sum.all[0].atom.index].pop_back();
    unequal_.resize(scope.unequal);
    for (; truths_.size() > scope.truths; truths_.pop_back()) truth_.erase(truths_.back().first.index);
    epoch_ = scope.epoch;
}

// Ranges
// --------------------------------------------------------------------------------------------------------

Interval Knowledge::range(ValueId id) {
    const Scalar type = values_[id].type;
    if (known_.size() <= id.index) known_.resize(values_.count());
    if (known_[id.index].epoch == epoch_) return known_[id.index].interval;
    if (exhausted() || depth_ >= max_depth) return intervals_.of(type);
    ++depth_;
    ++steps_;
    const Interval interval = intervals_.shallow(compute(id));
    --depth_;
    if (known_.size() <= id.index) known_.resize(values_.count());
    if (!scopes_.empty()) undo_.push_back({id, known_[id.index]});
    known_[id.index] = {interval, epoch_};
    return interval;
}

Interval Knowledge::compute(ValueId id) {
    const Value value = values_[id];
    const Sum sum = values_.sum(id);
    if (sum.count == 0) {
        const std::int64_t only = value.type == Scalar::i32 ? as_signed(sum.constant) : sum.constant;
        return intervals_.constant(only, only);
    }
    const Interval known = values_.is_atom(id) ? of_atom(id) : intervals_.fit(of_sum(sum), value.type);
    const auto found = by_facts(sum);
    return found ? intervals_.meet(known, intervals_.fit(*found, value.type)) : known;
}

Interval Knowledge::of_sum(const Sum& sum) {
    const std::int64_t constant = as_signed(sum.constant);
    Interval total = intervals_.constant(constant, constant);
    for (const Sum::Term& term : sum.terms())
        total = intervals_.add_scaled(total, range(term.atom), as_signed(term.factor));
    return total;
}

Interval Knowledge::selected(ValueId index, Expression count) {
    const Expression zero = e_.constant(0), last = e_.add(count, -1);
    Interval found = intervals_.meet(range(index), {zero, last});
    const Sum sum = values_.sum(index);
    if (values_[index].type != Scalar::u32 || sum.count == 0 || exhausted()) return found;
    // An integer that is congruent to the index and lies in [count - 2^32, 2^32)
    // selects what it is, or nothing.
    const Expression least = e_.add(count, -(std::int64_t{1} << 32)), most = e_.constant(UINT32_MAX);
    const auto narrow = [&](Interval whole) {
        const auto where_it_fits = [&](Expression then, Expression otherwise) {
            return e_.select_le(least, whole.low, e_.select_le(whole.high, most, then, otherwise), otherwise);
        };
        found = intervals_.meet(found, {where_it_fits(whole.low, zero), where_it_fits(whole.high, last)});
    };
    if (!values_.is_atom(index)) narrow(of_sum(sum));
    for (const Prefer prefer : {Prefer::latest, Prefer::earliest})
        if (const auto whole = by_facts(sum, prefer)) narrow(*whole);
    return found;
}

std::vector<RangeComparison> Knowledge::reached_if() {
    std::vector<RangeComparison> all;
    const auto add = [&](const RangeComparison& one) {
        if (all.size() == max_claims || exhausted()) return;
        ++steps_;
        const bool is_new = std::ranges::find(all, one) == all.end();
        if (is_new && e_.compare(one.low, one.high) != Order::always) all.push_back(one);
    };
    for (std::size_t i = facts_.size(); i > 0; --i)
        add({facts_[i - 1].interval.low, facts_[i - 1].interval.high});
    for (std::size_t i = unequal_.size(); i > 0; --i) add(unequal_[i - 1]);
    return all;
}

// Bounds a sum by the facts about parts of it: takes the largest known parts first and the remaining terms as
// they are. Each fact's integer is congruent to its part, so the total is congruent to the sum.
std::optional<Interval> Knowledge::by_facts(const Sum& sum, Prefer prefer) {
    Sum rest = sum;
    std::optional<Interval> total;
    for (const Sum::Term& term : sum.terms()) {
        const auto part = best_fact(rest, term.atom, prefer);
        if (!part) continue;
        add_scaled(rest, facts_[part->fact].sum, static_cast<std::uint32_t>(-part->times));
        total = intervals_.add_scaled(total.value_or(intervals_.constant(0, 0)), facts_[part->fact].interval,
                                      part->times);
    }
    if (!total) return {};
    return intervals_.add_scaled(*total, of_sum(rest), 1);
}

// Among facts whose first atom is `atom`, returns the one that covers most terms of the sum.
std::optional<Knowledge::Part> Knowledge::best_fact(const Sum& sum, ValueId atom, Prefer prefer) {
    const auto about = facts_about_.find(atom.index);
    const auto term = std::ranges::find(sum.terms(), atom, &Sum::Term::atom);
    if (about == facts_about_.end() || term == sum.terms().end()) return {};
    std::optional<Part> best;
    const std::vector<std::uint32_t>& all = about->second;
    for (std::size_t i = 0; i < std::min(all.size(), max_facts); ++i) {
        ++steps_;
        const std::uint32_t fact = all[prefer == Prefer::latest ? all.size() - 1 - i : i];
        const Sum& known = facts_[fact].sum;
        if (best && known.count <= facts_[best->fact].sum.count) continue;
        const std::int64_t whole = as_signed(term->factor), part = as_signed(known.all[0].factor);
        if (whole % part != 0) continue;
        Sum rest = sum;
        const bool fits = add_scaled(rest, known, static_cast<std::uint32_t>(-(whole / part)));
        if (fits && rest.count + known.count <= sum.count) best = {fact, whole / part};
    }
    return best;
}

Interval Knowledge::of_atom(ValueId id) {
    const Value value = values_[id];
    switch (value.kind) {
        case ValueKind::local_id:
            return intervals_.constant(0, std::int64_t{along(size_, value.payload)} - 1);
        case ValueKind::workgroup_id:
            return {e_.symbol(RangeOp::workgroup_low, value.payload, 0, UINT32_MAX),
                    e_.symbol(RangeOp::workgroup_high, value.payload, 0, UINT32_MAX)};
        case ValueKind::num_workgroups:
            return intervals_.point(e_.symbol(RangeOp::num_workgroups, value.payload, 0, UINT32_MAX));
        case ValueKind::symbol: return intervals_.point(Expression{value.payload});
        case ValueKind::opaque: return values_.interval(id);
        case ValueKind::operation: return of_operation(value);
        case ValueKind::constant:
        case ValueKind::choice: break;
    }
    return intervals_.of(value.type);
}

Interval Knowledge::of_operation(const Value& value) {
    const Scalar type = value.type;
    const auto operand = [&](std::size_t which) { return range(value.operands[which]); };
    const bool of_integers = is_integer(value.operands[0]);
    if (value.op == Op::select) return of_select(value);
    if (!of_integers)
        return value.op == Op::convert && values_[value.operands[0]].type == Scalar::boolean
                   ? intervals_.constant(0, 1)
                   : intervals_.of(type);
    const Interval a = operand(0);
    const auto b = [&] { return operand(1); };
    // Only these operations bound their result.
    if (value.op == Op::add) return intervals_.fit(intervals_.add_scaled(a, b(), 1), type);
    if (value.op == Op::sub) return intervals_.fit(intervals_.add_scaled(a, b(), -1), type);
    if (value.op == Op::mul) return intervals_.fit(intervals_.mul(a, b()), type);
    if (value.op == Op::div) return intervals_.div(a, b(), type);
    if (value.op == Op::rem) return intervals_.rem(a, b(), type);
    if (value.op == Op::bit_and) return intervals_.bit_and(a, b(), type);
    if (value.op == Op::bit_or || value.op == Op::bit_xor) return intervals_.bit_or(a, b(), type);
    if (value.op == Op::shift_left) return intervals_.shift_left(a, b(), type);
    if (value.op == Op::shift_right) return intervals_.shift_right(a, b(), type);
    if (value.op == Op::abs) return intervals_.abs(a, type);
    if (value.op == Op::count_one_bits || value.op == Op::count_leading_zeros ||
        value.op == Op::count_trailing_zeros)
        return intervals_.constant(0, 32);
    if (value.op == Op::min || value.op == Op::max) {
        const Interval other = b();
        if (value.op == Op::min) return {e_.min(a.low, other.low), e_.min(a.high, other.high)};
        return {e_.max(a.low, other.low), e_.max(a.high, other.high)};
    }
    return intervals_.of(type);
}

// Operands: if false, if true, condition. Each value is bounded under the assumption that selects it; deeply
// nested selects would make too many cases.
Interval Knowledge::of_select(const Value& value) {
    if (selects_ == max_selects) return intervals_.hull(range(value.operands[0]), range(value.operands[1]));
    ++selects_;
    Interval either[2];
    for (const bool truth : {false, true}) {
        enter();
        assume(value.operands[2], truth, max_depth / 2);
        either[truth] = range(value.operands[truth]);
        leave();
    }
    --selects_;
    return intervals_.hull(either[0], either[1]);
}

// Facts
// ---------------------------------------------------------------------------------------------------------

void Knowledge::learn(const Sum& sum, Interval interval) {
    if (sum.count == 0) return;
    facts_about_[sum.all[0].atom.index].push_back(static_cast<std::uint32_t>(facts_.size()));
    facts_.push_back({sum, intervals_.shallow(interval)});
    changed();
}

void Knowledge::assume_within(ValueId integer, Interval interval) {
    learn(values_.sum(integer), intervals_.meet(range(integer), interval));
}

void Knowledge::assume(ValueId condition, bool truth, int depth) {
    if (!condition || depth > max_depth || exhausted()) return;
    if (truth_.contains(condition.index)) return;
    truth_.emplace(condition.index, truth);
    truths_.emplace_back(condition, truth);
    const Value value = values_[condition];
    if (value.kind == ValueKind::choice) return assume_choice(value, truth, depth + 1);
    if (value.kind != ValueKind::operation) return;
    if (value.op == Op::logical_not) return assume(value.operands[0], !truth, depth + 1);
    if ((value.op == Op::bit_and && truth) || (value.op == Op::bit_or && !truth)) {
        assume(value.operands[0], truth, depth + 1);
        assume(value.operands[1], truth, depth + 1);
    }
    if (value.op == Op::bit_and || value.op == Op::bit_or || !value.operands[1]) return;
    if (is_integer(value.operands[0])) assume_comparison(value, truth);
}

void Knowledge::assume_comparison(const Value& value, bool truth) {
    const ValueId a = value.operands[0], b = value.operands[1];
    if (value.op == Op::lt) return truth ? assume_less(a, b, 1) : assume_less(b, a, 0);
    if (value.op == Op::le) return truth ? assume_less(a, b, 0) : assume_less(b, a, 1);
    if (value.op == Op::gt) return truth ? assume_less(b, a, 1) : assume_less(a, b, 0);
    if (value.op == Op::ge) return truth ? assume_less(b, a, 0) : assume_less(a, b, 1);
    if (value.op == Op::eq) return truth ? assume_equal(a, b) : assume_unequal(a, b);
    if (value.op == Op::ne) return truth ? assume_unequal(a, b) : assume_equal(a, b);
}

// Assumes a + by <= b, as integers.
void Knowledge::assume_less(ValueId a, ValueId b, std::int64_t by) {
    const Interval x = range(a), y = range(b);
    const Expression x_high = e_.min(x.high, e_.add(y.high, -by));
    const Expression y_low = e_.max(y.low, e_.add(x.low, by));
    if (x_high != x.high) learn(values_.sum(a), {x.low, x_high});
    if (y_low != y.low) learn(values_.sum(b), {y_low, y.high});
    Sum difference = values_.sum(a);
    if (add_scaled(difference, values_.sum(b), UINT32_MAX))
        learn(difference, {e_.sub(x.low, y.high), e_.constant(-by)});
}

void Knowledge::assume_equal(ValueId a, ValueId b) {
    const Interval both = intervals_.meet(range(a), range(b));
    learn(values_.sum(a), both);
    learn(values_.sum(b), both);
    Sum difference = values_.sum(a);
    if (add_scaled(difference, values_.sum(b), UINT32_MAX)) learn(difference, intervals_.constant(0, 0));
}

// If b is a single number at an end of a's interval, that end moves inward by one. If both are single
// numbers, whoever knows them knows whether control gets here.
void Knowledge::assume_unequal(ValueId a, ValueId b) {
    const Interval known = range(a), other = range(b);
    if (known.low == known.high && other.low == other.high) {
        const Expression zero = e_.constant(0), one = e_.constant(1);
        unequal_.push_back(
            {e_.select_le(known.low, other.low, e_.select_le(other.low, known.low, one, zero), zero), zero});
    }
    for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
        const Interval x = range(a), y = range(b);
        if (y.low != y.high) continue;
        if (x.low == y.low) learn(values_.sum(a), {e_.add(x.low, 1), x.high});
        if (x.high == y.low) learn(values_.sum(a), {x.low, e_.add(x.high, -1)});
    }
}

// The value that a condition must have given another, as far as its form shows.
std::optional<bool> Knowledge::plain_truth(ValueId condition, ValueId given, bool truth) const {
    while (values_[given].kind == ValueKind::operation && values_[given].op == Op::logical_not) {
        given = values_[given].operands[0];
        truth = !truth;
    }
    const Value& value = values_[condition];
    if (value.kind == ValueKind::constant) return value.payload != 0;
    if (condition == given) return truth;
    if (value.kind == ValueKind::operation && value.op == Op::logical_not && value.operands[0] == given)
        return !truth;
    return {};
}

// `a && b` and `a || b`, with b evaluated only if it matters. If the other case contradicts the assumption,
// the remaining case gives facts.
void Knowledge::assume_choice(const Value& value, bool truth, int depth) {
    for (const bool taken : {true, false}) {
        const auto other = plain_truth(value.operands[taken ? 2 : 1], value.operands[0], !taken);
        if (!other || *other == truth) continue;
        assume(value.operands[0], taken, depth);
        assume(value.operands[taken ? 1 : 2], truth, depth);
        return;
    }
}

// Claims
// --------------------------------------------------------------------------------------------------------

bool Knowledge::is_steady(ValueId id, int depth) const {
    const Value& value = values_[id];
    if (value.kind == ValueKind::opaque || depth > max_depth) return false;
    return std::ranges::all_of(value.operands,
                               [&](ValueId operand) { return !operand || is_steady(operand, depth + 1); });
}

Claim Knowledge::both(Claim a, Claim b) {
    if (!a || !b) return {};
    a->insert(a->end(), b->begin(), b->end());
    std::ranges::sort(*a);
    a->erase(std::unique(a->begin(), a->end()), a->end());
    return a->size() <= max_claims ? a : Claim{};
}

Claim Knowledge::plain(const Claim& claim) {
    if (!claim || claim->empty() || exhausted()) return claim;
    steps_ += 8 * claim->size();
    Claim found = Plain(e_).of(*claim);
    return found && found->size() <= max_claims ? found : claim;
}

Claim Knowledge::at_most(Expression a, Expression b) {
    const Order order = e_.compare(a, b);
    if (order == Order::never) return {};
    if (order == Order::always) return Claim{std::in_place};
    return std::vector{RangeComparison{a, b}};
}

Claim Knowledge::in_bounds(ValueId index, Expression count) {
    const Interval all = range(index);
    return both(at_most(e_.constant(0), all.low), at_most(all.high, e_.add(count, -1)));
}

Claim Knowledge::is(ValueId condition, bool truth, int depth) {
    if (!condition || depth > max_depth || exhausted()) return {};
    if (const auto known = truth_.find(condition.index); known != truth_.end())
        return known->second == truth ? Claim{std::in_place} : Claim{};
    ++steps_;
    const Value value = values_[condition];
    if (value.kind == ValueKind::constant)
        return (value.payload != 0) == truth ? Claim{std::in_place} : Claim{};
    const auto operand = [&](std::size_t which, bool is) {
        return this->is(value.operands[which], is, depth + 1);
    };
    const auto either = [](Claim a, Claim b) { return a && (!b || a->size() <= b->size()) ? a : b; };
    if (value.kind == ValueKind::choice)
        return either(both(operand(0, true), operand(1, truth)), both(operand(0, false), operand(2, truth)));
    if (value.kind != ValueKind::operation) return {};
    if (value.op == Op::logical_not) return operand(0, !truth);
    if (value.op == Op::bit_and || value.op == Op::bit_or) {
        const bool needs_both = (value.op == Op::bit_and) == truth;
        return needs_both ? both(operand(0, truth), operand(1, truth))
                          : either(operand(0, truth), operand(1, truth));
    }
    return value.operands[1] && is_integer(value.operands[0]) ? is_comparison(value, truth) : Claim{};
}

Claim Knowledge::is_comparison(const Value& value, bool truth) {
    const Interval a = range(value.operands[0]), b = range(value.operands[1]);
    const auto less = [&](Interval x, Interval y) { return at_most(e_.add(x.high, 1), y.low); };
    const auto less_or_equal = [&](Interval x, Interval y) { return at_most(x.high, y.low); };
    if (value.op == Op::lt) return truth ? less(a, b) : less_or_equal(b, a);
    if (value.op == Op::le) return truth ? less_or_equal(a, b) : less(b, a);
    if (value.op == Op::gt) return truth ? less(b, a) : less_or_equal(a, b);
    if (value.op == Op::ge) return truth ? less_or_equal(b, a) : less(a, b);
    if (value.op != Op::eq && value.op != Op::ne) return {};
    if ((value.op == Op::eq) == truth) return both(less_or_equal(a, b), less_or_equal(b, a));
    const Claim below = less(a, b), above = less(b, a);
    return below && (!above || below->size() <= above->size()) ? below : above;
}

}  // namespace muster::ranges
