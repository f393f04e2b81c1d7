#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/window.hpp>

namespace muster::graph {
namespace {

Result<std::vector<std::int64_t>> kernel_of(const Inference& node, std::size_t weights) {
    const Shape& shape = node.shape(weights);
    std::vector<std::int64_t> kernel;
    for (std::size_t i = 2; i < shape.size(); ++i) {
        if (!shape[i].is_number())
            return wrong(fmt::format("{}, and its sizes must be numbers.", node.describe(weights)));
        kernel.push_back(shape[i].number());
    }
    const std::span<const std::int64_t> said = node.attributes().integers("kernel_shape");
    if (!said.empty() && !std::ranges::equal(said, kernel)) {
        return wrong(
            fmt::format("{}, and kernel_shape says [{}].", node.describe(weights), fmt::join(said, ", ")));
    }
    return kernel;
}

Shape with_spatial(Dimension batch, Dimension channels, std::span<const WindowAxis> axes) {
    Shape shape{std::move(batch), std::move(channels)};
    for (const WindowAxis& axis : axes) shape.push_back(axis.output);
    return shape;
}

}  // namespace

Result<void> infer_conv(Inference& node) {
    const bool transposed = node.op() == Operator::conv_transpose,
               quantized = node.op() == Operator::qlinear_conv;
    const std::size_t weights = quantized ? 3 : 1, bias = quantized ? 8 : 2;
    TRY(node.expect_rank_of_at_least(0, 3));
    TRY(node.expect_rank(weights, node.rank(0)));
    const Shape &x = node.shape(0), &w = node.shape(weights);
    const std::int64_t group = node.attributes().integer("group");
    if (group < 1 || group > max_elements) return wrong(fmt::format("Its attribute group is {}.", group));
    const Dimension channels_in = transposed ? w[0] : w[1] * group,
                    channels_out = transposed ? w[1] * group : w[0];
    if (provably_different(x[1], channels_in)) {
        return wrong(fmt::format("{}, and its {} channels aren't the {} that weights {} in {} groups take.",
                                 node.describe(0), to_string(x[1]), to_string(channels_in), to_string(w),
                                 group));
    }
    if (w[0].is_number() && w[0].number() % group != 0) {
        return wrong(fmt::format("{}, and its first size can't be divided into {} groups.",
                                 node.describe(weights), group));
    }
    if (node.has(bias) && (node.rank(bias) != 1 || provably_different(node.shape(bias)[0], channels_out))) {
        return wrong(fmt::format("{}, and must be [{}].", node.describe(bias), to_string(channels_out)));
    }
    const std::vector<std::int64_t> kernel = TRY(kernel_of(node, weights));
    const std::span<const Dimension> spatial(x.data() + 2, x.size() - 2);
    const std::vector<WindowAxis> axes =
        TRY(transposed ? transposed_window_of(node.attributes(), spatial, kernel)
                       : window_of(node.attributes(), spatial, kernel, false));
    node.set_shape(0, with_spatial(x[0], channels_out, axes));
    return {};
}

Result<void> infer_pool(Inference& node) {
    TRY(node.expect_rank_of_at_least(0, 3));
    const Shape& x = node.shape(0);
    Shape result{x[0], x[1]};
    if (node.op() == Operator::global_average_pool || node.op() == Operator::global_max_pool) {
        result.resize(x.size(), 1);
    } else {
        const std::span<const Dimension> spatial(x.data() + 2, x.size() - 2);
        const std::vector<WindowAxis> axes =
            TRY(window_of(node.attributes(), spatial, node.attributes().integers("kernel_shape"),
                          node.attributes().flag("ceil_mode")));
        result = with_spatial(x[0], x[1], axes);
    }
    node.set_shape(1, result);
    node.set_shape(0, std::move(result));
    return {};
}

}  // namespace muster::graph
