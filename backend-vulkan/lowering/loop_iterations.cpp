#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <muster/backend-vulkan/lowering/loop_iterations.hpp>
#include <muster/foundation/ir/place.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::vulkan {
namespace {

using Iterations = std::optional<std::uint64_t>;
constexpr std::uint64_t most = std::uint64_t{1} << 32;  // at which sums and products saturate

/// A counter's range, in numbers that don't wrap.
struct Interval {
    std::int64_t low = 0, high = 0;
};
Interval all_of(Scalar scalar) {
    if (scalar == Scalar::u32) return {0, std::numeric_limits<std::uint32_t>::max()};
    return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
}
std::int64_t number(Scalar scalar, std::uint32_t bits) {
    return scalar == Scalar::u32 ? std::int64_t{bits} : std::int64_t{static_cast<std::int32_t>(bits)};
}

/// An iteration's change of the counter.
struct Step {
    enum class Kind : std::uint8_t { add, halve, multiply } kind = Kind::add;
    std::int64_t by = 0;
};
/// The condition for another iteration: `counter op limit`.
struct Guard {
    VariableId counter;
    Op op = Op::lt;
    std::int64_t limit = 0;
    bool before_step = false;  // each iteration tests it before the counter changes
};

Op negated(Op op) {
    constexpr std::array pairs{std::pair{Op::lt, Op::ge}, std::pair{Op::le, Op::gt},
                               std::pair{Op::eq, Op::ne}};
    for (const auto& [a, b] : pairs)
        if (op == a || op == b) return op == a ? b : a;
    return op;
}
Op mirrored(Op op) {
    constexpr std::array pairs{std::pair{Op::lt, Op::gt}, std::pair{Op::le, Op::ge}};
    for (const auto& [a, b] : pairs)
        if (op == a || op == b) return op == a ? b : a;
    return op;
}
bool is_comparison(Op op) {
    return op == Op::lt || op == Op::le || op == Op::gt || op == Op::ge || op == Op::eq || op == Op::ne;
}

/// Number of times that the guard passes. Precondition: by != 0.
Iterations passes_counting(const Guard& guard, std::int64_t by, Interval start, Interval all) {
    const bool up = by > 0;
    if (guard.op == Op::ne) {
        const std::int64_t way = guard.limit - start.low;
        if (start.low != start.high || way % by != 0 || way / by < (guard.before_step ? 0 : 1)) return {};
        return static_cast<std::uint64_t>(way / by);
    }
    if (up ? guard.op != Op::lt && guard.op != Op::le : guard.op != Op::gt && guard.op != Op::ge) return {};
    const bool inclusive = guard.op == Op::le || guard.op == Op::ge;
    const std::int64_t last = guard.limit + (inclusive ? 0 : up ? -1 : 1);  // value that passes
    const auto wraps = [&](std::int64_t from) { return from + by < all.low || from + by > all.high; };
    if (wraps(last) || (!guard.before_step && (wraps(start.low) || wraps(start.high)))) return {};
    const std::int64_t way = up ? last - start.low : start.high - last;
    return way < 0 ? 0 : static_cast<std::uint64_t>(way / (up ? by : -by)) + 1;
}

Iterations passes(const Guard& guard, const Step& step, Interval start, Interval all) {
    constexpr std::uint64_t bits = 33;  // a number halves or doubles at most so often
    if (step.kind == Step::Kind::add) return passes_counting(guard, step.by, start, all);
    if (step.kind == Step::Kind::halve) {
        const bool stops = (guard.op == Op::gt && guard.limit >= 0) ||
                           (guard.op == Op::ge && guard.limit > 0) ||
                           (guard.op == Op::ne && guard.limit == 0);
        return stops && start.low >= 0 ? Iterations(bits) : Iterations();
    }
    if ((guard.op != Op::lt && guard.op != Op::le) || start.low < 1) return {};
    const std::int64_t highest = guard.before_step ? guard.limit : std::max(guard.limit, start.high);
    return highest <= all.high / step.by ? Iterations(bits) : Iterations();
}

class Count {
  public:
    Count(const Program& program, const LargeArrays& large)
        : program_(program),
          large_(large),
          block_of_(program.node_count()),
          stores_(program.variables().size()) {
        for (std::uint32_t b = 0; b < program_.block_count(); ++b)
            for (const NodeId node : program_.block({b})) {
                block_of_[node.index] = BlockId{b};
                const Op op = program_.node(node).op;
                if (op == Op::declare) stores_[program_.node(node).payload].push_back(node);
                if (op == Op::store)
                    stores_[program_.root_variable(program_.operand(node, 0)).index].push_back(node);
            }
    }

    Iterations of(BlockId block) const {
        std::uint64_t sum = 0;
        for (const NodeId node : program_.block(block)) {
            const Iterations one = of(node);
            if (!one) return {};
            sum = std::min(most, sum + *one);
        }
        return sum;
    }

  private:
    Iterations of(NodeId node) const {
        std::uint64_t inside = large_.iterations(node);
        for (const BlockId block : program_.blocks(node)) {
            const Iterations one = of(block);
            if (!one) return {};
            inside = std::min(most, inside + *one);
        }
        if (program_.node(node).op != Op::loop) return inside;
        const Iterations own = iterations(node);
        return own ? Iterations(std::min(most, *own * (1 + inside))) : Iterations();
    }

