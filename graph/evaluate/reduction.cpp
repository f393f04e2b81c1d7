#include <algorithm>
#include <limits>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/evaluation.hpp>
#include <muster/graph/evaluate/sums.hpp>
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

/// The total of a row's elements; null if the operator doesn't reduce.
template <class T>
using Total = T (*)(T start, std::span<const T> row);

template <auto step, class T>
T in_order(T total, std::span<const T> row) {
    for (const T x : row) total = step(total, x);
    return total;
}

Total<float> total_of_floats(Operator op) {
    using enum Operator;
    using Row = std::span<const float>;
    if (op == reduce_max) return in_order<greater_or_nan, float>;
    if (op == reduce_min) return in_order<smaller_or_nan, float>;
    if (op == reduce_l2)
        return [](float, Row row) {
            return row_sum(row.size(), [&](std::size_t i) { return row[i] * row[i]; });
        };
    if (op == reduce_sum || op == reduce_mean)
        return [](float, Row row) { return row_sum(row.size(), [&](std::size_t i) { return row[i]; }); };
    return nullptr;
}
Total<std::int64_t> total_of_integers(Operator op) {
    using enum Operator;
    using I = std::int64_t;
    if (op == reduce_max) return in_order<[](I total, I x) { return std::max(total, x); }, I>;
    if (op == reduce_min) return in_order<[](I total, I x) { return std::min(total, x); }, I>;
    if (op == reduce_l2)
        return in_order<[](I total, I x) { return semantics::add(total, semantics::mul(x, x)); }, I>;
    if (op == reduce_sum || op == reduce_mean)
        return in_order<[](I total, I x) { return semantics::add(total, x); }, I>;
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

/// The offsets of the elements that differ on these axes alone, in row-major order.
std::vector<std::size_t> offsets_along(const Sizes& sizes, const std::vector<bool>& axes) {
    const Sizes strides = row_major_strides(sizes);
    std::vector<std::size_t> offsets{0};
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (!axes[axis]) continue;
        std::vector<std::size_t> finer;
        for (const std::size_t offset : offsets)
            for (std::int64_t i = 0; i < sizes[axis]; ++i)
                finer.push_back(offset + static_cast<std::size_t>(i * strides[axis]));
        offsets = std::move(finer);
    }
    return offsets;
}

template <class T>
Result<void> reduce(Evaluation& node, Total<T> total, const std::vector<T>& x,
                    std::span<const std::size_t> axes) {
    if (!total) return no_evaluation(node);
    const Sizes sizes = node.sizes(0);
    std::vector<bool> is_reduced(sizes.size());
    for (const std::size_t axis : axes) is_reduced[axis] = true;
    const auto inner = offsets_along(sizes, is_reduced);
    is_reduced.flip();
    std::vector<T> totals, row(inner.size());
    for (const std::size_t first : offsets_along(sizes, is_reduced)) {
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = x[first + inner[i]];
        const T all = total(start(node.op(), node.input(0).element(), T{}), row);
        totals.push_back(finished(node.op(), all, static_cast<std::int64_t>(row.size())));
    }
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
    if (node.of_floats(0)) return reduce(node, total_of_floats(node.op()), node.floats(0), axes);
    return reduce(node, total_of_integers(node.op()), node.integers(0), axes);
}

}  // namespace muster::graph
