// model_tensors.hpp - the inputs of a model from `--bind NAME=SPEC`, and its outputs as files and text.
//
// SPECs are those of kernels' bindings (spec.hpp), but for like: and extent:. A picture becomes [1, C, H, W]
// or [1, H, W, C] with C 1, 3 or 4, scaled to H by W, of f32 from 0 to 1 or u8. A size that the model leaves
// open is the data's, or 1.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <muster/cli/input/spec.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::cli {

/// The tensors of a model's inputs, in its order. Errors: invalid_argument (a name that is no input, an input
/// without a SPEC, data that doesn't fit), and those of the files.
Result<std::vector<graph::Tensor>> make_tensors(std::span<const graph::Value> inputs,
                                                const NamedTexts& binds);

/// The samples of a model of one input: those that the first axis of a .npy file counts, or one for each .npy
/// and picture file of a folder, in the order of their names. Errors: those of make_tensors(), not_found (a
/// folder without samples).
Result<std::vector<graph::Tensor>> read_samples(const graph::Graph& graph, const std::string& path);

/// The first elements, separated by spaces, and "..." if there are more.
std::string preview(const graph::Tensor& tensor, std::size_t most = 8);
/// XXH3-64 of the elements, with every NaN replaced by 0x7fc00000 (f32) or 0x7e00 (f16).
std::uint64_t checksum(const graph::Tensor& tensor);

/// Writes a tensor: .npy or .bin by the path's extension; "-" prints one element per line. Errors:
/// invalid_argument (another extension), io_failed.
Result<void> write_tensor(const graph::Tensor& tensor, const std::string& path);
/// Checks before anything runs whether write_tensor() supports the path, and whether it can be written.
Result<void> check_tensor_path(const std::string& path);

}  // namespace muster::cli
