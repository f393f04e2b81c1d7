// fold.hpp - constants folded and dead nodes removed, in a draft.
#pragma once

#include <muster/foundation/base/result.hpp>
#include <muster/graph/rewrite/draft.hpp>

namespace muster::graph {

/// Most elements of a tensor that folding makes. A larger one is computed anew when the graph runs.
inline constexpr std::int64_t most_folded_elements = std::int64_t{128} << 20;

/// Makes the outputs of a node constants, if its inputs are constants or the outputs' contents are known, and
/// they aren't too large. Returns whether it did. A node that can't be evaluated, for an index out of bounds
/// and the like, stays: it fails when it runs. So does DequantizeLinear of a product's factor: weights remain
/// integers, for integer products. Precondition: the node isn't stale.
bool fold(Draft& draft, NodeId id);

/// Removes all nodes that no output of the graph needs. Returns how many.
std::size_t remove_dead_code(Draft& draft);

}  // namespace muster::graph
