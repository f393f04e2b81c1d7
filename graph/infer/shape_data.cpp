#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/shape_data.hpp>

namespace muster::graph {
namespace {

Result<std::int64_t> float_range_count(float start, float limit, float delta) {
    const float count = std::ceil((limit - start) / delta);
    if (std::isfinite(count) && count <= static_cast<float>(max_elements)) {
        return count > 0 ? static_cast<std::int64_t>(count) : 0;
    }
    return wrong(fmt::format("A range from {} to {} by {} has no number of elements.", start, limit, delta));
}

Result<std::int64_t> integer_range_count(std::int64_t start, std::int64_t limit, std::int64_t delta) {
    if (delta == 0)
        return wrong(fmt::format("A range from {} to {} by 0 has no number of elements.", start, limit));
    if (delta > 0 ? limit <= start : limit >= start) return 0;
    const auto distance = delta > 0 ? static_cast<std::uint64_t>(limit) - static_cast<std::uint64_t>(start)
                                    : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(limit);
    const auto step = delta > 0 ? static_cast<std::uint64_t>(delta) : 0 - static_cast<std::uint64_t>(delta);
    const std::uint64_t count = (distance - 1) / step + 1;
    if (count <= static_cast<std::uint64_t>(max_elements)) return static_cast<std::int64_t>(count);
    return wrong(fmt::format("A range from {} to {} by {} has {} elements.", start, limit, delta, count));
}

Result<void> infer_range(Inference& node) {
    bool constants = true;
    for (std::size_t i = 0; i < 3; ++i) {
        TRY(node.expect_rank(i, 0));
        constants = constants && node.fact(i).constant;
    }
    Dimension count = Dimension::unknown();
    if (constants) {
        count = TRY(range_count(*node.fact(0).constant, *node.fact(1).constant, *node.fact(2).constant));
    } else if (node.contents(0) && node.contents(1) && node.contents(2) &&
               node.contents(0)->front() == Dimension(0) && node.contents(2)->front() == Dimension(1)) {
        count = node.contents(1)->front();  // from 0 by 1: the limit, which may be a symbol
        if (count.is_number()) count = std::max<std::int64_t>(count.number(), 0);
    }
    node.set_shape(0, {count});
    return {};
}

Result<void> infer_constant_of_shape(Inference& node) {
    const Tensor* value = node.attributes().tensor("value");
    if (value && value->count() != 1) {
        return wrong(
            fmt::format("Its attribute value is {}, and must have one element.", to_string(value->type())));
    }
    node.set_element(0, value ? value->element() : ElementType::f32);
    const std::size_t rank = TRY(node.known_length(0));
    const std::vector<Dimension>* sizes = node.contents(0);
    node.set_shape(0, sizes ? *sizes : Shape(rank, Dimension::unknown()));
    return {};
}

}  // namespace

std::pair<std::size_t, std::size_t> shape_extent(std::int64_t start, std::optional<std::int64_t> end,
                                                 std::size_t rank) {
    const auto signed_rank = static_cast<std::int64_t>(rank);
    const auto clamped = [&](std::int64_t at) {
        return static_cast<std::size_t>(
            std::clamp<std::int64_t>(at < 0 ? at + signed_rank : at, 0, signed_rank));
    };
    const std::size_t begin = clamped(start);
    return {begin, std::max(begin, clamped(end.value_or(signed_rank)))};
}

Result<std::int64_t> range_count(const Tensor& start, const Tensor& limit, const Tensor& delta) {
    if (is_float(start.element()))
        return float_range_count(floats(start)[0], floats(limit)[0], floats(delta)[0]);
    return integer_range_count(integers(start)[0], integers(limit)[0], integers(delta)[0]);
}

Result<void> infer_shape_data(Inference& node) {
    if (node.op() == Operator::range) return infer_range(node);
    if (node.op() == Operator::constant_of_shape) return infer_constant_of_shape(node);
    const Attributes& attributes = node.attributes();
    const auto end = attributes.has("end") ? std::optional(attributes.integer("end")) : std::nullopt;
    const auto [first, last] = shape_extent(attributes.integer("start"), end, node.rank(0));
    node.set_shape(0, {static_cast<std::int64_t>(last - first)});
    return {};
}

}  // namespace muster::graph
