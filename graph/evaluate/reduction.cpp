#include <algorithm>
#include <limits>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/evaluation.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/reduction.hpp>

namespace muster::graph {
namespace {

/// The value that a reduction starts from, and gives for an empty set: of ReduceMax the least of the type,
/// of ReduceMin the greatest.
float start(Operator op, ElementType, float) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (op == Operator::reduce_max) return -infinity;
    return op == Operator::reduce_min ? infinity : 0;
}
std::int64_t start(Operator op, ElementType element, std::int64_t) {
    if (op != Operator::reduce_max && op != Operator::reduce_min) return 0;
    const bool is_signed = element != ElementType::u8 && element != ElementType::boolean;
    const std::size_t bits = 8 * bytes_of(element) - (is_signed ? 1 : 0);
    const auto most =
        element == ElementType::boolean ? 1 : static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
    return op == Operator::reduce_min ? most : is_signed ? -most - 1 : 0;
}

/// The function that adds an element to the total; null if the operator doesn't reduce.
template <class T>
using Step = T (*)(T total, T x);

Step<float> step_of_floats(Operator op) {
    using enum Operator;
    if (op == reduce_max) return greater_or_nan;
    if (op == reduce_min) return smaller_or_nan;
    if (op == reduce_l2) return [](float total, float x) { return total + x * x; };
    if (op == reduce_sum || op == reduce_mean) return [](float total, float x) { return total + x; };
    return nullptr;
}
Step<std::int64_t> step_of_integers(Operator op) {
    using enum Operator;
    using I = std::int64_t;
    if (op == reduce_max) return [](I total, I x) { return std::max(total, x); };
    if (op == reduce_min) return [](I total, I x) { return std::min(total, x); };
    if (op == reduce_l2) return [](I total, I x) { return semantics::add(total, semantics::mul(x, x)); };
    if (op == reduce_sum || op == reduce_mean) return [](I total, I x) { return semantics::add(total, x); };
    return nullptr;
}

float finished(Operator op, float total, std::int64_t count) {
    if (op == Operator::reduce_mean) return total / static_cast<float>(count);
    return op == Operator::reduce_l2 ? semantics::sqrt(total) : total;
}
std::int64_t finished(Operator op, std::int64_t total, std::int64_t count) {
    if (op == Operator::reduce_mean) return count == 0 ? 0 : total / count;
    if (op != Operator::reduce_l2) return total;
    return static_cast<std::int64_t>(semantics::sqrt(static_cast<float>(std::max<std::int64_t>(total, 0))));
}

template <class T>
Result<void> reduce(Evaluation& node, Step<T> step, const std::vector<T>& x,
                    std::span<const std::size_t> axes) {
    if (!step) return no_evaluation(node);
    const Sizes sizes = node.sizes(0);
    Sizes kept = sizes;
    for (const std::size_t axis : axes) kept[axis] = 1;
    std::vector<T> totals(node.output_elements(), start(node.op(), node.input(0).element(), T{}));
    const auto target = broadcast_offsets(kept, sizes);
    for (std::size_t i = 0; i < x.size(); ++i) totals[target[i]] = step(totals[target[i]], x[i]);
    std::int64_t count = 1;
    for (const std::size_t axis : axes) count *= sizes[axis];
    for (T& total : totals) total = finished(node.op(), total, count);
    node.set(0, totals);
    return {};
}

}  // namespace

Result<void> evaluate_reduction(Evaluation& node) {
    const Integers said = node.has(1) ? node.integers(1) : Integers{};
    const auto axes = TRY(reduced_axes(node.attributes(), said, node.sizes(0).size()));
    if (axes.empty() && said.empty() && node.attributes().flag("noop_with_empty_axes")) {
        node.set(0, node.input(0));
        return {};
    }
    if (node.of_floats(0)) return reduce(node, step_of_floats(node.op()), node.floats(0), axes);
    return reduce(node, step_of_integers(node.op()), node.integers(0), axes);
}

}  // namespace muster::graph
