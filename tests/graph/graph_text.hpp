// graph_text.hpp - what the tests of graphs share: a graph from text, and the types that were inferred.
#pragma once

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <muster/graph/text/graph_text.hpp>

#include "support/text.hpp"

namespace muster::graph {

using test::has;

inline Graph graph_of(std::string_view statements) {
    auto graph = parse_graph("graph \"g\" {\n" + std::string(statements) + "\n}\n");
    if (!graph) FAIL(graph.error().to_string());
    return *std::move(graph);
}

/// The type of the value `y` that the statements end with.
inline std::string type_of_y(std::string_view statements) {
    const Graph graph = graph_of(std::string(statements) + "\noutput y");
    return to_string(graph.value(*graph.find("y")).type);
}

/// The whole text of the error.
inline std::string error_of(std::string_view statements) {
    const auto graph = parse_graph("graph \"g\" {\n" + std::string(statements) + "\n}\n");
    REQUIRE(!graph);
    return graph.error().to_string();
}

}  // namespace muster::graph
