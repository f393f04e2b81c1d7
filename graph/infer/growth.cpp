#include <array>
#include <numeric>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

Result<void> infer_expand(Inference& node) {
    const std::size_t rank = TRY(node.known_length(1));
    const std::vector<Dimension>* asked = node.contents(1);
    if (asked) {
        for (const Dimension& size : *asked) {
            if (size.is_number() && size.number() < 0) {
                return wrong(fmt::format("{}, and asks for a size of {}.", node.describe(1), size.number()));
            }
        }
    }
    node.set_shape(0, TRY(broadcast(node.shape(0), asked ? *asked : Shape(rank, Dimension::unknown()))));
    return {};
}

Result<void> infer_tile(Inference& node) {
    TRY(node.expect_rank(1, 1));
    if (provably_different(node.shape(1)[0], static_cast<std::int64_t>(node.rank(0)))) {
        return wrong(
            fmt::format("{}, and must have {} elements, one for each axis.", node.describe(1), node.rank(0)));
    }
    Shape shape = node.shape(0);
    const std::vector<Dimension>* repeats = node.contents(1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const Dimension repeat = repeats ? (*repeats)[i] : Dimension::unknown();
        if (repeat.is_number() && repeat.number() < 0)
            return wrong(fmt::format("It repeats axis {} {} times.", i, repeat.number()));
        shape[i] = shape[i] * repeat;
    }
    node.set_shape(0, std::move(shape));
    return {};
}

Result<void> check_padding(const Inference& node, std::size_t axis, std::int64_t begin, std::int64_t end) {
    const Dimension& size = node.shape(0)[axis];
    if (begin < -max_elements || begin > max_elements || end < -max_elements || end > max_elements) {
        return wrong(fmt::format("It pads axis {} with {} and {} elements.", axis, begin, end));
    }
    if (!size.is_number()) return {};
    if (size.number() + begin + end < 0 || size.number() + begin < 0 || size.number() + end < 0) {
        return wrong(fmt::format("It cuts {} elements off axis {}, which has {}.", -(begin + end), axis,
                                 size.number()));
    }
    const std::int64_t most = node.attributes().text("mode") == "reflect" ? size.number() - 1 : INT64_MAX;
    if (begin > most || end > most) {
        return wrong(fmt::format("It reflects {} and {} elements on axis {}, which has {}.", begin, end, axis,
                                 size.number()));
    }
    if (size == Dimension(0) && begin + end > 0 && node.attributes().text("mode") != "constant") {
        return wrong(fmt::format("It pads axis {}, which has no elements, with elements from it.", axis));
    }
    return {};
}

Result<void> infer_pad(Inference& node) {
    const std::string_view mode = node.attributes().text("mode");
    if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap") {
        return wrong(fmt::format("Its attribute mode is \"{}\".", mode),
                     "use constant, reflect, edge or wrap");
    }
    if (node.has(2) && provably_different(element_count(node.shape(2)), 1)) {
        return wrong(fmt::format("{}, and must have one element.", node.describe(2)));
    }
    TRY(node.expect_rank(1, 1));
    Shape shape = node.shape(0);
    const std::vector<Dimension>* pads = node.contents(1);
    if (!pads || (node.has(3) && !node.contents(3))) {
        node.set_shape(0, Shape(shape.size(), Dimension::unknown()));
        return {};
    }
    std::vector<std::int64_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (node.has(3)) axes = TRY(node.numbers(3));
    (void)TRY(axis_indices(axes, shape.size()));
    if (pads->size() != 2 * axes.size()) {
        return wrong(fmt::format("{}, and must have {} elements, two for each axis.", node.describe(1),
                                 2 * axes.size()));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = TRY(axis_index(axes[i], shape.size()));
        const Dimension &begin = (*pads)[i], &end = (*pads)[axes.size() + i];
        if (begin.is_number() && end.is_number())
            TRY(check_padding(node, axis, begin.number(), end.number()));
        shape[axis] = shape[axis] + begin + end;
    }
    node.set_shape(0, std::move(shape));
    return {};
}

}  // namespace

Result<void> infer_growth(Inference& node) {
    if (node.op() == Operator::expand) return infer_expand(node);
    return node.op() == Operator::tile ? infer_tile(node) : infer_pad(node);
}

}  // namespace muster::graph
