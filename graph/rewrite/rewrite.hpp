// rewrite.hpp - applies conversion patterns to a graph until nothing changes, and tells what it did.
//
//     const Rewritten better = TRY(rewrite(graph, portable_pack().conversion));
//     for (const PatternUse& use : better.report.used) fmt::print("{}: {}\n", use.pattern, fmt::join(use.nodes, ", "));
//
// Nodes are visited in order, each with the patterns of its operator in theirs, again and again, at most
// fifty times. The graph's inputs and outputs keep their names, and values their types; new nodes have the
// names of those that they stand for, joined. A replacement must have the type of what it replaces; one whose
// shape is less known is refused.
//
// Pure. Threads: any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster::graph {

/// A match that was applied.
struct PatternUse {
    std::string_view pattern;
    Bits bits = Bits::kept;
    std::vector<std::string> nodes;  // as labels (Graph::label()), in the formula's order
};
/// A near miss: root and operands fitted, and something else didn't; or the nodes are in another group.
struct PatternRefusal {
    std::string_view pattern;
    std::string node;    // the root's label
    std::string reason;  // half a sentence: `users of "c" are 2, and those of the pattern 1`
};

inline constexpr std::size_t most_refusals = 10'000;  // in a report

struct PatternReport {
    std::vector<PatternUse> used;
    std::vector<PatternRefusal> refused;  // in the graph that came out
    /// True if all that was applied keeps bits.
    bool keeps_bits() const;
};

struct Rewritten {
    Graph graph;
    PatternReport report;
};

/// Errors: invalid_program (a pattern that can't be read, or whose replacement has another type, or none
/// that can be built: a fault of the pack, with the pattern's name), conflict (two patterns undo each
/// other, or some never end).
Result<Rewritten> rewrite(const Graph& graph, std::span<const ConversionPattern> patterns);

}  // namespace muster::graph
