// integer_ranges.hpp - proves that integers of 64 bits fit the 32 that devices compute them with.
#pragma once

#include <span>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

/// The smallest power of two, from 2^8 on, that the numbers of an i64 tensor lie below, as its exponent; 63
/// if none up to 2^31 does. Plans hold for inputs of the same magnitudes.
int magnitude_of(const Tensor& tensor);

/// Follows the ranges of i64 values through the graph, from `magnitudes`: those of its inputs, ignored for
/// other types. Errors: unsupported, with the node whose results may not fit.
Result<void> check_integer_ranges(const Graph& graph, std::span<const int> magnitudes);

}  // namespace muster::graph
