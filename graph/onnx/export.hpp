// export.hpp - writes graphs as models in ONNX's format.
//
//     Result<void> written = export_onnx(graph, "net.onnx");
//
// The model is of opset 21, or of the first later one that has all of the graph's operators and types, with
// names as the graph has them; constants are initialisers, with their bytes in the file. Sizes that aren't
// numbers are written as they print ("N", "2*N"), unknown ones not at all. Importing it gives a graph of the
// same structure, if the graph's constants are numbered in the order in which nodes read them first, and its
// inputs' sizes are known or named; what import() gives of export() always is so.
//
// Threads: pure but for writing the file. Errors: limit_exceeded (more than 2 GiB, the
// format's limit), io_failed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

/// Replaces the file.
Result<void> export_onnx(const Graph& graph, const std::filesystem::path& path);
Result<std::vector<std::byte>> export_onnx_bytes(const Graph& graph);

}  // namespace muster::graph
