// graph_import_models - imports models and tells what they have become.
//
//     graph_import_models FILE.onnx...
//
// Prints, for each: its file's name, inputs and outputs with their types, the numbers of nodes by operator, and each value whose
// shape isn't known in full. Exit status: 0 if all are imported.
#include <filesystem>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include <muster/graph/onnx/import.hpp>

namespace {

using namespace muster::graph;

void print_values(const Graph& graph, std::string_view kind, std::span<const ValueId> values) {
    for (const ValueId id : values)
        fmt::print("  {} {}: {}\n", kind, graph.value(id).name, to_string(graph.value(id).type));
}

void print_model(const std::string& name, const Graph& graph) {
    fmt::print("{}\n", name);
    print_values(graph, "input", graph.inputs());
    print_values(graph, "output", graph.outputs());
    std::map<std::string_view, int> counts;
    for (const NodeId id : graph.nodes()) ++counts[info(graph.node(id).op).name];
    fmt::print("  {} nodes:", graph.node_count());
    for (const auto& [op, count] : counts) fmt::print(" {} {}", op, count);
    fmt::print("\n");
    for (std::uint32_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value({i});
        if (!known_sizes(value.type.shape))
            fmt::print("  unknown: {}: {}\n", value.name, to_string(value.type));
    }
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const auto graph = import_onnx(argv[i]);
        if (!graph) {
            std::cerr << graph.error().to_string() << '\n';
            return 1;
        }
        print_model(std::filesystem::path(argv[i]).filename().string(), *graph);
    }
}
