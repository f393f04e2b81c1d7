// expression_hash.hpp - tells whether a value is made as it was before. Internal to graph/rewrite.
#pragma once

#include <span>

#include <muster/graph/rewrite/draft.hpp>

namespace muster::graph {

/// A hash of how `value` is made by `nodes` from other values: operators, attributes, and those values, of
/// small constants the bytes.
std::uint64_t expression_hash(const Draft& draft, ValueId value, std::span<const NodeId> nodes);

}  // namespace muster::graph
