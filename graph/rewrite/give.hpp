// give.hpp - builds a replacement from what a formula matched.
#pragma once

#include <muster/graph/pack/pattern_text.hpp>
#include <muster/graph/rewrite/conversion_site.hpp>
#include <muster/graph/rewrite/match.hpp>

namespace muster::graph {

/// Adds the replacement's nodes, and returns its result. Errors: infer()'s,
/// invalid_program (the result is absent).
Result<ValueId> give(ConversionSite& site, const PatternTree& replacement, const PatternTree& matched,
                     const Match& match);

}  // namespace muster::graph
