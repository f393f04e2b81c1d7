// graph_part.hpp - nodes of a graph as a backend's own compiler gets them
// (driver/contract/graph_compiler.hpp), and the program that stands for what it makes of them.
// Internal to graph/parts.
#pragma once

#include <string_view>

#include <muster/driver/contract/graph_compiler.hpp>
#include <muster/driver/routing/route.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/graph/ir/graph.hpp>
#include <muster/graph/pack/lower_group.hpp>

namespace muster::graph {

/// The bytes of its constants are the graph's. Errors: those of GraphBuilder.
Result<GraphPart> graph_part(const Graph& graph, const Group& nodes);

/// The name of the binding of a part's input or output.
std::string part_input(std::size_t which);
std::string part_output(std::size_t which);

/// A program with a binding for each input and output, whose one operation only the backend's devices have:
/// it is routed, prepared and dispatched like every other. `code`: what was made of the part, so that
/// different parts are different programs.
Result<ValidProgram> part_program(std::string_view backend, std::size_t inputs, std::size_t outputs,
                                  std::span<const std::byte> code);

/// The code of the program for the device that its route chose.
Artifact part_artifact(const ValidProgram& program, const Execute& where, CompiledPart compiled,
                       const CompileOptions& options);

}  // namespace muster::graph
