#include <algorithm>

#include <muster/foundation/analysis/footprint/filled.hpp>
#include <muster/foundation/analysis/footprint/footprint.hpp>
#include <muster/foundation/analysis/ranges/walk.hpp>
#include <muster/foundation/analysis/writing_workgroups.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/place.hpp>

namespace muster {
namespace {

constexpr std::uint32_t no_binding = UINT32_MAX;

std::vector<std::uint32_t> places_of_bindings(const Program& program) {
    std::vector<std::uint32_t> places(program.variables().size(), no_binding);
    for (std::uint32_t i = 0; i < program.bindings().size(); ++i) places[program.bindings()[i].index] = i;
    return places;
}

std::vector<bool> used_values(const Program& program) {
    std::vector<bool> is_used(program.node_count());
    for (std::uint32_t i = 0; i < program.node_count(); ++i)
        for (const NodeId operand : program.operands(NodeId{i})) is_used[operand.index] = true;
    return is_used;
}

bool has_order(Op op) {
    return op == Op::atomic_load || op == Op::atomic_store || op == Op::atomic_exchange ||
           op == Op::atomic_compare_exchange;
}

/// All members of an access but the node that it stands for: those that tell which
/// words it may reach, and how.
auto words_of(const FootprintAccess& access) {
    const auto& [node, binding, reads, writes, is_reducible, is_bounded, scalar, low, high, turn_low,
                 turn_high, stride, turns_if, reached_if, filled_low, filled_high, filled_if] = access;
    (void)node;
    return std::tie(binding, reads, writes, is_reducible, is_bounded, scalar, low, high, turn_low, turn_high,
                    stride, turns_if, reached_if, filled_low, filled_high, filled_if);
}

class FootprintMaker {
  public:
    explicit FootprintMaker(const Program& program)
        : program_(program),
          walk_(program),
          binding_of_(places_of_bindings(program)),
          is_used_(used_values(program)),
          is_plain_(footprint::plainly_reached(program)),
          made_{.program = program, .writing = writing_workgroups(program)} {}

    Footprint make() {
        walk_.at_place = [&](NodeId user, NodeId reference) { note(user, reference); };
        walk_.run();
        std::vector<RangeExpressionId*> wanted;
        for (FootprintAccess& one : made_.accesses) {
            wanted.insert(wanted.end(), {&one.low, &one.high, &one.turn_low, &one.turn_high, &one.stride,
                                         &one.filled_low, &one.filled_high});
            for (auto* const all : {&one.turns_if, &one.reached_if, &one.filled_if})
                for (RangeComparison& each : *all) wanted.insert(wanted.end(), {&each.low, &each.high});
        }
        made_.table = ranges::table_of(walk_, wanted);
        return std::move(made_);
    }

  private:
    void note(NodeId user, NodeId reference) {
        const Op op = program_.node(reference).op;
        if (op != Op::ref_variable && op != Op::ref_index && op != Op::ref_member) return;
        const Place place = resolve(program_, reference, Layout::host);
        const std::uint32_t binding = binding_of_[place.variable.index];
        if (binding == no_binding) return;
        FootprintAccess access = kind_of(user);
        access.binding = binding;
        if (program_.node(user).op == Op::extension && !is_grid_uniform_load(program_, user))
            take_whole(access);
        else
            find_words(reference, place, access);
        access.reached_if = walk_.knowledge().reached_if();
        find_filled(place, access);
        const auto is_same = [&](const FootprintAccess& other) {
            return words_of(other) == words_of(access) &&
                   (!access.is_reducible || program_.node(other.node).op == program_.node(user).op);
        };
        if (std::ranges::none_of(made_.accesses, is_same)) made_.accesses.push_back(access);
    }

    FootprintAccess kind_of(NodeId user) const {
        FootprintAccess access{.node = user};
        const Node& node = program_.node(user);
        const bool is_atomic = info(node.op).group == OpGroup::atomic;
        access.reads = node.op != Op::store && node.op != Op::atomic_store;
        access.writes =
            node.op != Op::load && node.op != Op::atomic_load && !is_grid_uniform_load(program_, user);
        if (is_atomic) access.scalar = program_.types()[program_.type(program_.operand(user, 0))].scalar;
        access.is_reducible = is_atomic && !has_order(node.op) && !is_used_[user.index] &&
                              (access.scalar == Scalar::i32 || access.scalar == Scalar::u32);
        return access;
    }

    // Nothing is known about what an extension does with a place.
    void take_whole(FootprintAccess& access) {
        access.is_bounded = false;
        access.low = walk_.expressions().constant(0);
        access.high = walk_.expressions().constant(range_limit);
        access.turn_low = access.turn_high = access.stride = access.low;
    }

