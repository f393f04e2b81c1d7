#include <algorithm>
#include <cstring>
#include <map>

#include <muster/foundation/analysis/ranges/ranges.hpp>
#include <muster/foundation/analysis/ranges/walk.hpp>

namespace muster {

// Turns a walk's claims into Ranges: shares equal conditions and keeps only the expressions that they need.
class RangesMaker {
  public:
    explicit RangesMaker(const ranges::Walk& walk) : walk_(walk) {}

    Ranges make(const Program& program) {
        made_.arrays_ = walk_.evaluator().arrays();
        made_.entries_ = walk_.evaluator().entries();
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
        const ranges::Expressions& all = walk_.expressions();
        std::vector<bool> is_needed(all.count());
        for (const RangeCondition& condition : made_.conditions_)
            for (const RangeComparison& one : condition.all_of)
                is_needed[one.low.index] = is_needed[one.high.index] = true;
        for (std::size_t i = all.count(); i-- > 0;) {
            if (!is_needed[i]) continue;
            for (const RangeExpressionId operand : all[{static_cast<std::uint32_t>(i)}].operands)
                if (operand != RangeExpressionId{}) is_needed[operand.index] = true;
        }
        std::vector<RangeExpressionId> moved(all.count());
        for (std::uint32_t i = 0; i < all.count(); ++i) {
            if (!is_needed[i]) continue;
            moved[i] = {static_cast<std::uint32_t>(made_.expressions_.size())};
            RangeExpression kept = all[{i}];
            for (RangeExpressionId& operand : kept.operands)
                if (operand != RangeExpressionId{}) operand = moved[operand.index];
            made_.expressions_.push_back(kept);
        }
        for (RangeCondition& condition : made_.conditions_)
            for (RangeComparison& one : condition.all_of) one = {moved[one.low.index], moved[one.high.index]};
    }

    const ranges::Walk& walk_;
    Ranges made_;
    std::map<std::vector<RangeComparison>, std::uint32_t> known_;
};

Ranges analyse_ranges(const Program& program) {
    ranges::Walk walk(program);
    walk.run();
    return RangesMaker(walk).make(program);
}

namespace {

class Evaluation {
  public:
    Evaluation(const Program& program, const Ranges& ranges, const RangeFacts& facts)
        : program_(program), ranges_(ranges), facts_(facts) {}

    std::int64_t symbol(const RangeExpression& expression) const {
        switch (expression.op) {
            case RangeOp::constant: return expression.value;
            case RangeOp::workgroup_low: return axis(facts_.workgroup_low, expression.index);
            case RangeOp::workgroup_high: return axis(facts_.workgroup_high, expression.index);
            case RangeOp::num_workgroups: return axis(facts_.num_workgroups, expression.index);
            case RangeOp::array_length: return length(ranges_.arrays()[expression.index]);
            case RangeOp::entry_value: return entry(ranges_.entries()[expression.index]);
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

  private:
    static std::int64_t axis(Extent3 of, std::uint32_t which) {
        return which == 0 ? of.x : which == 1 ? of.y : of.z;
    }
    std::span<const std::byte> bytes(VariableId variable) const {
        const auto place = std::ranges::find(program_.bindings(), variable);
        return facts_.bindings[static_cast<std::size_t>(place - program_.bindings().begin())];
    }
    std::int64_t length(const RangeArray& array) const {
        const std::uint64_t size = bytes(array.variable).size();
        return size < array.offset ? 0 : static_cast<std::int64_t>((size - array.offset) / array.stride);
    }
    std::int64_t entry(const RangeEntry& entry) const {
        const std::span<const std::byte> from = bytes(entry.variable);
        if (from.size() < entry.bytes_needed || from.size() < entry.offset + 4) return 0;
        std::uint32_t word = 0;
        std::memcpy(&word, from.data() + entry.offset, sizeof word);
        return entry.scalar == Scalar::i32 ? std::int64_t{static_cast<std::int32_t>(word)}
                                           : std::int64_t{word};
    }

    const Program& program_;
    const Ranges& ranges_;
    const RangeFacts& facts_;
};

}  // namespace

std::vector<std::int64_t> evaluate(const Program& program, const Ranges& ranges, const RangeFacts& facts) {
    const Evaluation symbols(program, ranges, facts);
    std::vector<std::int64_t> values;
    for (const RangeExpression& expression : ranges.expressions()) {
        const auto operand = [&](std::size_t which) {
            const RangeExpressionId id = expression.operands[which];
            return id == RangeExpressionId{} ? 0 : values[id.index];
        };
        values.push_back(expression.operands[0] == RangeExpressionId{}
                             ? symbols.symbol(expression)
                             : ranges::apply(expression.op, operand(0), operand(1), operand(2), operand(3)));
    }
    return values;
}

bool holds(const RangeCondition& condition, std::span<const std::int64_t> values) {
    return std::ranges::all_of(condition.all_of, [&](const RangeComparison& one) {
        return values[one.low.index] <= values[one.high.index];
    });
}

}  // namespace muster
