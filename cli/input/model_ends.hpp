// model_ends.hpp - what the tool knows of a model that it runs, whether it has a graph or is an artifact: its
// name, inputs and outputs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <muster/graph/ir/graph.hpp>
#include <muster/graph/stored_model/model_artifact.hpp>

namespace muster::cli {

struct ModelEnds {
    std::string name;
    std::vector<graph::Value> inputs, outputs;
};

ModelEnds ends_of(const graph::Graph& graph);
/// Sizes that differ between the artifact's plans are unknown.
ModelEnds ends_of(const graph::ModelArtifact& artifact);

/// Zeros of each input's sizes; 1 where the model leaves one open.
std::vector<graph::Tensor> zeros(std::span<const graph::Value> inputs);
/// Inputs that the artifact's first plan is for: zeros, but for contents that it asks for.
std::vector<graph::Tensor> first_inputs(const graph::ModelArtifact& artifact);

}  // namespace muster::cli
