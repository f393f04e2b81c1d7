#include <algorithm>
#include <limits>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/graph/evaluate/evaluation.hpp>
#include <muster/foundation/graph/infer/inference.hpp>
#include <muster/foundation/graph/infer/reduction.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::graph {
namespace {

/// The value that a reduction starts from, and gives for an empty set: of ReduceMax the least of the type, of ReduceMin the greatest.
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

float accumulated(Operator op, float total, float x) {
    if (op == Operator::reduce_max) return greater_or_nan(total, x);
    if (op == Operator::reduce_min) return smaller_or_nan(total, x);
    return op == Operator::reduce_l2 ? total + x * x : total + x;
}
std::int64_t accumulated(Operator op, std::int64_t total, std::int64_t x) {
    if (op == Operator::reduce_max) return std::max(total, x);
    if (op == Operator::reduce_min) return std::min(total, x);
    return semantics::add(total, op == Operator::reduce_l2 ? semantics::mul(x, x) : x);
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
void reduce(Evaluation& node, const std::vector<T>& x, std::span<const std::size_t> axes) {
    const Sizes sizes = node.sizes(0);
    Sizes kept = sizes;
    for (const std::size_t axis : axes) kept[axis] = 1;
    std::vector<T> totals(node.output_elements(), start(node.op(), node.input(0).element(), T{}));
    const auto target = broadcast_offsets(kept, sizes);
    for (std::size_t i = 0; i < x.size(); ++i)
        totals[target[i]] = accumulated(node.op(), totals[target[i]], x[i]);
    std::int64_t count = 1;
    for (const std::size_t axis : axes) count *= sizes[axis];
    for (T& total : totals) total = finished(node.op(), total, count);
    node.set(0, totals);
}

}  // namespace

Result<void> evaluate_reduction(Evaluation& node) {
    const Integers said = node.has(1) ? node.integers(1) : Integers{};
    const auto axes = TRY(reduced_axes(node.attributes(), said, node.sizes(0).size()));
    if (axes.empty() && said.empty() && node.attributes().flag("noop_with_empty_axes")) {
        node.set(0, node.input(0));
    } else if (node.of_floats(0)) {
        reduce(node, node.floats(0), axes);
    } else {
        reduce(node, node.integers(0), axes);
    }
    return {};
}

}  // namespace muster::graph
