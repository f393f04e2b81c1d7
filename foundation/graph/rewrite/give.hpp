// give.hpp - builds a replacement from what a formula matched.
#pragma once

#include <muster/foundation/graph/pack/pattern_text.hpp>
#include <muster/foundation/graph/rewrite/match.hpp>
#include <muster/foundation/graph/rewrite/place.hpp>

namespace muster::graph {

/// Adds the replacement's nodes, and returns its result. Errors: infer()'s, invalid_program (the result is absent).
Result<ValueId> give(Place& place, const PatternTree& replacement, const PatternTree& matched,
                     const Match& match);

}  // namespace muster::graph
