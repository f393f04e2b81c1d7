#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/ir/access.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/ir/place.hpp>

namespace muster {
namespace {

using Passes = std::optional<std::uint64_t>;

/// Integers that don't wrap.
struct Bounds {
    std::int64_t low = 0, high = 0;
    bool contains(std::int64_t value) const { return low <= value && value <= high; }
};
Bounds all_of(Scalar scalar) {
    if (scalar == Scalar::u32) return {0, std::numeric_limits<std::uint32_t>::max()};
    return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
}
Bounds bounds_of(Scalar scalar, std::optional<std::uint32_t> constant) {
    if (!constant) return all_of(scalar);
    const std::int64_t value =
        scalar == Scalar::u32 ? std::int64_t{*constant} : std::int64_t{static_cast<std::int32_t>(*constant)};
    return {value, value};
}

/// The counter's change in each iteration.
struct Step {
    Op op = Op::add;       // or div, shift_right, mul
    std::uint32_t by = 1;  // not 0 for add, which wraps; else from 1 for shift_right, from 2 for the others
};
/// The test passes, so that the loop goes on, while `counter op limit`.
struct Guard {
    Op op = Op::lt;
    Bounds limit, start, all;  // start: the counter's values before the loop; all: of its type
    bool before_step = false;  // each iteration tests before the counter changes
    bool keeps_value = false;  // entered again, the loop may start with the value that it left
};

using Pairs = std::array<std::pair<Op, Op>, 3>;
constexpr Pairs negations{{{Op::lt, Op::ge}, {Op::le, Op::gt}, {Op::eq, Op::ne}}};
constexpr Pairs mirrors{{{Op::lt, Op::gt}, {Op::le, Op::ge}, {Op::eq, Op::eq}}};  // with operands swapped
Op partner(Op op, const Pairs& pairs) {
    for (const auto& [a, b] : pairs)
        if (op == a || op == b) return op == a ? b : a;
    return op;
}

std::optional<Step> step_by(Op op, std::uint32_t by) {
    if (op == Op::add || op == Op::sub) {
        const std::uint32_t added = op == Op::add ? by : 0u - by;
        if (added != 0) return Step{Op::add, added};
    }
    const bool is_shift = by > 0 && by < 32;
    const bool is_factor = by > 1 && by <= 1u << 31;
    if (op == Op::shift_left && is_shift) return Step{Op::mul, 1u << by};
    if (op == Op::shift_right && is_shift) return Step{op, by};
    if ((op == Op::mul || op == Op::div) && is_factor) return Step{op, by};
    return {};
}

// A step may jump over the limit only by wrapping around. It doesn't if the last value that passes
// is a step or more away from the type's end. What is tested after a first step, which no test
// precedes, may have wrapped once.
Passes passes_adding(const Guard& guard, std::uint32_t modulo) {
    const bool up = guard.op == Op::lt || guard.op == Op::le;
    if (!up && guard.op != Op::gt && guard.op != Op::ge) return {};
    const std::int64_t by = std::int64_t{modulo} - (up ? 0 : std::int64_t{1} << 32);
    const std::int64_t strictly = guard.op == Op::lt ? -1 : guard.op == Op::gt ? 1 : 0;
    const std::int64_t last = (up ? guard.limit.high : guard.limit.low) + strictly;
    if (up ? last + by > guard.all.high : last + by < guard.all.low) return {};
    const bool may_wrap =
        !guard.before_step &&
        (guard.keeps_value || !guard.all.contains((up ? guard.start.high : guard.start.low) + by));
    const Bounds& from = may_wrap ? guard.all : guard.start;
    const std::int64_t way = up ? last - from.low : from.high - last;
    return way < 0 ? 0 : static_cast<std::uint64_t>(way / (up ? by : -by)) + 1;
}

// Steps from a known value meet the limit exactly.
Passes passes_until_equal(const Guard& guard, std::uint32_t modulo) {
    const std::int64_t by = static_cast<std::int32_t>(modulo), way = guard.limit.low - guard.start.low;
    const bool are_known = guard.start.low == guard.start.high && guard.limit.low == guard.limit.high;
    if (!are_known || (!guard.before_step && guard.keeps_value)) return {};
    if (way % by != 0 || way / by < (guard.before_step ? 0 : 1)) return {};
    return static_cast<std::uint64_t>(way / by);
}

// Values that aren't negative reach 0. Shifted, a negative one stays negative.
Passes passes_dividing(const Guard& guard, const Step& step) {
    const bool stops_at_0 = guard.op == Op::ne && guard.limit.low == 0 && guard.limit.high == 0 &&
                            (step.op == Op::div || guard.start.low >= 0);
    const bool stops = (guard.op == Op::gt && guard.limit.low >= 0) ||
                       (guard.op == Op::ge && guard.limit.low > 0) || stops_at_0;
    if (!stops) return {};
    const std::int64_t by = step.op == Op::div ? std::int64_t{step.by} : std::int64_t{1} << step.by;
    std::uint64_t passes = 0;
    for (std::int64_t left = std::max(guard.start.high, -guard.start.low); left > 0; left /= by) ++passes;
    return passes;
}

Passes passes_multiplying(const Guard& guard, std::int64_t by) {
    if ((guard.op != Op::lt && guard.op != Op::le) || guard.start.low < 1) return {};
    if (!guard.before_step && guard.keeps_value) return {};
    const std::int64_t highest =
        guard.before_step ? guard.limit.high : std::max(guard.limit.high, guard.start.high);
    if (highest > guard.all.high / by) return {};
    std::uint64_t passes = 0;
    for (std::int64_t reached = guard.start.low; reached <= highest; reached *= by) ++passes;
    return passes;
}

Passes passes_of(const Guard& guard, const Step& step) {
    if (step.op == Op::mul) return passes_multiplying(guard, step.by);
    if (step.op != Op::add) return passes_dividing(guard, step);
    return guard.op == Op::ne ? passes_until_equal(guard, step.by) : passes_adding(guard, step.by);
}

}  // namespace

Loops::Loops(const Program& program)
    : program_(program),
      position_(program.node_count()),
      block_(program.node_count()),
      assignments_(program.variables().size()) {
    walk(program.body(), {});
}

void Loops::walk(BlockId block, NodeId loop) {
    for (const NodeId node : program_.block(block)) {
        const std::uint32_t position = position_[node.index] = positions_++;
        block_[node.index] = block;
        const Op op = program_.node(node).op;
        if (const VariableId to = assigned(program_, node)) assignments_[to.index].push_back({node, loop});
        if (op == Op::continue_) extents_.at(loop.index).continues.push_back(position);
        if (op == Op::loop) extents_[node.index] = {.begin = position, .around = loop};
        for (const BlockId inner : program_.blocks(node)) walk(inner, op == Op::loop ? node : loop);
        if (op == Op::loop) extents_.at(node.index).end = positions_;
    }
}

std::span<const Loops::Assignment> Loops::inside(NodeId loop, std::span<const Assignment> all) const {
    const Extent& extent = extents_.at(loop.index);
    const auto position = [&](const Assignment& one) { return position_[one.node.index]; };
    return {std::ranges::lower_bound(all, extent.begin, {}, position),
            std::ranges::lower_bound(all, extent.end, {}, position)};
}

bool Loops::is_inside(NodeId loop, NodeId node) const {
    const Extent& extent = extents_.at(loop.index);
    const std::uint32_t position = position_[node.index];
    return extent.begin < position && position < extent.end;
}

bool Loops::is_in_each_iteration(NodeId loop, NodeId node) const {
    const Extent& extent = extents_.at(loop.index);
    const auto blocks = program_.blocks(loop);
    return block_[node.index] == blocks[1] ||
           (block_[node.index] == blocks[0] && !may_continue(extent, extent.begin, position_[node.index]));
}

// True if a jump to the continuing block is between the positions.
bool Loops::may_continue(const Extent& loop, std::uint32_t begin, std::uint32_t end) const {
    const auto jump = std::ranges::lower_bound(loop.continues, begin);
    return jump != loop.continues.end() && *jump < end;
}

// True if the loop is left whenever the block is entered.
bool Loops::leaves(const Extent& loop, BlockId block) const {
    const auto nodes = program_.block(block);
    return !nodes.empty() && program_.node(nodes.back()).op == Op::break_ &&
           !may_continue(loop, position_[nodes.front().index], position_[nodes.back().index]);
}

bool Loops::is_load_of_counter(NodeId loop, NodeId value) const {
    if (program_.node(value).op != Op::load || !is_inside(loop, value)) return false;
    const Node& place = program_.node(program_.operand(value, 0));
    return place.op == Op::ref_variable &&
           program_.variable(VariableId{place.payload}).space == AddressSpace::function &&
           (program_.type(value) == i32_type || program_.type(value) == u32_type);
}

std::vector<LoopTest> Loops::tests(NodeId loop) const {
    std::vector<LoopTest> all;
    const auto add = [&](NodeId node, bool leaves) {
        NodeId condition = program_.operand(node, 0);
        for (; program_.node(condition).op == Op::logical_not; leaves = !leaves)
            condition = program_.operand(condition, 0);
        if (kind(program_.node(condition).op) != OpKind::comparison) return;
        for (const std::uint32_t counter : {0u, 1u})
            if (is_load_of_counter(loop, program_.operand(condition, counter)))
                all.push_back({node, condition, counter, leaves});
    };
    const Extent& extent = extents_.at(loop.index);
    const auto blocks = program_.blocks(loop);
    for (const NodeId node : program_.block(blocks[0])) {
        if (may_continue(extent, extent.begin, position_[node.index])) break;
        if (program_.node(node).op != Op::if_) continue;
        for (const bool otherwise : {false, true})
            if (leaves(extent, program_.blocks(node)[otherwise])) add(node, !otherwise);
    }
    const auto continuing = program_.block(blocks[1]);
    if (!continuing.empty() && program_.node(continuing.back()).op == Op::break_if)
        add(continuing.back(), true);
    return all;
}

// True unless the counter is set in each iteration of the loop around, before this loop.
bool Loops::keeps_value(NodeId loop, VariableId counter) const {
    const NodeId around = extents_.at(loop.index).around;
    if (!around) return false;
    const auto all = inside(around, assignments(counter));
    const auto before = all.first(static_cast<std::size_t>(inside(loop, all).data() - all.data()));
    return std::none_of(before.rbegin(), before.rend(), [&](const Assignment& one) {
        return program_.node(one.node).op == Op::declare || is_in_each_iteration(around, one.node);
    });
}

// The number of times that the test passes each time the loop is entered.
Passes Loops::passes(NodeId loop, const LoopTest& test) const {
    const auto operands = program_.operands(test.comparison);
    const NodeId place = program_.operand(operands[test.counter], 0);
    const VariableId counter{program_.node(place).payload};
    const auto changes = inside(loop, assignments(counter));
    if (changes.size() != 1 || program_.node(changes[0].node).op != Op::store ||
        !is_in_each_iteration(loop, changes[0].node))
        return {};
    const auto update = own_update(program_, program_.operand(changes[0].node, 1), [&](NodeId value) {
        return is_load_of_counter(loop, value) && program_.operand(value, 0) == place;
    });
    const auto by = update ? constant_word(program_, update->by) : std::nullopt;
    const auto step = by ? step_by(update->op, *by) : std::nullopt;
    if (!step) return {};

    const Scalar scalar = program_.types()[program_.variable(counter).type].scalar;
    if (scalar != Scalar::i32 && scalar != Scalar::u32) return {};
    const Bounds all = all_of(scalar);
    Guard guard{.op = program_.node(test.comparison).op,
                .limit = bounds_of(scalar, constant_word(program_, operands[1 - test.counter])),
                .start = {all.high, all.low},
                .all = all,
                .before_step = precedes(test.node, changes[0].node),
                .keeps_value = keeps_value(loop, counter)};
    if (test.leaves) guard.op = partner(guard.op, negations);
    if (test.counter == 1) guard.op = partner(guard.op, mirrors);
    for (const Assignment& one : assignments(counter)) {
        if (one.node == changes[0].node) continue;
        const auto value = program_.operands(one.node);
        const bool is_zero = program_.node(one.node).op == Op::declare && value.empty();
        const Bounds set = bounds_of(scalar, is_zero ? 0u : constant_word(program_, value.back()));
        guard.start = {std::min(guard.start.low, set.low), std::max(guard.start.high, set.high)};
        if (guard.start.low == all.low && guard.start.high == all.high) break;
    }
    return passes_of(guard, *step);
}

std::optional<std::uint64_t> Loops::max_trip_count(NodeId loop) const {
    std::optional<std::uint64_t> least;
    for (const LoopTest& test : tests(loop))
        if (const auto found = passes(loop, test)) least = std::min(least.value_or(*found), *found);
    return least ? std::optional(*least + 1) : least;
}

}  // namespace muster
