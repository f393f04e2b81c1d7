#include <muster/cli/input/model_ends.hpp>
#include <muster/graph/ir/tensor.hpp>

namespace muster::cli {
namespace {

using graph::Dimension;
using graph::RunPlan;
using graph::RunTensor;

/// The inputs or outputs of all plans, as one.
std::vector<graph::Value> joined(std::span<const RunPlan> plans, std::vector<RunTensor> RunPlan::*ends) {
    std::vector<graph::Value> values;
    for (std::size_t i = 0; i < (plans.front().*ends).size(); ++i) {
        const RunTensor& first = (plans.front().*ends)[i];
        graph::Shape shape;
        for (std::size_t axis = 0; axis < first.sizes.size(); ++axis) {
            bool is_same = true;
            for (const RunPlan& plan : plans)
                is_same = is_same && (plan.*ends)[i].sizes[axis] == first.sizes[axis];
            shape.push_back(is_same ? Dimension(first.sizes[axis]) : Dimension::unknown());
        }
        values.push_back({.name = first.name, .type = {first.element, std::move(shape)}});
    }
    return values;
}

}  // namespace

ModelEnds ends_of(const graph::Graph& graph) {
    ModelEnds ends{.name = std::string(graph.name())};
    for (const graph::ValueId id : graph.inputs()) ends.inputs.push_back(graph.value(id));
    for (const graph::ValueId id : graph.outputs()) ends.outputs.push_back(graph.value(id));
    return ends;
}

ModelEnds ends_of(const graph::ModelArtifact& artifact) {
    return {.name = artifact.name,
            .inputs = joined(artifact.choices, &RunPlan::inputs),
            .outputs = joined(artifact.choices, &RunPlan::outputs)};
}

std::vector<graph::Tensor> zeros(std::span<const graph::Value> inputs) {
    std::vector<graph::Tensor> tensors;
    for (const graph::Value& input : inputs) {
        const graph::TensorType& type = input.type;
        std::vector<std::int64_t> sizes;
        for (const graph::Dimension& size : type.shape) sizes.push_back(size.known().value_or(1));
        const auto count = graph::checked_element_count(sizes);
        const std::size_t bytes = static_cast<std::size_t>(count.value_or(0)) * graph::bytes_of(type.element);
        tensors.push_back(graph::Tensor::own(type.element, std::move(sizes), std::vector<std::byte>(bytes)));
    }
    return tensors;
}

std::vector<graph::Tensor> first_inputs(const graph::ModelArtifact& artifact) {
    std::vector<graph::Tensor> tensors =
        zeros(joined(std::span(artifact.choices).first(1), &RunPlan::inputs));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const RunTensor& input = artifact.choices.front().inputs[i];
        if (input.contents) tensors[i] = graph::Tensor::own(input.element, input.sizes, *input.contents);
    }
    return tensors;
}

}  // namespace muster::cli
