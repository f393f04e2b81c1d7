#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

/// Inputs from `first` on, which must be vectors with one element for each channel.
Result<void> expect_per_channel(const Inference& node, std::size_t first) {
    TRY(node.expect_rank_of_at_least(0, 2));
    for (std::size_t i = first; i < node.input_count(); ++i) {
        TRY(node.expect_rank(i, 1));
        if (provably_different(node.shape(i)[0], node.shape(0)[1])) {
            return wrong(fmt::format("{}, and must have one element for each of the {} channels of {}.",
                                     node.describe(i), to_string(node.shape(0)[1]),
                                     to_string(node.shape(0))));
        }
    }
    return {};
}

Result<void> infer_layer_normalization(Inference& node) {
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.rank(0)));
    if (node.attributes().integer("stash_type") != 1) {
        return fail(ErrorCode::unsupported, "Its attribute stash_type isn't 1, for f32.");
    }
    const Shape normalised(node.shape(0).begin() + static_cast<std::ptrdiff_t>(axis), node.shape(0).end());
    for (std::size_t i = 1; i < node.input_count(); ++i) {
        if (!node.has(i)) continue;
        const Shape joint = TRY(broadcast(node.shape(0), node.shape(i)));
        if (joint.size() != node.rank(0) ||
            provably_different(element_count(joint), element_count(node.shape(0)))) {
            return wrong(
                fmt::format("{}, and can't be broadcast to {}.", node.describe(i), to_string(normalised)));
        }
    }
    Shape statistics = node.shape(0);
    for (std::size_t i = axis; i < statistics.size(); ++i) statistics[i] = 1;
    node.set_shape(1, statistics);
    node.set_shape(2, statistics);
    return {};
}

}  // namespace

Result<void> infer_normalization(Inference& node) {
    const Operator op = node.op();
    if (op == Operator::batch_normalization || op == Operator::instance_normalization)
        TRY(expect_per_channel(node, 1));
    if (op == Operator::layer_normalization) TRY(infer_layer_normalization(node));
    if (op == Operator::softmax) (void)TRY(axis_index(node.attributes().integer("axis"), node.rank(0)));
    if (op == Operator::lrn) {
        TRY(node.expect_rank_of_at_least(0, 2));
        const std::int64_t size = node.attributes().integer("size");
        if (size < 1 || size > max_elements) return wrong(fmt::format("Its attribute size is {}.", size));
    }
    node.set_shape(0, node.shape(0));
    return {};
}

}  // namespace muster::graph
