// specialise.hpp - a graph for given sizes: all shapes become numbers, and what then is constant is folded.
//
//     Graph batch_of_8 = TRY(specialise(graph, {.symbols = {{"N", 8}}}));
//     Graph exact = TRY(specialise(graph, {.sizes = {{"x", {8, 3, 224, 224}}}, .contents = {{"shape", tensor}}}));
//
// The inputs stay inputs, in their order, those whose contents are given too: nodes then read a constant in
// their place. Names of nodes, inputs and outputs stay. Nodes that no output needs are removed. A tensor of
// more than most_folded_elements (fold.hpp) isn't folded.
//
// Pure. Threads: any.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

struct Sizing {
    std::map<std::string, std::int64_t, std::less<>> symbols = {};
    /// The sizes of inputs, by name; symbols follow from them. Needed where an input has a
    /// size without a name (`?`).
    std::map<std::string, std::vector<std::int64_t>, std::less<>> sizes = {};
    /// The contents of inputs, by name.
    std::map<std::string, Tensor, std::less<>> contents = {};
};

/// Errors: invalid_argument (no such input, a size that isn't given, or differs from another or from the
/// graph's, contents of another type), invalid_program (what inference refuses for these sizes), unsupported
/// (a shape depends on data that isn't given: the error names the node).
Result<Graph> specialise(const Graph& graph, const Sizing& sizing);

}  // namespace muster::graph
