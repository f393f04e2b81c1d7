// model_of.hpp - what the tests of import share: models from a few words, their graphs and errors.
#pragma once

#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/graph/onnx/import.hpp>
#include <muster/graph/text/graph_text.hpp>

#include "model_text.hpp"
#include "support/text.hpp"

namespace muster::graph {

using test::has;

/// A value of ONNX's type number and with these sizes, e.g. `type(1, "dim { dim_value: 2 }")`.
inline std::string typed(std::string_view name, int type, std::initializer_list<std::string_view> sizes) {
    std::string dims;
    for (const std::string_view size : sizes) {
        const bool number = size.find_first_not_of("0123456789-") == std::string_view::npos;
        if (size == "?")
            dims += "dim { } ";
        else
            dims += fmt::format(
                fmt::runtime(number ? "dim {{ dim_value: {} }} " : "dim {{ dim_param: \"{}\" }} "), size);
    }
    return fmt::format("name: \"{}\" type {{ tensor_type {{ elem_type: {} shape {{ {} }} }} }}", name, type,
                       dims);
}
inline std::string input(std::string_view name, int type, std::initializer_list<std::string_view> sizes) {
    return fmt::format("input {{ {} }} ", typed(name, type, sizes));
}
inline std::string output(std::string_view name) { return fmt::format("output {{ name: \"{}\" }} ", name); }

/// The text of a model with this graph.
inline std::string model(int opset, std::string_view graph, std::string_view more = "") {
    return fmt::format("ir_version: 8 opset_import {{ version: {} }} graph {{ name: \"g\" {} }} {}", opset,
                       graph, more);
}

inline std::vector<std::byte> bytes_of(std::string_view model) {
    auto bytes = try_onnx_bytes(model);
    if (!bytes) FAIL("no text of a ModelProto: " << model);
    return *std::move(bytes);
}

inline Graph imported(std::string_view model, const ImportOptions& options = {}) {
    auto graph = import_onnx_bytes(bytes_of(model), options);
    if (!graph) FAIL(graph.error().to_string());
    return *std::move(graph);
}

/// The graph as text, without the first line and the last.
inline std::string statements(const Graph& graph) {
    const std::string text = print_graph(graph);
    const std::size_t first = text.find('\n') + 1;
    return text.substr(first, text.rfind('}') - first);
}

/// The graph of a model with one node on x, f32[2, 3, 4], that makes y; `node` is its text without names.
inline std::string rewritten(int opset, std::string_view node) {
    return statements(imported(
        model(opset, input("x", 1, {"2", "3", "4"}) +
                         fmt::format("node {{ input: \"x\" output: \"y\" {} }} ", node) + output("y"))));
}

inline std::string error_of(std::string_view model, const ImportOptions& options = {}) {
    const auto graph = import_onnx_bytes(bytes_of(model), options);
    REQUIRE(!graph);
    return graph.error().to_string();
}

}  // namespace muster::graph
