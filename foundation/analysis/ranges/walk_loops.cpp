// walk_loops.cpp - finds the interval in which a variable stays in every iteration of a loop. A store in the
// loop adds to the variable, makes it smaller or larger, or sets it anew. Guards at the loop's beginning
// bound it on one side, the direction in which it moves on the other.

#include <algorithm>
#include <utility>

#include <muster/foundation/analysis/ranges/walk.hpp>

namespace muster::ranges {
namespace {

constexpr std::size_t max_assignments = 8;  // examined per variable and loop
constexpr int max_guards = 64;              // nodes examined among the guards at a loop's beginning

}  // namespace

struct Walk::Step {
    enum class Kind : std::uint8_t { count, shrink, grow, set, unknown };
    Kind kind = Kind::unknown;
    Interval by = {};  // count: the amount added; grow: the constant factor; set: the new value
};

void Walk::begin_loop(NodeId loop, Meeting& behind) {
    const std::vector<std::uint32_t>& slots = behind.slots;
    std::vector<Interval> initial;
    for (const std::uint32_t slot : slots) {
        const Scalar type = evaluator_->scalar(slot);
        initial.push_back(type == Scalar::boolean ? intervals_.of(type)
                                                  : knowledge_.range(evaluator_->at(slot)));
        evaluator_->at(slot) = evaluator_->opaque(type);
    }
    const std::vector<Interval> held = guarded(loop, slots);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (evaluator_->scalar(slots[i]) == Scalar::boolean || knowledge_.exhausted()) continue;
        const Interval interval = moved(loop, slots[i], initial[i], held[i]);
        values_.set_interval(evaluator_->at(slots[i]), intervals_.shallow(interval));
    }
    knowledge_.changed();
}

// Walks the loop's beginning once without recording, with nothing known about the variables that the loop
// changes, to find the bounds that its guards give each variable before it is stored to.
std::vector<Interval> Walk::guarded(NodeId loop, const std::vector<std::uint32_t>& slots) {
    const std::vector<ValueId> header = states(slots);
    const bool was_rehearsal = std::exchange(is_rehearsal_, true);
    Meeting nowhere{{}};
    knowledge_.enter();
    std::vector<std::optional<Interval>> held(slots.size());
    const auto note_held = [&](std::uint32_t slot) {
        const auto place = std::ranges::lower_bound(slots, slot);
        const auto i = static_cast<std::size_t>(place - slots.begin());
        if (place == slots.end() || *place != slot || held[i]) return;
        held[i] = evaluator_->scalar(slot) == Scalar::boolean ? intervals_.of(Scalar::boolean)
                                                              : knowledge_.range(header[i]);
    };
    int budget = max_guards;
    within(loop, {&nowhere, &nowhere}, [&] {
        for (const NodeId node : program_.block(program_.blocks(loop)[0])) {
            if (!is_guard(node, budget)) break;
            for (const std::uint32_t slot : stored(node)) note_held(slot);
            if (!follow(node).next) break;
        }
    });
    for (const std::uint32_t slot : slots) note_held(slot);
    knowledge_.leave();
    is_rehearsal_ = was_rehearsal;
    restore(slots, header);
    std::vector<Interval> all;
    for (const auto& one : held) all.push_back(*one);
    return all;
}

// The slots that a statement may store to.
std::vector<std::uint32_t> Walk::stored(NodeId node) const {
    if (program_.node(node).op != Op::store) return assigned(node);
    const Evaluator::SlotRange to = evaluator_->slots(program_.operand(node, 0));
    std::vector<std::uint32_t> slots;
    for (std::uint32_t k = 0; k < to.count; ++k) slots.push_back(to.slot + k);
    return slots;
}

// True if the node may be among the guards: it continues with the next node or leaves the loop for good.
bool Walk::is_guard(NodeId node, int& budget) const {
    const Op op = program_.node(node).op;
    if (--budget < 0 || op == Op::continue_ || op == Op::break_if) return false;
    if (op == Op::loop || op == Op::switch_ || op == Op::scope) return false;
    return std::ranges::all_of(program_.blocks(node), [&](BlockId block) {
        return std::ranges::all_of(program_.block(block),
                                   [&](NodeId inner) { return is_guard(inner, budget); });
    });
}

Interval Walk::moved(NodeId loop, std::uint32_t slot, Interval initial, Interval guarded) {
    using enum Step::Kind;
    const Scalar type = evaluator_->scalar(slot);
    const auto assignments = assignments_in(loop, slot);
    if (assignments.size() > max_assignments) return intervals_.of(type);
    Motion motion{initial, guarded};
    std::vector<Step> counts, grows;
    bool shrinks = false;
    for (const Loops::Assignment& one : assignments) {
        const Step made = step(loop, slot, one.node);
        // Stores in an inner loop are executed any number of times.
        const bool is_once = one.loop == loop;
        if (made.kind == unknown || ((made.kind == count || made.kind == grow) && !is_once))
            return intervals_.of(type);
        if (made.kind == count) counts.push_back(made);
        if (made.kind == grow) grows.push_back(made);
        shrinks |= made.kind == shrink;
        if (made.kind != set) continue;
        motion.start = intervals_.hull(motion.start, made.by);
        motion.in_turn = intervals_.hull(motion.in_turn, made.by);
    }
    if (counts.empty() && grows.empty()) return shrinks ? shrunk(motion, type) : motion.start;
    if (shrinks || grows.size() > 1 || (!grows.empty() && !counts.empty())) return intervals_.of(type);
    if (!grows.empty()) return grown(grows[0], motion, type);
    if (assignments.size() == 1) note_counter(evaluator_->at(slot), counts[0], motion, type);
    return counted(counts, motion, type);
}

