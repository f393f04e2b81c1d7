// import.hpp - reads models in ONNX's format as graphs.
//
//     Result<Graph> graph = import_onnx("resnet50.onnx");
//     Result<Graph> same = import_onnx_bytes(bytes, {.folder = "models"});    // the folder of external data, if any
//
// Opsets oldest_opset to newest_opset. Every older form of a node becomes the canonical one
// (graph/ir/operator.hpp), some operators become the others that ONNX defines them by (LogSoftmax,
// CastLike, ...), calls of model-local functions the functions' nodes, an If whose condition is known its
// branch. Initialisers and Constant nodes become constants where something reads them, also those that are
// inputs of the graph with a default value. A dimension with a name (dim_param) becomes a symbol, "2*N" a
// product; one without, or called "?", becomes a symbol of its own, called like `input.0`. Element types and
// shapes are inferred; what the file says of inner values isn't read. Optional outputs that nothing reads are
// left out. Nodes may stand in any order.
//
// Files are trusted with nothing: whatever the bytes, the result is a graph or an error, within the limits
// that docs/models.md lists. External data is mapped, so its files must not change while the graph is used.
// Raw data in the model file itself is copied once, data in typed fields (float_data, ...) twice.
//
// Threads: pure but for reading files. Errors: not_found (files; inputs and sizes of ImportOptions that the
// model doesn't have), io_failed (files), invalid_argument (a constant of another type than the input),
// invalid_program (what the format forbids and what GraphBuilder refuses), unsupported (operators, domains,
// opsets, types that graphs here don't have), refused (external data outside of its folder), limit_exceeded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

inline constexpr int oldest_opset = 7;
/// The newest opset, that of PyPI's onnx 1.23.
inline constexpr int newest_opset = 28;
/// The newest version of the format itself, likewise.
inline constexpr int newest_onnx_ir = 14;

struct ImportOptions {
    /// Holds the external data's files; empty: the model's own folder, or, of bytes, none.
    std::filesystem::path folder = {};
    /// Inputs of the model whose values are known: they become constants of the graph.
    std::vector<std::pair<std::string, Tensor>> constants = {};
    /// Numbers for sizes that its inputs leave open, by their symbols. What depends on them is known,
    /// then: an If's condition, say.
    std::vector<std::pair<std::string, std::int64_t>> sizes = {};
};

Result<Graph> import_onnx(const std::filesystem::path& path, const ImportOptions& options = {});
Result<Graph> import_onnx_bytes(std::span<const std::byte> bytes, const ImportOptions& options = {});

/// The inputs of a model that have no initialiser, with their types; nothing else of it is checked.
Result<std::vector<Value>> onnx_inputs(const std::filesystem::path& path);

/// Reads one tensor, as `onnx.save_tensor` and ONNX's tests write it, with its name.
Result<std::pair<std::string, Tensor>> import_onnx_tensor(const std::filesystem::path& path);

}  // namespace muster::graph
