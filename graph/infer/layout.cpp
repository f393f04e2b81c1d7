#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

Result<void> infer_transpose(Inference& node) {
    Shape shape = node.shape(0);
    if (!node.attributes().has("perm")) {
        std::ranges::reverse(shape);
        node.set_shape(0, std::move(shape));
        return {};
    }
    const std::span<const std::int64_t> perm = node.attributes().integers("perm");
    if (perm.size() != shape.size() ||
        std::ranges::any_of(perm, [](std::int64_t axis) { return axis < 0; })) {
        return wrong(
            fmt::format("Its attribute perm is [{}], and {}.", fmt::join(perm, ", "), node.describe(0)));
    }
    (void)TRY(axis_indices(perm, shape.size()));
    for (std::size_t i = 0; i < perm.size(); ++i) shape[i] = node.shape(0)[static_cast<std::size_t>(perm[i])];
    node.set_shape(0, std::move(shape));
    return {};
}

/// The dimension at `at` that `asked` means: 0 is that of the input, -1 is left as it is.
Result<Dimension> asked_dimension(const Inference& node, const Dimension& asked, std::size_t at) {
    if (!asked.is_number() || asked.number() > 0 || asked.number() == -1) return asked;
    if (asked.number() < -1)
        return wrong(fmt::format("{}, and asks for a size of {}.", node.describe(1), asked.number()));
    if (node.attributes().flag("allowzero")) return asked;
    if (at < node.rank(0)) return node.shape(0)[at];
    return wrong(fmt::format("{}, and its 0 at {} is for a size that {} doesn't have.", node.describe(1), at,
                             to_string(node.shape(0))));
}

/// The dimension that -1 stands for: the quotient of the products without what both sides share.
Dimension rest(const Shape& from, const Shape& to, std::size_t free) {
    Dimension others(1), all(1);
    std::vector<bool> cancelled(from.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (i == free) continue;
        // An unknown dimension that was copied by 0 stands on both sides at the same place.
        if (i < from.size() && from[i] == to[i] && to[i] != Dimension(0) &&
            (i < free || !to[i].is_unknown())) {
            cancelled[i] = true;
            continue;
        }
        others = others * to[i];
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (!cancelled[i]) all = all * from[i];
    }
    return exact_quotient(all, others);
}

Result<void> infer_reshape(Inference& node) {
    const std::size_t rank = TRY(node.known_length(1));
    const std::vector<Dimension>* asked = node.contents(1);
    if (!asked) {
        node.set_shape(0, Shape(rank, Dimension::unknown()));
        return {};
    }
    Shape shape;
    std::optional<std::size_t> free;
    for (std::size_t i = 0; i < rank; ++i) {
        shape.push_back(TRY(asked_dimension(node, (*asked)[i], i)));
        if (shape.back() != Dimension(-1)) continue;
        if (free) return wrong(fmt::format("{}, and has -1 twice: {}.", node.describe(1), to_string(*asked)));
        free = i;
    }
    if (free) {
        shape[*free] = rest(node.shape(0), shape, *free);
        if (known_sizes(node.shape(0)) && shape[*free].is_unknown()) {
            shape[*free] = 1;
            if (const Dimension others = element_count(shape); others.is_number()) {
                return wrong(fmt::format("{}, and its {} elements can't be shaped as {}.", node.describe(0),
                                         to_string(element_count(node.shape(0))), to_string(*asked)));
            }
            shape[*free] = Dimension::unknown();
        }
    }
    if (provably_different(element_count(shape), element_count(node.shape(0)))) {
        return wrong(fmt::format("{}, and its {} elements can't be shaped as {}.", node.describe(0),
                                 to_string(element_count(node.shape(0))), to_string(*asked)));
    }
    node.set_shape(0, std::move(shape));
    return {};
}

Result<void> infer_flatten(Inference& node) {
    const auto rank = static_cast<std::int64_t>(node.rank(0));
    std::int64_t axis = node.attributes().integer("axis");
    if (axis < -rank || axis > rank)
        return wrong(fmt::format("Its attribute axis is {}, and {}.", axis, node.describe(0)));
    if (axis < 0) axis += rank;
    const auto at = static_cast<std::size_t>(axis);
    node.set_shape(0, {element_count(node.shape(0), 0, at), element_count(node.shape(0), at, node.rank(0))});
    return {};
}

Result<void> infer_squeeze(Inference& node) {
    const Shape& from = node.shape(0);
    std::vector<std::size_t> axes;
    if (node.has(1)) {
        axes = TRY(axis_indices(TRY(node.numbers(1)), from.size()));
    } else {
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (!from[i].is_number()) {
                return wrong(fmt::format("{}, and whether its size {} is 1 isn't known.", node.describe(0),
                                         to_string(from[i])),
                             "give the axes");
            }
            if (from[i] == Dimension(1)) axes.push_back(i);
        }
    }
    Shape shape;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (!std::ranges::binary_search(axes, i))
            shape.push_back(from[i]);
        else if (provably_different(from[i], 1)) {
            return wrong(fmt::format("{}, and its size on axis {} isn't 1.", node.describe(0), i));
        }
    }
    node.set_shape(0, std::move(shape));
    return {};
}

Result<void> infer_unsqueeze(Inference& node) {
    const std::vector<std::int64_t> said = TRY(node.numbers(1));
    Shape shape = node.shape(0);
    for (const std::size_t axis : TRY(axis_indices(said, shape.size() + said.size()))) {
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    }
    node.set_shape(0, std::move(shape));
    return {};
}

Result<void> infer_depth_to_space(Inference& node) {
    TRY(node.expect_rank(0, 4));
    const std::int64_t block = node.attributes().integer("blocksize");
    const std::string_view mode = node.attributes().text("mode");
    if (block < 1 || block > 1 << 15) return wrong(fmt::format("Its attribute blocksize is {}.", block));
    if (mode != "DCR" && mode != "CRD")
        return wrong(fmt::format("Its attribute mode is \"{}\".", mode), "use DCR or CRD");
    const Shape& x = node.shape(0);
    if (x[1].is_number() && x[1].number() % (block * block) != 0) {
        return wrong(
            fmt::format("{}, and its channels can't be divided by {} * {}.", node.describe(0), block, block));
    }
    node.set_shape(0, {x[0], exact_quotient(x[1], block * block), x[2] * block, x[3] * block});
    return {};
}

}  // namespace

Result<void> infer_layout(Inference& node) {
    const Operator op = node.op();
    if (op == Operator::transpose) return infer_transpose(node);
    if (op == Operator::reshape) return infer_reshape(node);
    if (op == Operator::flatten) return infer_flatten(node);
    if (op == Operator::squeeze) return infer_squeeze(node);
    if (op == Operator::unsqueeze) return infer_unsqueeze(node);
    if (op == Operator::depth_to_space) return infer_depth_to_space(node);
    TRY(node.expect_rank_of_at_least(0, 2));  // Trilu
    if (node.has(1) && provably_different(element_count(node.shape(1)), 1)) {
        return wrong(fmt::format("{}, and must have one element.", node.describe(1)));
    }
    node.set_shape(0, node.shape(0));
    return {};
}

}  // namespace muster::graph
