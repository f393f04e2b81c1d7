#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

Result<void> infer_concat(Inference& node) {
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.rank(0)));
    Shape result = node.shape(0);
    for (std::size_t i = 1; i < node.input_count(); ++i) {
        TRY(node.expect_rank(i, result.size()));
        for (std::size_t at = 0; at < result.size(); ++at) {
            if (at == axis) {
                result[at] = result[at] + node.shape(i)[at];
                continue;
            }
            if (provably_different(result[at], node.shape(i)[at])) {
                return wrong(
                    fmt::format("{}, and differs from {} on axis {}, which isn't the axis {} that is joined.",
                                node.describe(i), to_string(node.shape(0)), at, axis));
            }
            result[at] = TRY(common(result[at], node.shape(i)[at]));
        }
    }
    node.set_shape(0, std::move(result));
    return {};
}

/// The sizes of equal parts, of which the last may be smaller.
std::vector<Dimension> equal_parts(const Dimension& size, std::size_t count) {
    std::vector<Dimension> parts(count, Dimension::unknown());
    if (!size.is_number()) {
        std::ranges::fill(parts, exact_quotient(size, static_cast<std::int64_t>(count)));
        return parts;
    }
    const auto number = static_cast<std::int64_t>(count);
    const std::int64_t each = (size.number() + number - 1) / number;
    for (std::int64_t i = 0; i < number; ++i) {
        parts[static_cast<std::size_t>(i)] = std::clamp<std::int64_t>(size.number() - i * each, 0, each);
    }
    return parts;
}

Result<void> infer_split(Inference& node) {
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.rank(0)));
    const Dimension& size = node.shape(0)[axis];
    const std::size_t count = node.output_count();
    if (node.attributes().has("num_outputs") &&
        node.attributes().integer("num_outputs") != static_cast<std::int64_t>(count)) {
        return wrong(fmt::format("Its attribute num_outputs is {}, and it has {} outputs.",
                                 node.attributes().integer("num_outputs"), count));
    }
    std::vector<Dimension> parts = equal_parts(size, count);
    if (node.has(1)) {
        std::ranges::fill(parts, Dimension::unknown());
        if (const std::vector<Dimension>* said = node.contents(1)) parts = *said;
    }
    if (parts.size() != count) {
        return wrong(fmt::format("{}, with {} sizes, and the node has {} outputs.", node.describe(1),
                                 parts.size(), count));
    }
    Dimension total;
    for (const Dimension& part : parts) {
        if (part.is_number() && part.number() < 0)
            return wrong(fmt::format("It splits off {} elements.", part.number()));
        total = total + part;
    }
    if (provably_different(total, size)) {
        return wrong(fmt::format("It splits off {} elements together, and axis {} has {}.", to_string(total),
                                 axis, to_string(size)));
    }
    for (std::size_t i = 0; i < count; ++i) {
        Shape shape = node.shape(0);
        shape[axis] = parts[i];
        node.set_shape(i, std::move(shape));
    }
    return {};
}

}  // namespace

Result<void> infer_joining(Inference& node) {
    return node.op() == Operator::concat ? infer_concat(node) : infer_split(node);
}

}  // namespace muster::graph
