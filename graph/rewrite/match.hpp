// match.hpp - finds a formula in a draft, at one node.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/graph/rewrite/conditions.hpp>
#include <muster/graph/rewrite/draft.hpp>

namespace muster::graph {

/// A formula with its conditions, parsed and checked.
struct Formula {
    PatternTree match;
    std::vector<Condition> where = {};
    std::vector<bool> shared = {};  // by term: what it makes may be used elsewhere
};
/// Errors: invalid_program; they name the pattern.
Result<Formula> read_formula(std::string_view match, std::string_view where, std::string_view pattern);

struct Match {
    std::vector<ValueId> values;  // by term of the tree; an absent one is ValueId()
    std::vector<NodeId> nodes;    // in the order of the formula's terms, the root last
};

/// The outcome of a formula at a node: a match, or, if the root and its operands fit and
/// something else didn't, why.
struct MatchResult {
    std::optional<Match> match;
    std::string near_miss;
};
MatchResult match_at(const Draft& draft, NodeId node, const Formula& formula);

}  // namespace muster::graph
