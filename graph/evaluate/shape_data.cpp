#include <algorithm>
#include <cstring>

#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/copy.hpp>
#include <muster/graph/infer/shape_data.hpp>

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
    const std::span<const std::byte> element = (value ? *value : zero).bytes();
    std::vector<std::byte> bytes(node.output_elements() * element.size());
    if (std::ranges::any_of(element, [](std::byte byte) { return byte != std::byte{0}; })) {
        for (std::size_t at = 0; at < bytes.size(); at += element.size())
            std::memcpy(bytes.data() + at, element.data(), element.size());
    }
    node.set(0, Tensor::own(node.output_element(), node.output_sizes(), std::move(bytes)));
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
    else if (node.op() == Operator::range)
        range(node);
    else
        return no_evaluation(node);
    return {};
}

}  // namespace muster::graph
