// views.hpp - nodes whose output is its input's memory, seen otherwise: Reshape, Transpose, Slice,
// Split, Expand and their like.
#pragma once

#include <optional>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>
#include <muster/graph/kernel_text/storage.hpp>

namespace muster::graph {

/// The output's elements as a view of the input's memory; none if strides can't say it. Precondition: its
/// operator is one of views, shapes are numbers, and inputs behind the first are constants. Errors:
/// invalid_program (an axis out of bounds).
Result<std::optional<Storage>> view_of(const Graph& graph, NodeId node, std::size_t output,
                                       const Storage& input);

/// The same elements, in row-major order of the indices, as a tensor of `sizes`; none if strides
/// can't say where they are.
std::optional<Storage> reshaped(const Storage& input, const Sizes& sizes);

}  // namespace muster::graph
