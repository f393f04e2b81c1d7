#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

Result<void> infer_plain_gather(Inference& node) {
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.rank(0)));
    Shape shape = node.shape(0);
    const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    shape.insert(shape.erase(at), node.shape(1).begin(), node.shape(1).end());
    node.set_shape(0, std::move(shape));
    return {};
}

Result<void> infer_gather_elements(Inference& node) {
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.rank(0)));
    TRY(node.expect_rank(1, node.rank(0)));
    for (std::size_t i = 0; i < node.rank(0); ++i) {
        const Dimension &size = node.shape(0)[i], &indices = node.shape(1)[i];
        if (i != axis && size.is_number() && indices.is_number() && indices.number() > size.number()) {
            return wrong(fmt::format("{}, and is larger than {} on axis {}.", node.describe(1),
                                     to_string(node.shape(0)), i));
        }
    }
    node.set_shape(0, node.shape(1));
    return {};
}

/// The number of axes that one index has: the last size of the indices.
Result<std::size_t> index_length(const Inference& node, std::size_t batch) {
    TRY(node.expect_rank_of_at_least(0, 1));
    TRY(node.expect_rank_of_at_least(1, 1));
    const auto last = node.shape(1).back().known();
    if (batch < node.rank(1) && last && *last >= 1 &&
        *last <= static_cast<std::int64_t>(node.rank(0) - batch)) {
        return static_cast<std::size_t>(*last);
    }
    return wrong(fmt::format("{}, and its last size must be a number from 1 to {}, the rank of {}.",
                             node.describe(1), node.rank(0) - std::min(batch, node.rank(0)),
                             to_string(node.shape(0))));
}

Result<void> infer_gather_nd(Inference& node) {
    const std::int64_t said = node.attributes().integer("batch_dims");
    if (said < 0 || said >= static_cast<std::int64_t>(std::min(node.rank(0), node.rank(1)))) {
        return wrong(fmt::format("Its attribute batch_dims is {}, and {}.", said, node.describe(1)));
    }
    const auto batch = static_cast<std::size_t>(said);
    const std::size_t length = TRY(index_length(node, batch));
    const Shape &data = node.shape(0), &indices = node.shape(1);
    Shape shape;
    for (std::size_t i = 0; i < batch; ++i) shape.push_back(TRY(common(data[i], indices[i])));
    shape.insert(shape.end(), indices.begin() + said, indices.end() - 1);
    shape.insert(shape.end(), data.begin() + static_cast<std::ptrdiff_t>(batch + length), data.end());
    node.set_shape(0, std::move(shape));
    return {};
}

Result<void> infer_scatter_nd(Inference& node) {
    const std::size_t length = TRY(index_length(node, 0));
    Shape updates(node.shape(1).begin(), node.shape(1).end() - 1);
    updates.insert(updates.end(), node.shape(0).begin() + static_cast<std::ptrdiff_t>(length),
                   node.shape(0).end());
    TRY(node.expect_rank(2, updates.size()));
    for (std::size_t i = 0; i < updates.size(); ++i) {
        if (provably_different(updates[i], node.shape(2)[i])) {
            return wrong(fmt::format("{}, and must be {}.", node.describe(2), to_string(updates)));
        }
    }
    const std::string_view how = node.attributes().text("reduction");
    if (how != "none" && how != "add" && how != "mul" && how != "min" && how != "max") {
        return wrong(fmt::format("Its attribute reduction is \"{}\".", how),
                     "use none, add, mul, min or max");
    }
    if (node.element(0) == ElementType::boolean && how != "none") {
        return wrong("Its attribute reduction has no meaning for bool.");
    }
    node.set_shape(0, node.shape(0));
    return {};
}

Result<void> infer_one_hot(Inference& node) {
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.rank(0) + 1));
    TRY(node.expect_rank(2, 1));
    if (provably_different(node.shape(2)[0], 2)) {
        return wrong(fmt::format("{}, and must have two elements, off and on.", node.describe(2)));
    }
    Dimension depth = Dimension::unknown();
    if (node.contents(1) && node.contents(1)->size() == 1)
        depth = node.contents(1)->front();
    else if (node.fact(1).constant && is_float(node.element(1)) && node.fact(1).constant->count() == 1) {
        const float number = floats(*node.fact(1).constant)[0];
        if (number >= 0 && number <= 0x1p30f) depth = static_cast<std::int64_t>(number);
    }
    if (depth.is_number() && depth.number() < 0)
        return wrong(fmt::format("Its depth is {}.", depth.number()));
    Shape shape = node.shape(0);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
    node.set_shape(0, std::move(shape));
    return {};
}

}  // namespace

Result<void> infer_gather(Inference& node) {
    if (node.op() == Operator::gather) return infer_plain_gather(node);
    if (node.op() == Operator::gather_elements) return infer_gather_elements(node);
    if (node.op() == Operator::gather_nd) return infer_gather_nd(node);
    if (node.op() == Operator::scatter_nd) return infer_scatter_nd(node);
    return infer_one_hot(node);
}

}  // namespace muster::graph
