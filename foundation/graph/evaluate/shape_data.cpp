#include <muster/foundation/graph/evaluate/copy.hpp>
#include <muster/foundation/graph/infer/shape_data.hpp>
#include <muster/foundation/semantics/semantics.hpp>

namespace muster::graph {
namespace {

void shape(Evaluation& node) {
    const Attributes& attributes = node.attributes();
    const Sizes sizes = node.sizes(0);
    const auto end = attributes.has("end") ? std::optional(attributes.integer("end")) : std::nullopt;
    const auto [first, last] = shape_extent(attributes.integer("start"), end, sizes.size());
    node.set(0, Integers(sizes.begin() + static_cast<std::ptrdiff_t>(first),
                         sizes.begin() + static_cast<std::ptrdiff_t>(last)));
}

void constant_of_shape(Evaluation& node) {
    const Tensor zero;
    const Tensor* value = node.attributes().tensor("value");
    copy_elements(node, 0, value ? *value : zero, [](const Sizes&) { return std::int64_t{0}; });
}

/// start + i * delta.
void range(Evaluation& node) {
    if (node.of_floats(0)) {
        Floats result;
        for (std::size_t i = 0; i < node.output_elements(); ++i) {
            result.push_back(node.floats(0)[0] + static_cast<float>(i) * node.floats(2)[0]);
        }
        node.set(0, result);
        return;
    }
    Integers result;
    for (std::size_t i = 0; i < node.output_elements(); ++i) {
        result.push_back(semantics::add(node.integers(0)[0],
                                        semantics::mul(static_cast<std::int64_t>(i), node.integers(2)[0])));
    }
    node.set(0, result);
}

}  // namespace

Result<void> evaluate_shape_data(Evaluation& node) {
    if (node.op() == Operator::shape)
        shape(node);
    else if (node.op() == Operator::constant_of_shape)
        constant_of_shape(node);
    else
        range(node);
    return {};
}

}  // namespace muster::graph
