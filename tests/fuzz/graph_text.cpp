// Graphs as text: any bytes are a graph or an error, what is parsed reads back from its printed text, and can be rewritten and run.
#include <muster/graph/text/graph_text.hpp>

#include "target.hpp"

namespace muster::fuzz {

void check(std::string_view text) {
    if (const auto tensors = graph::parse_tensors(text); !tensors)
        expect(!tensors.error().message.empty(), "an error says what is wrong");
    const auto graph = graph::parse_graph(text);
    if (!graph) {
        expect(!graph.error().message.empty(), "an error says what is wrong");
        return;
    }
    const std::string printed = print_graph(*graph);
    const auto again = graph::parse_graph(printed);
    expect(again.has_value(), "a printed graph parses",
           again ? "" : again.error().to_string() + "\n" + printed);
    expect(graph::same_structure(*graph, *again), "a printed graph parses to the same graph", printed);
    expect(print_graph(*again) == printed, "a graph that is read back prints as before", printed);
}

}  // namespace muster::fuzz
