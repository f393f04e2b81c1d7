#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

Result<void> infer_cast(Inference& node) {
    const std::int64_t to = node.attributes().integer("to");
    const auto element = element_type_by_onnx(to);
    if (!element) {
        return fail(ErrorCode::unsupported,
                    fmt::format("It casts to ONNX's type {}, which no tensor here has.", to),
                    "use float, float16, int8, uint8, int32, int64 or bool");
    }
    node.set_element(0, *element);
    return {};
}

Result<void> expect_scalar(const Inference& node, std::size_t input) {
    return node.has(input) ? node.expect_rank(input, 0) : Result<void>{};
}

Result<void> expect_inference_mode(const Inference& node) {
    if (!node.has(2)) return {};
    const std::vector<Dimension>* training = node.contents(2);
    if (training && training->size() == 1 && training->front() == Dimension(0)) return {};
    return fail(ErrorCode::unsupported,
                fmt::format("{}, and isn't the constant false: it is in training mode.", node.describe(2)));
}

}  // namespace

Result<void> infer_elementwise(Inference& node) {
    const Operator op = node.op();
    Shape shape = node.shape(0);
    if (op == Operator::cast) {
        TRY(infer_cast(node));
    } else if (op == Operator::clip) {
        TRY(expect_scalar(node, 1));
        TRY(expect_scalar(node, 2));
    } else if (op == Operator::dropout) {
        TRY(expect_inference_mode(node));
        node.set_shape(1, shape);
    } else if (op == Operator::prelu) {
        const Shape joint = TRY(broadcast(shape, node.shape(1)));
        if (joint.size() != shape.size() || provably_different(element_count(joint), element_count(shape))) {
            return wrong(fmt::format("{}, and can't be broadcast to the shape {} of X.", node.describe(1),
                                     to_string(shape)));
        }
    } else {
        for (std::size_t i = 1; i < node.input_count(); ++i) shape = TRY(broadcast(shape, node.shape(i)));
    }
    node.set_shape(0, std::move(shape));
    return {};
}

}  // namespace muster::graph
