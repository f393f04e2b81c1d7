#include <algorithm>
#include <cstring>
#include <map>

#include <muster/foundation/analysis/ranges/ranges.hpp>
#include <muster/foundation/analysis/ranges/walk.hpp>

namespace muster {

RangeTable ranges::table_of(const Walk& walk, std::span<RangeExpressionId* const> wanted) {
    const Expressions& all = walk.expressions();
    std::vector<bool> is_needed(all.count());
    for (const RangeExpressionId* const one : wanted) is_needed[one->index] = true;
    for (std::size_t i = all.count(); i-- > 0;) {
        if (!is_needed[i]) continue;
        for (const RangeExpressionId operand : all[{static_cast<std::uint32_t>(i)}].operands)
            if (operand != RangeExpressionId{}) is_needed[operand.index] = true;
    }
    RangeTable table{.arrays = walk.evaluator().arrays(), .entries = walk.evaluator().entries()};
    std::vector<RangeExpressionId> moved(all.count());
    for (std::uint32_t i = 0; i < all.count(); ++i) {
        if (!is_needed[i]) continue;
        moved[i] = {static_cast<std::uint32_t>(table.expressions.size())};
        RangeExpression kept = all[{i}];
        for (RangeExpressionId& operand : kept.operands)
            if (operand != RangeExpressionId{}) operand = moved[operand.index];
        table.expressions.push_back(kept);
    }
    for (RangeExpressionId* const one : wanted) *one = moved[one->index];
    return table;
}

// Turns a walk's claims into Ranges: shares equal conditions and keeps only the expressions that they need.
class RangesMaker {
  public:
    explicit RangesMaker(const ranges::Walk& walk) : walk_(walk) {}

    Ranges make(const Program& program) {
        keep(walk_.in_bounds, made_.in_bounds_,
             [](RangeCondition& of, NodeId id) { of.accesses.push_back(id); });
        keep(walk_.is_true, made_.true_, [](RangeCondition& of, NodeId id) {
            of.branches.push_back({id, true});
        });
        keep(walk_.is_false, made_.false_, [](RangeCondition& of, NodeId id) {
            of.branches.push_back({id, false});
        });
        steps_always_in_bounds(program);
        keep_expressions();
        return std::move(made_);
    }

  private:
    template <class Add>
    void keep(const ranges::Claims& claims, std::vector<RangeProof>& proofs, Add add) {
        proofs.resize(claims.size());
        for (std::uint32_t i = 0; i < claims.size(); ++i) {
            if (!claims[i] || !*claims[i]) continue;
            const std::vector<RangeComparison>& all_of = **claims[i];
            if (all_of.empty()) {
                proofs[i].known = RangeKnown::always;
                continue;
            }
            const auto next = static_cast<std::uint32_t>(made_.conditions_.size());
            const auto [at, is_new] = known_.try_emplace(all_of, next);
            if (is_new) made_.conditions_.push_back({.all_of = all_of});
            proofs[i] = {RangeKnown::under_condition, at->second};
            add(made_.conditions_[at->second], NodeId{i});
        }
    }

    // A reference without steps is always in bounds.
    void steps_always_in_bounds(const Program& program) {
        for (std::uint32_t i = 0; i < program.node_count(); ++i)
            if (program.node(NodeId{i}).op == Op::ref_variable)
                made_.in_bounds_[i].known = RangeKnown::always;
    }

    void keep_expressions() {
        std::vector<RangeExpressionId*> wanted;
        for (RangeCondition& condition : made_.conditions_)
            for (RangeComparison& one : condition.all_of) wanted.insert(wanted.end(), {&one.low, &one.high});
        made_.table_ = ranges::table_of(walk_, wanted);
    }

    const ranges::Walk& walk_;
    Ranges made_;
    std::map<std::vector<RangeComparison>, std::uint32_t> known_;
};

Ranges analyse_ranges(const Program& program) { return analyse_ranges(program, program.workgroup_size()); }

Ranges analyse_ranges(const Program& program, Extent3 box) {
    ranges::Walk walk(program, box);
    walk.run();
    return RangesMaker(walk).make(program);
}

namespace {

using ranges::along;

std::int64_t symbol(const RangeExpression& expression, const RangeSymbols& symbols) {
    switch (expression.op) {
        case RangeOp::constant: return expression.value;
        case RangeOp::workgroup_low: return along(symbols.workgroup_low, expression.index);
        case RangeOp::workgroup_high: return along(symbols.workgroup_high, expression.index);
        case RangeOp::num_workgroups: return along(symbols.num_workgroups, expression.index);
        case RangeOp::array_length: return symbols.lengths[expression.index];
        case RangeOp::entry_value: return symbols.entries[expression.index];
        case RangeOp::add:
        case RangeOp::sub:
        case RangeOp::mul:
        case RangeOp::div:
        case RangeOp::shift_right:
        case RangeOp::min:
        case RangeOp::max:
        case RangeOp::select_le: break;  // have operands
    }
    return 0;
}

}  // namespace

void evaluate(const RangeTable& table, const RangeSymbols& symbols, std::vector<std::int64_t>& values) {
    values.clear();
    for (const RangeExpression& expression : table.expressions) {
        const auto operand = [&](std::size_t which) {
            const RangeExpressionId id = expression.operands[which];
            return id == RangeExpressionId{} ? 0 : values[id.index];
        };
        values.push_back(expression.operands[0] == RangeExpressionId{}
                             ? symbol(expression, symbols)
                             : ranges::apply(expression.op, operand(0), operand(1), operand(2), operand(3)));
    }
}

std::int64_t length_in(const RangeArray& array, std::uint64_t bytes) {
    return bytes < array.offset ? 0 : static_cast<std::int64_t>((bytes - array.offset) / array.stride);
}

std::optional<std::int64_t> value_in(const RangeEntry& entry, std::uint64_t bytes,
                                     std::span<const std::byte> known) {
    if (bytes < entry.bytes_needed || bytes < entry.offset + 4) return 0;
    if (known.size() < entry.offset + 4) return {};
    std::uint32_t word = 0;
    std::memcpy(&word, known.data() + entry.offset, sizeof word);
    return entry.scalar == Scalar::i32 ? std::int64_t{static_cast<std::int32_t>(word)} : std::int64_t{word};
}

std::vector<std::int64_t> evaluate(const Program& program, const Ranges& ranges, const RangeFacts& facts) {
    const auto bytes = [&](VariableId variable) {
        const auto place = std::ranges::find(program.bindings(), variable);
        return facts.bindings[static_cast<std::size_t>(place - program.bindings().begin())];
    };
    std::vector<std::int64_t> lengths, entries, values;
    for (const RangeArray& one : ranges.arrays())
        lengths.push_back(length_in(one, bytes(one.variable).size()));
    for (const RangeEntry& one : ranges.entries()) {
        const std::span<const std::byte> from = bytes(one.variable);
        entries.push_back(*value_in(one, from.size(), from));
    }
    evaluate(ranges.table(),
             {facts.workgroup_low, facts.workgroup_high, facts.num_workgroups, lengths, entries}, values);
    return values;
}

bool holds(const RangeCondition& condition, std::span<const std::int64_t> values) {
    return std::ranges::all_of(condition.all_of, [&](const RangeComparison& one) {
        return values[one.low.index] <= values[one.high.index];
    });
}

}  // namespace muster