    /// The elements of a loop's first turn, and how many further those of the next turn are.
    struct Turns {
        ranges::Interval first;
        ranges::Expression by;
        std::vector<RangeComparison> only_if;
    };
    std::optional<Turns> turns_of(ranges::ValueId index) {
        ranges::Expressions& e = walk_.expressions();
        ranges::Intervals& intervals = walk_.intervals();
        const ranges::Sum sum = walk_.values().sum(index);
        const auto signed_of = [](std::uint32_t word) {
            return std::int64_t{static_cast<std::int32_t>(word)};
        };
        const std::int64_t constant = signed_of(sum.constant);
        std::optional<Turns> turns;
        ranges::Interval first = intervals.constant(constant, constant), all = first;
        for (const ranges::Sum::Term& term : sum.terms()) {
            const std::int64_t factor = signed_of(term.factor);
            const ranges::Interval range = walk_.knowledge().range(term.atom);
            const ranges::Counter* counter = walk_.counter(term.atom);
            const bool turns_by_it = !turns && counter && !e.value(counter->by);
            if (turns_by_it) turns = Turns{{}, e.mul(counter->by, factor), counter->only_if};
            first = intervals.add_scaled(first, turns_by_it ? counter->start : range, factor);
            all = intervals.add_scaled(all, range, factor);
        }
        if (!turns) return {};
        turns->first = first;
        turns->only_if.push_back({e.constant(INT32_MIN), all.low});  // nothing wraps
        turns->only_if.push_back({all.high, e.constant(INT32_MAX)});
        return turns;
    }

    void find_words(NodeId reference, const Place& place, FootprintAccess& access) {
        ranges::Expressions& e = walk_.expressions();
        ranges::Intervals& intervals = walk_.intervals();
        const auto offset = static_cast<std::int64_t>(place.offset);
        ranges::Interval bytes = intervals.constant(offset, offset), first = bytes;
        access.stride = e.constant(0);
        for (const PlaceStep& step : place.steps) {
            const ranges::ValueId index = walk_.evaluator().component(step.index);
            const ranges::Expression count = step.count == 0
                                                 ? *walk_.evaluator().length(run_time_array(reference))
                                                 : e.constant(static_cast<std::int64_t>(step.count));
            access.is_bounded &= is_bound(walk_.knowledge().range(index));
            const auto stride = static_cast<std::int64_t>(step.stride);
            const ranges::Interval elements = walk_.knowledge().selected(index, count);
            bytes = intervals.add_scaled(bytes, elements, stride);
            auto turns = stride % 4 == 0 && access.turns_if.empty() ? turns_of(index) : std::nullopt;
            first = intervals.add_scaled(first, turns ? turns->first : elements, stride);
            if (!turns) continue;
            access.stride = e.mul(turns->by, stride / 4);
            access.turns_if = std::move(turns->only_if);
        }
        const auto size = static_cast<std::int64_t>(program_.types()[place.type].size);
        const auto words_of = [&](ranges::Interval of) {
            of = intervals.shallow({of.low, e.add(of.high, size - 1)});
            return ranges::Interval{e.shift_right(of.low, 2), e.shift_right(of.high, 2)};
        };
        const ranges::Interval words = words_of(bytes), in_turn = words_of(first);
        access.low = words.low;
        access.high = words.high;
        access.turn_low = in_turn.low;
        access.turn_high = in_turn.high;
    }

    void find_filled(const Place& place, FootprintAccess& access) {
        ranges::Expressions& e = walk_.expressions();
        access.filled_low = e.constant(0);
        access.filled_high = e.constant(-1);
        const Op op = program_.node(access.node).op;
        const Type& type = program_.types()[place.type];
        const bool is_whole_element =
            place.steps.size() == 1 && place.steps[0].stride == type.size && type.size % 4 == 0 &&
            place.offset % 4 == 0 &&
            (type.kind == TypeKind::scalar || type.kind == TypeKind::vector || type.kind == TypeKind::atomic);
        if ((op != Op::store && op != Op::atomic_store) || !is_plain_[access.node.index] || !is_whole_element)
            return;
        auto filled =
            footprint::filled_by(program_, walk_, walk_.evaluator().component(place.steps[0].index));
        if (!filled) return;
        const auto size = static_cast<std::int64_t>(type.size / 4),
                   first = static_cast<std::int64_t>(place.offset / 4);
        access.filled_low = e.add(e.mul(filled->elements.low, size), first);
        access.filled_high = e.add(e.mul(filled->elements.high, size), first + size - 1);
        access.filled_if = std::move(filled->filled_if);
    }

    NodeId run_time_array(NodeId reference) const {
        while (!program_.types()[program_.type(reference)].is_runtime_array())
            reference = program_.operand(reference, 0);
        return reference;
    }

