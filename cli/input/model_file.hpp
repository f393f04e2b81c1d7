// model_file.hpp - loads a model: an .onnx file, a graph in its textual form (.graph),
// or an artifact of a model.
#pragma once

#include <string>

#include <muster/cli/input/arguments.hpp>
#include <muster/cli/support/exit.hpp>
#include <muster/graph/ir/graph.hpp>
#include <muster/graph/stored_model/model_artifact.hpp>

namespace muster::cli {

/// True if the path's extension says that it is a model with its graph.
bool is_model(const std::string& path);
/// True if the file begins as the artifact of a model does.
bool is_stored_model(const std::string& path);
/// Exits: usage (no such file, an entry point or overrides, an .onnx file without the library that reads
/// these, a constant that isn't the model's), bad_program.
Attempt<graph::Graph> load_model(const ProgramArguments& arguments);
/// Exits: usage (no such file, a damaged one, an entry point or overrides).
Attempt<graph::ModelArtifact> load_stored_model(const ProgramArguments& arguments);

}  // namespace muster::cli
