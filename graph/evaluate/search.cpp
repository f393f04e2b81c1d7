#include <algorithm>
#include <numeric>
#include <utility>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/evaluation.hpp>
#include <muster/graph/evaluate/sums.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

float sum_of(float a, float b) { return a + b; }
std::int64_t sum_of(std::int64_t a, std::int64_t b) { return semantics::add(a, b); }

/// The rows of a tensor along an axis: row r has the elements first(r) + i * step, i < length.
struct Rows {
    std::size_t length, step, count;
    Rows(const Sizes& sizes, std::size_t axis)
        : length(static_cast<std::size_t>(sizes[axis])),
          step(static_cast<std::size_t>(
              product({sizes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, sizes.end()}))),
          count(static_cast<std::size_t>(
                    product({sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(axis)})) *
                step) {}
    std::size_t first(std::size_t row) const { return row / step * step * length + row % step; }
};

/// The first of the largest, or the last; a NaN is the largest.
template <class T>
Result<void> arg_max(Evaluation& node, const std::vector<T>& x, std::size_t axis) {
    const Rows rows(node.sizes(0), axis);
    if (rows.length == 0 && rows.count > 0) return wrong("It searches an axis that has no elements.");
    const bool last = node.attributes().flag("select_last_index");
    Integers result;
    for (std::size_t row = 0; row < rows.count; ++row) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < rows.length; ++i) {
            const T value = x[rows.first(row) + i * rows.step],
                    before = x[rows.first(row) + best * rows.step];
            if (last ? !is_below(value, before) : is_below(before, value)) best = i;
        }
        result.push_back(static_cast<std::int64_t>(best));
    }
    node.set(0, result);
    return {};
}

/// Sorted also where `sorted` is 0; of equal values the one of the lower index comes
/// first. A NaN is the largest.
template <class T>
void top_k(Evaluation& node, const std::vector<T>& x, std::size_t axis) {
    const Rows rows(node.sizes(0), axis), results(node.output_sizes(), axis);
    const bool largest = node.attributes().flag("largest");
    std::vector<T> values(node.output_elements());
    Integers indices(node.output_elements());
    std::vector<std::size_t> order(rows.length);
    for (std::size_t row = 0; row < rows.count; ++row) {
        const auto at = [&](std::size_t i) { return x[rows.first(row) + i * rows.step]; };
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, [&](std::size_t a, std::size_t b) {  // equal ones as they stand
            const T first = at(largest ? b : a), second = at(largest ? a : b);
            return is_below(first, second) || (!is_below(second, first) && a < b);
        });
        for (std::size_t i = 0; i < results.length; ++i) {
            values[results.first(row) + i * results.step] = at(order[i]);
            indices[results.first(row) + i * results.step] = static_cast<std::int64_t>(order[i]);
        }
    }
    node.set(0, values);
    node.set(1, indices);
}

/// The sum within a block, added to the sum of the blocks before it, which are added in order.
template <class T>
void cum_sum(Evaluation& node, const std::vector<T>& x, std::size_t axis) {
    const Rows rows(node.sizes(0), axis);
    const bool backward = node.attributes().flag("reverse"), exclusive = node.attributes().flag("exclusive");
    std::vector<T> result(x.size());
    for (std::size_t row = 0; row < rows.count; ++row) {
        T start = 0, sum = 0;  // of the blocks before, and in the block
        for (std::size_t i = 0; i < rows.length; ++i) {
            if (i % cumulative_block == 0) start = sum_of(start, std::exchange(sum, T{0}));
            const std::size_t at = rows.first(row) + (backward ? rows.length - 1 - i : i) * rows.step;
            const T next = sum_of(sum, x[at]);
            result[at] = sum_of(start, exclusive ? sum : next);
            sum = next;
        }
    }
    node.set(0, result);
}

template <class T>
Result<void> search(Evaluation& node, const std::vector<T>& x, std::size_t axis) {
    if (node.op() == Operator::arg_max) return arg_max(node, x, axis);
    if (node.op() == Operator::top_k)
        top_k(node, x, axis);
    else if (node.op() == Operator::cum_sum)
        cum_sum(node, x, axis);
    else
        return no_evaluation(node);
    return {};
}

}  // namespace

Result<void> evaluate_search(Evaluation& node) {
    const std::int64_t said =
        node.op() == Operator::cum_sum ? node.integers(1)[0] : node.attributes().integer("axis");
    const std::size_t axis = TRY(axis_index(said, node.sizes(0).size()));
    return node.of_floats(0) ? search(node, node.floats(0), axis) : search(node, node.integers(0), axis);
}

}  // namespace muster::graph