    /// True unless both ends are those of a type, or nearly.
    bool is_bound(ranges::Interval interval) {
        const auto low = walk_.expressions().value(interval.low),
                   high = walk_.expressions().value(interval.high);
        return !low || !high || *high - *low < std::int64_t{1} << 30;
    }

    const Program& program_;
    ranges::Walk walk_;
    const std::vector<std::uint32_t> binding_of_;
    const std::vector<bool> is_used_, is_plain_;
    Footprint made_;
};

}  // namespace

Footprint analyse_footprint(const Program& program) { return FootprintMaker(program).make(); }

FootprintValues::FootprintValues(const Footprint& footprint, const KnownDispatch& dispatch)
    : footprint_(footprint), num_workgroups_(dispatch.grid) {
    const std::vector<std::uint32_t> binding_of = places_of_bindings(footprint.program);
    const auto bound = [&](VariableId variable) { return dispatch.bindings[binding_of[variable.index]]; };
    for (const KnownBinding& one : dispatch.bindings) words_in_.push_back(one.bytes / 4);
    for (const RangeArray& one : footprint.table.arrays)
        lengths_.push_back(length_in(one, bound(one.variable).bytes));
    std::vector<bool> is_unknown;
    for (const RangeEntry& one : footprint.table.entries) {
        const KnownBinding& of = bound(one.variable);
        const auto value = value_in(one, of.bytes, of.value);
        is_unknown.push_back(!value);
        entries_.push_back(value.value_or(0));
    }
    if (std::ranges::find(is_unknown, true) == is_unknown.end()) return;
    for (const RangeExpression& one : footprint.table.expressions)
        is_unknown_.push_back(one.op == RangeOp::entry_value
                                  ? is_unknown[one.index]
                                  : std::ranges::any_of(one.operands, [&](RangeExpressionId operand) {
                                        return operand != RangeExpressionId{} && !is_known(operand);
                                    }));
}

void FootprintValues::set_box(Extent3 low, Extent3 high) {
    evaluate(footprint_.table, {low, high, num_workgroups_, lengths_, entries_}, values_);
}

FootprintValues::Words FootprintValues::clipped(RangeExpressionId low, RangeExpressionId high,
                                                std::uint32_t binding) const {
    const std::int64_t begin = std::max(values_[low.index], std::int64_t{0});
    const std::int64_t end = std::min(values_[high.index] + 1, static_cast<std::int64_t>(words_in_[binding]));
    return begin < end ? Words{static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)} : Words{};
}

FootprintValues::Words FootprintValues::words(std::size_t access) const {
    const FootprintAccess& of = footprint_.accesses[access];
    const bool is_reached = std::ranges::all_of(
        of.reached_if, [&](const RangeComparison& one) { return !is_known(one) || holds(one); });
    if (!is_reached) return {};
    return is_known({of.low, of.high}) ? clipped(of.low, of.high, of.binding)
                                       : Words{0, words_in_[of.binding]};
}

std::vector<FootprintValues::Words> FootprintValues::parts(std::size_t access, std::size_t most) const {
    const FootprintAccess& of = footprint_.accesses[access];
    const Words all = words(access);
    if (all.begin == all.end) return {};
    const std::int64_t low = values_[of.turn_low.index], high = values_[of.turn_high.index],
                       stride = values_[of.stride.index];
    const bool is_apart = low <= high && stride > high - low + 1 && is_known({of.turn_low, of.turn_high}) &&
                          is_known(of.stride) &&
                          std::ranges::all_of(of.turns_if, [&](const RangeComparison& one) {
                              return is_known(one) && holds(one);
                          });
    if (!is_apart) return {all};
    const auto begin = static_cast<std::int64_t>(all.begin), end = static_cast<std::int64_t>(all.end);
    std::vector<Words> apart;
    for (std::int64_t at = low + stride * std::max((begin - high + stride - 1) / stride, std::int64_t{0});
         at < end; at += stride) {
        if (apart.size() == most) return {all};
        apart.push_back({static_cast<std::uint64_t>(std::max(at, begin)),
                         static_cast<std::uint64_t>(std::min(at + high - low + 1, end))});
    }
    return apart;
}

FootprintValues::Words FootprintValues::filled(std::size_t access) const {
    const FootprintAccess& of = footprint_.accesses[access];
    const bool is_filled = is_known({of.filled_low, of.filled_high}) &&
                           std::ranges::all_of(of.filled_if, [&](const RangeComparison& one) {
                               return is_known(one) && holds(one);
                           });
    return is_filled ? clipped(of.filled_low, of.filled_high, of.binding) : Words{};
}

}  // namespace muster