    /// Two more than the guard's passes: the iteration that the guard ends, and one if its counter was loaded an
    /// iteration before.
    Iterations iterations(NodeId loop) const {
        Iterations least;
        for (const Guard& guard : guards(loop)) {
            const auto step = step_of(guard.counter, loop);
            if (!step) continue;
            const Scalar scalar = program_.types()[program_.variable(guard.counter).type].scalar;
            const Iterations found = passes(guard, *step, start_of(guard.counter, loop), all_of(scalar));
            if (found) least = std::min(least.value_or(most), *found + 2);
        }
        return least;
    }

    bool continues(NodeId node) const {
        return any_within(program_, node, [&](NodeId one) { return program_.node(one).op == Op::continue_; });
    }
    bool ends_with_break(BlockId block) const {
        const auto nodes = program_.block(block);
        return !nodes.empty() && program_.node(nodes.back()).op == Op::break_;
    }
    /// The conditions that every iteration tests, unless it leaves the loop earlier.
    std::vector<Guard> guards(NodeId loop) const {
        std::vector<Guard> all;
        const auto note = [&](NodeId condition, bool leaves, bool in_body) {
            if (auto guard = guard_of(condition, leaves, loop)) {
                guard->before_step = in_body && steps_in_continuing(guard->counter, loop);
                all.push_back(*guard);
            }
        };
        for (const NodeId node : program_.block(program_.blocks(loop)[0])) {
            if (program_.node(node).op == Op::if_) {
                if (ends_with_break(program_.blocks(node)[0])) note(program_.operand(node, 0), true, true);
                if (ends_with_break(program_.blocks(node)[1])) note(program_.operand(node, 0), false, true);
            }
            if (continues(node)) break;
        }
        const auto continuing = program_.block(program_.blocks(loop)[1]);
        if (!continuing.empty() && program_.node(continuing.back()).op == Op::break_if)
            note(program_.operand(continuing.back(), 0), true, false);
        return all;
    }

    std::optional<Guard> guard_of(NodeId condition, bool leaves, NodeId loop) const {
        while (program_.node(condition).op == Op::logical_not) {
            condition = program_.operand(condition, 0);
            leaves = !leaves;
        }
        Op op = program_.node(condition).op;
        if (!is_comparison(op)) return {};
        NodeId counter = program_.operand(condition, 0), limit = program_.operand(condition, 1);
        if (!is_counter(counter, loop)) {
            std::swap(counter, limit);
            op = mirrored(op);
        }
        const auto bits = constant_word(program_, limit);
        if (!bits || !is_counter(counter, loop)) return {};
        const Scalar scalar = program_.types()[program_.type(counter)].scalar;
        return Guard{variable_of(counter), leaves ? negated(op) : op, number(scalar, *bits)};
    }

    VariableId variable_of(NodeId load) const { return {program_.node(program_.operand(load, 0)).payload}; }
    bool is_each_iteration(NodeId node, NodeId loop) const {
        return std::ranges::find(program_.blocks(loop), block_of_[node.index]) != program_.blocks(loop).end();
    }
    /// True for a load, in every iteration, of the invocation's own integer variable.
    bool is_counter(NodeId node, NodeId loop) const {
        if (program_.node(node).op != Op::load || !is_each_iteration(node, loop)) return false;
        if (program_.node(program_.operand(node, 0)).op != Op::ref_variable) return false;
        const Variable& variable = program_.variable(variable_of(node));
        const Type& type = program_.types()[variable.type];
        return variable.space == AddressSpace::function && type.kind == TypeKind::scalar &&
               (type.scalar == Scalar::i32 || type.scalar == Scalar::u32);
    }

    std::vector<NodeId> stores_in(VariableId variable, NodeId loop) const {
        std::vector<NodeId> inside;
        for_each_within(program_, loop, [&](NodeId one) {
            if (std::ranges::find(stores_[variable.index], one) != stores_[variable.index].end())
                inside.push_back(one);
        });
        return inside;
    }
    bool steps_in_continuing(VariableId variable, NodeId loop) const {
        return std::ranges::all_of(stores_in(variable, loop), [&](NodeId one) {
            return block_of_[one.index] == program_.blocks(loop)[1];
        });
    }

