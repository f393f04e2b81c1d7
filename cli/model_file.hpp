// model_file.hpp - loads a model: an .onnx file, or a graph in its textual form (.graph).
#pragma once

#include <string>

#include <muster/cli/arguments.hpp>
#include <muster/cli/exit.hpp>
#include <muster/foundation/graph/ir/graph.hpp>

namespace muster::cli {

/// True if the path's extension says that it is a model.
bool is_model(const std::string& path);
/// Exits: usage (no such file, an entry point or overrides, an .onnx file without the library that reads these), bad_program.
Attempt<graph::Graph> load_model(const ProgramArguments& arguments);

}  // namespace muster::cli
