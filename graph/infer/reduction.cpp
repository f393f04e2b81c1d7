#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/reduction.hpp>

namespace muster::graph {
namespace {

Shape reduced(const Shape& shape, std::span<const std::size_t> axes, bool keep) {
    Shape result;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool goes = std::ranges::binary_search(axes, i);
        if (!goes)
            result.push_back(shape[i]);
        else if (keep)
            result.push_back(1);
    }
    return result;
}

}  // namespace

Result<std::vector<std::size_t>> reduced_axes(const Attributes& attributes,
                                              std::span<const std::int64_t> axes, std::size_t rank) {
    if (!axes.empty()) return axis_indices(axes, rank);
    std::vector<std::size_t> all(attributes.flag("noop_with_empty_axes") ? 0 : rank);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

Result<void> infer_reduction(Inference& node) {
    const bool keep = node.attributes().flag("keepdims");
    if (node.has(1) && !node.contents(1) && keep) {
        node.set_shape(0, Shape(node.rank(0), Dimension::unknown()));
        return {};
    }
    const std::vector<std::int64_t> axes = node.has(1) ? TRY(node.numbers(1)) : std::vector<std::int64_t>{};
    node.set_shape(0, reduced(node.shape(0), TRY(reduced_axes(node.attributes(), axes, node.rank(0))), keep));
    return {};
}

Result<void> infer_search(Inference& node) {
    if (node.op() == Operator::cum_sum) {
        if (node.rank(1) > 1 || provably_different(element_count(node.shape(1)), 1)) {
            return wrong(fmt::format("{}, and must be a scalar.", node.describe(1)));
        }
        node.set_shape(0, node.shape(0));
        return {};
    }
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.rank(0)));
    if (node.op() == Operator::arg_max) {
        node.set_shape(0, reduced(node.shape(0), std::array{axis}, node.attributes().flag("keepdims")));
        return {};
    }
    Shape shape = node.shape(0);
    const std::vector<Dimension>* k = node.contents(1);
    if (k && k->size() != 1) return wrong(fmt::format("{}, and must have one element.", node.describe(1)));
    const Dimension count = k ? k->front() : Dimension::unknown();
    if (count.is_number() &&
        (count.number() < 0 || (shape[axis].is_number() && count.number() > shape[axis].number()))) {
        return wrong(fmt::format("K is {}, and axis {} has {} elements.", count.number(), axis,
                                 to_string(shape[axis])));
    }
    shape[axis] = count;
    node.set_shape(0, shape);
    node.set_shape(1, shape);
    return {};
}

}  // namespace muster::graph
