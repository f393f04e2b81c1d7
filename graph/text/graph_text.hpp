// graph_text.hpp - the textual form of graphs: prints and parses. For tests, bug reports and reading.
//
//     graph "net" {
//         input x: f32[N, 4]                                    # sizes are numbers, symbols, products of them, or ?
//         constant w: f32[4, 2] = [1, 2, 3, 4, 5, 6, 7, 8]      # or hex "0000803f...": the bytes, little-endian
//         y = MatMul(x, w) @ "dense 1": f32[N, 2]               # @ the node's name; types are optional in what is parsed,
//         z, _, s = LayerNormalization(y, scale) {axis = 1}     # and are checked; _ is an absent input or output
//         output y
//     }
//
// A name that isn't a plain word is quoted, with \" \\ \n and \xHH. parse_graph(print_graph(g)) has g's
// structure and names. Any bytes are safe input; time and memory are linear in them. Threads: pure.
#pragma once

#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

std::string print_graph(const Graph& graph);

/// Reads one graph. `file` is for messages, which have the form of the WGSL front end's: `net.graph:3:5:
/// error: ...`, the line, a caret. Errors: invalid_program, and those of GraphBuilder.
Result<Graph> parse_graph(std::string_view text, std::string_view file = "graph");

/// Reads tensors by name, one to a line, written like constants without that word: `x: f32[2] = [1, 2]`.
Result<std::vector<std::pair<std::string, Tensor>>> parse_tensors(std::string_view text,
                                                                  std::string_view file = "tensors");

}  // namespace muster::graph