void Walk::note_counter(ValueId value, const Step& step, const Motion& motion, Scalar type) {
    const Interval& by = step.by;
    const Interval all = intervals_.of(type);
    const Expression lowest = e_.add(motion.in_turn.low, by.low),
                     highest = e_.add(motion.in_turn.high, by.high);
    counters_[value.index] = {
        motion.start, by.low, {{by.high, by.low}, {all.low, lowest}, {highest, all.high}}};
}

Walk::Step Walk::step(NodeId loop, std::uint32_t slot, NodeId assignment) {
    using enum Step::Kind;
    if (program_.node(assignment).op != Op::store) return {};
    const Evaluator::SlotRange to = evaluator_->slots(program_.operand(assignment, 0));
    if (to.slot != slot || to.count != 1) return {};
    const Scalar type = evaluator_->scalar(slot);
    const NodeId value = program_.operand(assignment, 1);
    const auto ahead = [&](NodeId node) {
        return knowledge_.range(evaluator_->look_ahead(
            node, [&](std::uint32_t other) { return !assignments_in(loop, other).empty(); }));
    };
    const auto is_itself = [&](NodeId node) {
        if (program_.node(node).op != Op::load || !loops_.is_inside(loop, node)) return false;
        const Evaluator::SlotRange from = evaluator_->slots(program_.operand(node, 0));
        return from.count == 1 && from.slot == slot && from.is_exact;
    };
    const auto update = own_update(program_, value, is_itself);
    if (!update) return {set, ahead(value)};
    const Op op = update->op;
    const Interval by = ahead(update->by);
    const auto constant = e_.value(by.low) && by.low == by.high ? e_.value(by.low) : std::nullopt;
    const bool is_unsigned = type == Scalar::u32;
    if (op == Op::add && constant) {  // modulo 2^32, so a large amount counts down
        const std::int64_t amount = static_cast<std::int32_t>(static_cast<std::uint32_t>(*constant));
        return {count, intervals_.constant(amount, amount)};
    }
    if (op == Op::add) return {count, by};
    if (op == Op::sub) return {count, intervals_.add_scaled(intervals_.constant(0, 0), by, -1)};
    if (op == Op::shift_right) return {shrink};
    if (op == Op::div && (is_unsigned || (constant && *constant > 0))) return {shrink};
    if (op == Op::rem || op == Op::bit_and || (op == Op::min && is_unsigned)) return {shrink};
    if (op == Op::shift_left && constant) {
        const std::int64_t factor = std::int64_t{1} << (*constant & 31);
        return {grow, intervals_.constant(factor, factor)};
    }
    if (op == Op::mul && constant && *constant > 0) return {grow, by};
    return {set, ahead(value)};
}

// Moves toward zero from a start that isn't negative.
Interval Walk::shrunk(const Motion& motion, Scalar type) {
    if (e_.low(motion.start.low) < 0) return intervals_.of(type);
    return {e_.constant(0), motion.start.high};
}

// `then` if all comparisons hold, else any value of the type.
Interval Walk::where(std::span<const RangeComparison> all_hold, Interval then, Scalar type) {
    const Interval all = intervals_.of(type);
    for (const RangeComparison& one : all_hold) {
        then.low = e_.select_le(one.low, one.high, then.low, all.low);
        then.high = e_.select_le(one.low, one.high, then.high, all.high);
    }
    return then;
}

// Each iteration adds each amount at most once. If the furthest value that the guards let continue, plus all
// amounts, is in the type's range, the variable can't wrap and so never turns back.
Interval Walk::counted(std::span<const Step> steps, const Motion& motion, Scalar type) {
    const Interval all = intervals_.of(type);
    const bool is_down = std::ranges::all_of(steps, [&](const Step& s) { return e_.high(s.by.high) <= 0; });
    std::vector<RangeComparison> conditions;
    Expression reach = is_down ? motion.in_turn.low : motion.in_turn.high;
    for (const Step& each : steps) {
        reach = e_.add(reach, is_down ? each.by.low : each.by.high);
        if (!is_down) conditions.push_back({e_.constant(0), each.by.low});
    }
    if (is_down) {
        conditions.push_back({all.low, reach});
        return where(conditions, {e_.min(motion.start.low, reach), motion.start.high}, type);
    }
    conditions.push_back({reach, all.high});
    return where(conditions, {motion.start.low, e_.max(motion.start.high, reach)}, type);
}

Interval Walk::grown(const Step& step, const Motion& motion, Scalar type) {
    if (e_.low(motion.start.low) < 0) return intervals_.of(type);
    const Expression reach = e_.mul(motion.in_turn.high, step.by.low);
    const RangeComparison fits{reach, intervals_.of(type).high};
    return where(std::span(&fits, 1), {motion.start.low, e_.max(motion.start.high, reach)}, type);
}

}  // namespace muster::ranges