    /// None unless the counter changes exactly once in each iteration.
    std::optional<Step> step_of(VariableId counter, NodeId loop) const {
        const std::vector<NodeId> inside = stores_in(counter, loop);
        if (inside.size() != 1 || program_.node(inside[0]).op != Op::store ||
            !is_each_iteration(inside[0], loop))
            return {};
        const bool in_body = block_of_[inside[0].index] == program_.blocks(loop)[0];
        if (in_body && continues(loop)) return {};
        const NodeId value = program_.operand(inside[0], 1);
        const auto operands = program_.operands(value);
        if (operands.size() != 2 || !is_counter(operands[0], loop) || variable_of(operands[0]) != counter)
            return {};
        const auto bits = constant_word(program_, operands[1]);
        if (!bits) return {};
        return step_by(program_.node(value).op, static_cast<std::int32_t>(*bits));
    }
    static std::optional<Step> step_by(Op op, std::int64_t by) {
        using enum Step::Kind;
        if (by == 0 || by == std::numeric_limits<std::int32_t>::min()) return {};
        if (op == Op::add) return Step{add, by};
        if (op == Op::sub) return Step{add, -by};
        const bool is_shift = by > 0 && by < 32;
        if ((op == Op::shift_right && is_shift) || (op == Op::div && by >= 2)) return Step{halve, 2};
        if (op == Op::shift_left && is_shift) return Step{multiply, std::int64_t{1} << by};
        if (op == Op::mul && by >= 2) return Step{multiply, by};
        return {};
    }

    /// The range of all values stored to the counter outside the loop.
    Interval start_of(VariableId counter, NodeId loop) const {
        const Scalar scalar = program_.types()[program_.variable(counter).type].scalar;
        const std::vector<NodeId> inside = stores_in(counter, loop);
        Interval start{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
        for (const NodeId store : stores_[counter.index]) {
            if (std::ranges::find(inside, store) != inside.end()) continue;
            const auto operands = program_.operands(store);
            const bool is_zero = program_.node(store).op == Op::declare && operands.empty();
            const auto bits = is_zero ? std::optional(0u) : constant_word(program_, operands.back());
            if (!bits) return all_of(scalar);
            start = {std::min(start.low, number(scalar, *bits)), std::max(start.high, number(scalar, *bits))};
        }
        return start.low > start.high ? all_of(scalar) : start;
    }

    const Program& program_;
    const LargeArrays& large_;
    std::vector<BlockId> block_of_;            // by node
    std::vector<std::vector<NodeId>> stores_;  // by variable: stores and declarations
};

}  // namespace

namespace {

class Guarded {
  public:
    Guarded(const Program& program, NodeId loop)
        : program_(program),
          body_(program.block(program.blocks(loop)[0])),
          continuing_(program.block(program.blocks(loop)[1])) {}

    std::optional<OnlyGuard> find() const {
        const auto guard = std::ranges::find_if_not(body_, [&](NodeId one) { return is_quiet(one); });
        if (guard == body_.end() || !is_guard(*guard)) return {};
        const auto leaves_too = [&](NodeId one) { return leaves(one); };
        if (std::any_of(guard + 1, body_.end(), leaves_too) || std::ranges::any_of(continuing_, leaves_too))
            return {};
        OnlyGuard found{.comparison = program_.operand(*guard, 0), .leaves = true};
        for (; program_.node(found.comparison).op == Op::logical_not; found.leaves = !found.leaves)
            found.comparison = program_.operand(found.comparison, 0);
        if (!is_comparison(program_.node(found.comparison).op)) return {};
        const auto operands = program_.operands(found.comparison);
        const auto counter = std::ranges::find_if(operands, [&](NodeId one) { return is_counter(one); });
        if (counter == operands.end()) return {};
        found.counter = static_cast<std::uint32_t>(counter - operands.begin());
        return found;
    }

  private:
    bool is_quiet(NodeId node) const {
        const Op op = program_.node(node).op;
        return op == Op::load || info(op).group == OpGroup::exact;
    }
    bool is_guard(NodeId node) const {
        if (program_.node(node).op != Op::if_) return false;
        const auto then = program_.block(program_.blocks(node)[0]);
        return then.size() == 1 && program_.node(then[0]).op == Op::break_ &&
               program_.block(program_.blocks(node)[1]).empty();
    }
    bool leaves(NodeId node) const {
        const Op op = program_.node(node).op;
        if (op == Op::break_ || op == Op::break_if || op == Op::return_) return true;
        if (op != Op::if_)  // break_ leaves only that construct
            return any_within(program_, node,
                              [&](NodeId one) { return program_.node(one).op == Op::return_; });
        return std::ranges::any_of(program_.blocks(node), [&](BlockId block) {
            return std::ranges::any_of(program_.block(block), [&](NodeId one) { return leaves(one); });
        });
    }
    bool is_counter(NodeId node) const {
        if (program_.node(node).op != Op::load || std::ranges::find(body_, node) == body_.end()) return false;
        const Node& place = program_.node(program_.operand(node, 0));
        const Type& type = program_.types()[program_.type(node)];
        return place.op == Op::ref_variable && type.kind == TypeKind::scalar &&
               (type.scalar == Scalar::i32 || type.scalar == Scalar::u32) &&
               program_.variable({place.payload}).space == AddressSpace::function;
    }

    const Program& program_;
    std::span<const NodeId> body_, continuing_;
};

}  // namespace

std::optional<OnlyGuard> only_guard(const Program& program, NodeId loop) {
    return Guarded(program, loop).find();
}

std::optional<std::uint64_t> most_iterations(const Program& program, const LargeArrays& large) {
    const Iterations iterations = Count(program, large).of(program.body());
    return iterations ? Iterations(std::min(most, *iterations + large.iterations_at_start())) : iterations;
}

}  // namespace muster::vulkan
