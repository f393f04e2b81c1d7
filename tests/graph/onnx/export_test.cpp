// Graphs as models, and back.
#include <filesystem>
#include <fstream>

#include <muster/graph/onnx/export.hpp>

#include "model_of.hpp"

using namespace muster;
using namespace muster::graph;

namespace {

Graph graph_of(std::string_view statements) {
    auto graph = parse_graph("graph \"g\" {\n" + std::string(statements) + "\n}\n");
    if (!graph) FAIL(graph.error().to_string());
    return *std::move(graph);
}

std::string exported(const Graph& graph) {
    const auto bytes = export_onnx_bytes(graph);
    REQUIRE(bytes);
    return onnx_text(*bytes);
}

/// The graph printed after export and import.
std::string again(const Graph& graph) {
    const auto bytes = export_onnx_bytes(graph);
    REQUIRE(bytes);
    const auto imported = import_onnx_bytes(*bytes);
    if (!imported) FAIL(imported.error().to_string());
    CHECK(same_structure(*imported, graph));
    return print_graph(*imported);
}

}  // namespace

TEST_CASE("onnx: an exported graph is imported as it was") {
    const Graph graph = graph_of(R"(
        input x: f32[N, 2*N, 4]
        input "odd\x0a name": i64[1]
        constant half: f16[2] = [1, -2]
        a = Identity(half) @ "first node"
        constant bytes: i8[2] = [-128, 127]
        b = Identity(bytes)
        constant flags: bool[2] = [0, 1]
        c = Identity(flags)
        constant none: i64[0] = []
        d = Identity(none)
        constant max: f32[] = [6]
        e = Clip(x, _, max)
        f = Elu(e) {alpha = 0.25}
        g = Gelu(f) {approximate = "tanh"}
        constant shape: i64[1] = [2]
        h = ConstantOfShape(shape) {value = i32[1] = [7]}
        i = Transpose(g) {perm = [1, 0, 2]}
        constant scale: f32[4] = [1, 1, 1, 1]
        j, _, k = LayerNormalization(i, scale)
        output a
        output b
        output c
        output d
        output h
        output j
        output k
        output "odd\x0a name"
    )");
    CHECK(again(graph) == print_graph(graph));
}

TEST_CASE("onnx: each node of a file has a name of its own, or none") {
    const Graph graph = graph_of(R"(
        input x: f32[2]
        a = Relu(x) @ "twice"
        b = Abs(a) @ "twice~2"
        c = Neg(b) @ "twice"
        d = Exp(c)
        e = Exp(d) @ "twice"
        y = Exp(e)
        output y
    )");
    const std::string text = again(graph);
    std::vector<std::string> names;
    for (std::size_t at = 0; (at = text.find("@ \"", at)) != std::string::npos; ++at)
        names.push_back(text.substr(at + 3, text.find('"', at + 3) - at - 3));
    CHECK(names == std::vector<std::string>{"twice", "twice~2", "twice~3", "twice~4"});
}

TEST_CASE("onnx: the model's opset is 21, or the first that has all") {
    const auto opset = [](std::string_view statements) {
        const std::string text = exported(graph_of(statements));
        const std::size_t at = text.find("version: ", text.find("opset_import"));
        return text.substr(0, text.find('\n')) + ", " + text.substr(at, text.find('\n', at) - at);
    };
    CHECK(opset("input x: f32[2]\n y = Relu(x)\n output y") == "ir_version: 10, version: 21");
    const std::string pool = "input x: f32[1, 1, 5]\n y = MaxPool(x) {kernel_shape = [2], strides = [2]";
    CHECK(opset(pool + "}\n output y") == "ir_version: 10, version: 21");
    CHECK(opset(pool + ", ceil_mode = 1}\n output y") == "ir_version: 10, version: 22");
    CHECK(
        opset("input x: i8[2]\n input s: f32[]\n y = DequantizeLinear(x, s) {output_dtype = 1}\n output y") ==
        "ir_version: 11, version: 23");
    CHECK(opset("input a: f16[]\n y = Range(a, a, a)\n output y") == "ir_version: 13, version: 27");
}

TEST_CASE("onnx: sizes that aren't known are left out, symbols are names") {
    const std::string text = exported(graph_of("input x: f32[N, 3*N]\n y = Relu(x)\n output y"));
    CHECK(has(text, "dim_param: \"N\""));
    CHECK(has(text, "dim_param: \"3*N\""));
    CHECK(has(text, "producer_name: \"muster "));
}

TEST_CASE("onnx: a file is written whole or not at all") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / "muster_onnx_export";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const Graph graph = graph_of("input x: f32[2]\n y = Relu(x)\n output y");
    const fs::path path = folder / "m.onnx";
    REQUIRE(export_onnx(graph, path));
    const auto read = import_onnx(path);
    REQUIRE(read);
    CHECK(print_graph(*read) == print_graph(graph));
    CHECK(std::distance(fs::directory_iterator(folder), {}) == 1);
    const auto missing = export_onnx(graph, folder / "no" / "m.onnx");
    REQUIRE(!missing);
    CHECK(has(missing.error().to_string(),
              "can't be written: No such file or directory.\n  while exporting to "));
    fs::create_directories(folder / "taken" / "m.onnx");
    const auto taken = export_onnx(graph, folder / "taken" / "m.onnx");
    REQUIRE(!taken);
    CHECK(has(taken.error().to_string(), "can't be replaced: "));
    CHECK(std::distance(fs::directory_iterator(folder / "taken"), {}) == 1);
    fs::remove_all(folder);
}
