#include <algorithm>

#include <muster/foundation/analysis/footprint/filled.hpp>
#include <muster/foundation/analysis/ways.hpp>

namespace muster::footprint {
namespace {

using ranges::Expression;
using ranges::Interval;
using ranges::Sum;
using ranges::Value;
using ranges::ValueId;
using ranges::ValueKind;

std::int64_t as_signed(std::uint32_t word) { return static_cast<std::int32_t>(word); }

class PlainPaths {
  public:
    explicit PlainPaths(const Program& program) : program_(program), is_plain_(program.node_count()) {
        block(program.body(), true);
    }
    std::vector<bool> take() { return std::move(is_plain_); }

  private:
    void block(BlockId id, bool is_plain) {
        for (const NodeId node : program_.block(id)) {
            is_plain_[node.index] = is_plain;
            const bool is_branch = program_.node(node).op == Op::if_;
            for (const BlockId inner : program_.blocks(node)) block(inner, is_plain && is_branch);
            is_plain = is_plain && (!ways_of(program_, node).returns || (is_branch && is_told(node)));
        }
    }

    // True if a branch's condition tells which invocations return in it.
    bool is_told(NodeId branch) const {
        const auto blocks = program_.blocks(branch);
        const Ways a = ways_of(program_, blocks[0]), b = ways_of(program_, blocks[1]);
        constexpr Ways returns{.returns = true};
        return (a == returns && !b.returns) || (b == returns && !a.returns);
    }

