#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

/// The scale is for the whole tensor, or for each index of one axis; the zero point has its shape.
Result<void> check_scale(const Inference& node) {
    if (node.attributes().integer("block_size") != 0) {
        return fail(ErrorCode::unsupported,
                    "Its attribute block_size isn't 0: blocked quantisation isn't supported.");
    }
    if (node.has(2) && (node.rank(2) != node.rank(1) ||
                        provably_different(element_count(node.shape(1)), element_count(node.shape(2))))) {
        return wrong(fmt::format("{}, and must have the scale's shape, {}.", node.describe(2),
                                 to_string(node.shape(1))));
    }
    if (node.rank(1) == 0 || node.shape(1) == Shape{1}) return {};
    TRY(node.expect_rank(1, 1));
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.rank(0)));
    if (provably_different(node.shape(1)[0], node.shape(0)[axis])) {
        return wrong(fmt::format("{}, and must have an element for each index of axis {} of {}.",
                                 node.describe(1), axis, to_string(node.shape(0))));
    }
    return {};
}

Result<void> infer_output_type(Inference& node) {
    const std::int64_t said = node.attributes().integer("output_dtype");
    const auto asked = element_type_by_onnx(said);
    if (said != 0 && !asked) {
        return fail(ErrorCode::unsupported,
                    fmt::format("Its output_dtype is ONNX's type {}, which no tensor here has.", said));
    }
    const bool quantizes = node.op() == Operator::quantize_linear;
    ElementType element = quantizes ? ElementType::u8 : node.element(1);
    if (said != 0) element = *asked;
    if (quantizes && node.has(2)) {
        if (said != 0 && element != node.element(2)) {
            return wrong(fmt::format("{}, and output_dtype says {}.", node.describe(2), name(element)));
        }
        element = node.element(2);
    }
    const bool fits =
        quantizes ? element == ElementType::u8 || element == ElementType::i8 : is_float(element);
    if (!fits) return fail(ErrorCode::unsupported, fmt::format("Its output_dtype is {}.", name(element)));
    node.set_element(0, element);
    return {};
}

}  // namespace

Result<void> infer_quantized(Inference& node) {
    for (std::size_t i = 1; i < node.output_count(); ++i) node.set_shape(i, {});
    if (node.op() != Operator::dynamic_quantize_linear) {
        TRY(check_scale(node));
        TRY(infer_output_type(node));
    }
    node.set_shape(0, node.shape(0));
    return {};
}

}  // namespace muster::graph