    const Program& program_;
    std::vector<bool> is_plain_;
};

// A sum takes every value of an interval, independently of other sums, if no atom is in two of them.
class Filling {
  public:
    Filling(const Program& program, ranges::Walk& walk)
        : values_(walk.values()),
          e_(walk.expressions()),
          knowledge_(walk.knowledge()),
          without_conditions_(walk.values(), walk.expressions(), program.workgroup_size(), 10'000) {}

    std::optional<Filled> of(ValueId index) {
        if (knowledge_.exhausted()) return {};
        for (const auto& [condition, truth] : knowledge_.truths())
            if (!find_bounds(condition, truth)) return {};
        const Sum& sum = values_.sum(index);
        auto all = every_value(sum);
        if (!all) return {};
        // Bounds on what the index doesn't depend on: some invocation keeps all of them, if no
        // two are on the same ids.
        std::vector<Sum> others{sum};
        for (Bound& one : bounds_) {
            if (one.is_used) continue;
            const auto shares = [&](const Sum& other) { return shares_atom(one.sum, other); };
            if (std::ranges::any_of(others, shares) || !every_value(one.sum) || !one.is_used) return {};
            others.push_back(one.sum);
        }
        if (without_conditions_.exhausted()) return {};
        return Filled{*all, std::move(needs_)};
    }

  private:
    /// low <= sum <= high, for a sum without constant.
    struct Bound {
        Sum sum;
        std::optional<Expression> low, high;
        bool is_used = false;
    };

    bool is_fixed(ValueId id) const { return knowledge_.is_steady(id) && !moves(id); }
    bool moves(ValueId id, int depth = 0) const {
        const Value& value = values_[id];
        if (value.kind == ValueKind::local_id || value.kind == ValueKind::workgroup_id || depth > 24)
            return true;
        return std::ranges::any_of(value.operands,
                                   [&](ValueId operand) { return operand && moves(operand, depth + 1); });
    }

    // Makes bounds of a condition that holds, or doesn't. Returns false if they don't say the same.
    bool find_bounds(ValueId condition, bool truth, int depth = 0) {
        const Value value = values_[condition];
        if (value.kind == ValueKind::constant) return (value.payload != 0) == truth;
        if (depth > 24) return false;
        const auto operand = [&](std::size_t which, bool is) {
            return find_bounds(value.operands[which], is, depth + 1);
        };
        if (value.kind == ValueKind::choice) {  // a && b, a || b
            const auto& [a, then, otherwise] = value.operands;
            const auto is_constant = [&](ValueId id, bool word) {
                return values_[id].kind == ValueKind::constant && (values_[id].payload != 0) == word;
            };
            if (is_constant(otherwise, !truth)) return operand(0, true) && operand(1, truth);
            return is_constant(then, !truth) && operand(0, false) && operand(2, truth);
        }
        if (value.kind != ValueKind::operation) return false;
        if (value.op == Op::logical_not) return operand(0, !truth);
        if (value.op == Op::bit_and || value.op == Op::bit_or)
            return (value.op == Op::bit_and) == truth && operand(0, truth) && operand(1, truth);
        return is_comparison(value.op) && bound(value, truth);
    }

    static bool is_comparison(Op op) {
        return op == Op::lt || op == Op::le || op == Op::gt || op == Op::ge || op == Op::eq || op == Op::ne;
    }

    bool bound(const Value& comparison, bool truth) {
        auto [a, b, none] = comparison.operands;
        Op op = comparison.op;
        if (is_fixed(a)) {
            std::swap(a, b);
            op = op == Op::lt   ? Op::gt
                 : op == Op::gt ? Op::lt
                 : op == Op::le ? Op::ge
                 : op == Op::ge ? Op::le
                                : op;
        }
        const Scalar type = values_[b].type;
        if ((type != Scalar::i32 && type != Scalar::u32) || !is_fixed(b) || is_fixed(a)) return false;
        if (!truth)
            op = op == Op::lt   ? Op::ge
                 : op == Op::ge ? Op::lt
                 : op == Op::le ? Op::gt
                 : op == Op::gt ? Op::le
                 : op == Op::eq ? Op::ne
                                : Op::eq;
        Bound made{values_.sum(a)};
        const std::int64_t constant = as_signed(made.sum.constant);
        if (constant < 0 && type == Scalar::u32) return false;
        made.sum.constant = 0;
        const Interval limit = without_conditions_.range(b);
        const auto shifted = [&](Expression end, std::int64_t by) { return e_.add(end, by - constant); };
        if (op == Op::lt || op == Op::le || op == Op::eq)
            made.high = shifted(limit.low, op == Op::lt ? -1 : 0);
        if (op == Op::gt || op == Op::ge || op == Op::eq)
            made.low = shifted(limit.high, op == Op::gt ? 1 : 0);
        if (op == Op::ne) made.low = shifted(limit.high, 1);  // some of those that it allows
        if (type == Scalar::i32 && made.low &&
            !made.high)  // of larger ones, the comparison may see negative numbers
            made.high = e_.constant(INT32_MAX - std::max(constant, std::int64_t{0}));
        bounds_.push_back(made);
        return true;
    }

    /// The interval of which the sum takes every value, within the bounds on it and on its parts.
    std::optional<Interval> every_value(Sum sum) {
        const std::int64_t constant = as_signed(sum.constant);
        sum.constant = 0;
        auto found = sum.count == 0 ? std::optional(Interval{e_.constant(0), e_.constant(0)}) : of_terms(sum);
        if (!found) return {};
        for (Bound& one : bounds_) {
            if (!is_same(one.sum, sum)) continue;
            one.is_used = true;
            if (one.low) found->low = e_.max(found->low, *one.low);
            if (one.high) found->high = e_.min(found->high, *one.high);
        }
        need(found->low, found->high);
        need(found->high, e_.constant(INT32_MAX - std::max(constant, std::int64_t{0})));  // nothing wraps
        return Interval{e_.add(found->low, constant), e_.add(found->high, constant)};
    }

    std::optional<Interval> of_terms(const Sum& sum) {
        for (const Sum::Term& term : sum.terms())
            if (values_[term.atom].kind == ValueKind::operation) return of_product(sum, term);
        std::vector<Sum::Term> terms(sum.terms().begin(), sum.terms().end());
        for (const Sum::Term& term : terms) {
            const ValueKind kind = values_[term.atom].kind;
            if ((kind != ValueKind::local_id && kind != ValueKind::workgroup_id) ||
                as_signed(term.factor) < 1)
                return {};
        }
        std::ranges::sort(terms, {}, &Sum::Term::factor);
        if (terms.size() == 1)
            return terms[0].factor == 1 ? std::optional(without_conditions_.range(terms[0].atom))
                                        : std::nullopt;
        std::optional<std::size_t> at;  // the parts with bounds are sums of their own
        for (std::size_t count = 1; count < terms.size(); ++count) {
            if (!divides(terms[count].factor, std::span(terms).subspan(count))) continue;
            const bool is_bounded = has_bound(sum_of(std::span(terms).first(count), 1)) ||
                                    has_bound(sum_of(std::span(terms).subspan(count), terms[count].factor));
            if (!at || is_bounded) at = count;
        }
        if (!at) return {};
        const std::uint32_t factor = terms[*at].factor;
        return combined(sum_of(std::span(terms).subspan(*at), factor), e_.constant(factor),
                        sum_of(std::span(terms).first(*at), 1));
    }

    // rows * width + columns
    std::optional<Interval> of_product(const Sum& sum, const Sum::Term& term) {
        const Value product = values_[term.atom];
        if (product.op != Op::mul || term.factor != 1) return {};
        auto [rows, width, none] = product.operands;
        if (is_fixed(rows)) std::swap(rows, width);
        if (!is_fixed(width)) return {};
        const Interval factor = without_conditions_.range(width);
        if (factor.low != factor.high) return {};
        need(e_.constant(0), factor.low);
        Sum columns = sum;
        add_scaled(columns, values_.sum(term.atom), UINT32_MAX);
        return combined(values_.sum(rows), factor.low, columns);
    }

    // high * factor + low, where low takes the values between two multiples.
    std::optional<Interval> combined(const Sum& high, Expression factor, const Sum& low) {
        if (shares_atom(high, low)) return {};
        const auto inner = every_value(low), outer = every_value(high);
        if (!inner || !outer) return {};
        need(factor, e_.add(e_.sub(inner->high, inner->low), 1));
        return Interval{e_.add(e_.mul(outer->low, factor), inner->low),
                        e_.add(e_.mul(outer->high, factor), inner->high)};
    }

    static bool divides(std::uint32_t factor, std::span<const Sum::Term> terms) {
        return std::ranges::all_of(terms, [&](const Sum::Term& one) { return one.factor % factor == 0; });
    }
    Sum sum_of(std::span<const Sum::Term> terms, std::uint32_t divisor) const {
        Sum made;
        for (const Sum::Term& one : terms) add_scaled(made, values_.sum(one.atom), one.factor / divisor);
        return made;
    }
    static bool is_same(const Sum& a, const Sum& b) {
        return std::ranges::equal(a.terms(), b.terms(), [](const Sum::Term& x, const Sum::Term& y) {
            return x.atom == y.atom && x.factor == y.factor;
        });
    }
    bool has_bound(const Sum& sum) const {
        return std::ranges::any_of(bounds_, [&](const Bound& one) { return is_same(one.sum, sum); });
    }
    bool shares_atom(const Sum& a, const Sum& b) const {
        std::vector<ValueId> of_a, of_b;
        for (const Sum::Term& one : a.terms()) collect(one.atom, of_a);
        for (const Sum::Term& one : b.terms()) collect(one.atom, of_b);
        return std::ranges::find_first_of(of_a, of_b) != of_a.end();
    }
    void collect(ValueId id, std::vector<ValueId>& ids) const {
        const Value& value = values_[id];
        if (value.kind == ValueKind::local_id || value.kind == ValueKind::workgroup_id) ids.push_back(id);
        for (const ValueId operand : value.operands)
            if (operand) collect(operand, ids);
    }
    void need(Expression low, Expression high) {
        if (e_.compare(low, high) != ranges::Order::always) needs_.push_back({low, high});
    }

    const ranges::Values& values_;
    ranges::Expressions& e_;
    const ranges::Knowledge& knowledge_;
    ranges::Knowledge without_conditions_;
    std::vector<Bound> bounds_;
    std::vector<RangeComparison> needs_;
};

}  // namespace

std::vector<bool> plainly_reached(const Program& program) { return PlainPaths(program).take(); }

std::optional<Filled> filled_by(const Program& program, ranges::Walk& walk, ranges::ValueId index) {
    return Filling(program, walk).of(index);
}

}  // namespace muster::footprint
