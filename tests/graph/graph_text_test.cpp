#include "graph/graph_text.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include <muster/graph/build/graph_builder.hpp>

namespace muster::graph {
namespace {

std::string round_trip(const std::string& text) {
    const auto graph = parse_graph(text);
    if (!graph) FAIL(graph.error().to_string());
    const std::string printed = print_graph(*graph);
    const auto again = parse_graph(printed);
    if (!again) FAIL(again.error().to_string());
    CHECK(same_structure(*graph, *again));
    return printed;
}

constexpr const char* all_forms = R"(graph "all forms" {
    input x: f32[N, 3, 6*N*T, ?]
    input "a name \"quoted\" \\ \n \x07": i64[]
    constant w: f32[2, 2] = [1, -0.5, inf, 1e-05]
    constant half: f16[1] = [0.33325195]
    constant none: f32[0] = []
    constant nan: f32[1] = hex "0100c07f"
    constant flags: bool[2] = [0, 1]
    constant _: u8[1] = [255]
    y = MatMul(w, w) @ "dense/1": f32[2, 2]
    a, _, c = LayerNormalization(y, w): f32[2, 2], _, f32[2, 1]
    z = Clip(y, _, "max"): f32[2, 2]
    output y
    output y
}
)";

}  // namespace

TEST_CASE("What is printed parses to the same graph and prints again alike") {
    std::string text = all_forms;
    text.replace(text.find("constant _"), 10, "constant \"_\"");
    text.replace(text.find("    z ="), 0, "    constant max: f32[] = [3]\n");
    const std::string printed = round_trip(text);
    CHECK(round_trip(printed) == printed);
    CHECK(has(printed, R"(input "a name \"quoted\" \\ \n \x07": i64[])"));
    CHECK(has(printed, "z = Clip(y, _, max): f32[2, 2]"));
    CHECK(has(printed, R"(nan: f32[1] = hex "0100c07f")"));
    CHECK(has(printed, "1e-05"));
}

TEST_CASE("Attributes of every kind are printed and read, and defaults left out") {
    const std::string printed = round_trip(R"(graph "" {
        input x: f32[1, 2, 8, 8]
        input s: i64[2]
        a = MaxPool(x) {kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 0, auto_pad = "SAME_UPPER"}
        b = LeakyRelu(a) {alpha = 0.25}
        c = ConstantOfShape(s) {value = i32[1] = [7]}
        output b
        output c
    })");
    CHECK(has(
        printed,
        R"(MaxPool(x) {auto_pad = "SAME_UPPER", kernel_shape = [2, 2], strides = [2, 2]}: f32[1, 2, 4, 4])"));
    CHECK(has(printed, "{alpha = 0.25}"));
    CHECK(has(printed, "{value = i32[1] = [7]}: i32[?, ?]"));
}

TEST_CASE("Large constants are printed as their bytes") {
    const std::vector<float> values(100, 1.0f);
    GraphBuilder builder("g");
    const ValueId value = *builder.constant("w", Tensor::of<float>({100}, values));
    REQUIRE(builder.output(value));
    const std::string printed = print_graph(*std::move(builder).finish());
    CHECK(has(printed, "f32[100] = hex \"0000803f0000803f"));
    round_trip(printed);
}

TEST_CASE("Bad text is told with its line and column") {
    CHECK(error_of("input x: f32[2]\ny = Konv(x)\noutput y") ==
          "graph:3:5: error: `Konv` isn't an operator that graphs here have.\ny = Konv(x)\n    ^");
    CHECK(has(error_of("input x: f33[2]"), "graph:2:10: error: Expected an element type"));
    CHECK(has(error_of("input x: f32[-2]"), "graph:2:14: error: A size is negative."));
    CHECK(has(error_of("input x f32[2]"), "graph:2:9: error: Expected `:`, found `f32`."));
    CHECK(has(error_of("y = Relu(x)"), "graph:2:10: error: No value before this is called \"x\"."));
    CHECK(has(error_of("constant x: f32[2] = [1]"),
              "graph:2:13: error: A tensor f32[2] takes 8 bytes, and its data has 4."));
    CHECK(has(error_of("constant x: u8[1] = [256]"), "`256` isn't a value of type u8."));
    CHECK(has(error_of("constant x: bool[1] = [2]"), "`2` isn't a value of type bool."));
    CHECK(has(error_of("constant x: u8[1] = hex \"0g\""), "The string isn't pairs of hexadecimal digits."));
    CHECK(has(error_of("constant x: f32[N] = []"), "has a size that isn't a number."));
    CHECK(has(error_of("input \"\\q\": f32[]"), "The string has an escape that isn't"));
    CHECK(has(error_of("input x: f32[2]\ny = Relu(x) {alpha = 1}"),
              "graph:3:14: error: Relu has no attribute alpha."));
    CHECK(has(error_of("input x: f32[2]\ny = Relu(x): f32[3]"),
              "graph:3:14: error: \"y\" is f32[2], and not f32[3]."));
    CHECK(
        has(error_of("input x: f32[2]\ninput x: f32[2]"), "graph:3:7: error: Two values are called \"x\"."));
    CHECK(has(error_of("input x: f32[2]"), "Graph \"g\" has no outputs."));
    CHECK(has(error_of("input x: f32[2"), "Expected `,`, found `}`."));
    CHECK(parse_graph("graph \"g\" {")
              .error()
              .to_string()
              .starts_with("graph:1:12: error: Expected a name, found the end"));
}

TEST_CASE("Errors of a node say which node, which tensor and what is wrong") {
    CHECK(error_of("input x: f32[2, 3]\ninput w: f32[4, 5]\ny = MatMul(x, w) @ \"dense\"\noutput y") ==
          "graph:4:1: error: Input \"x\" (A) is f32[2, 3], and [4, 5] stands beside it: the sizes to sum "
          "over, 3 and 4, "
          "differ.\ny = MatMul(x, w) @ \"dense\"\n^\n  while adding node \"dense\" (MatMul)");
    CHECK(has(error_of("input x: i8[2]\ny = Sqrt(x)\noutput y"),
              "Input \"x\" (X) is i8[2], and takes elements of f32, f16.\ny = Sqrt(x)\n^\n  while adding the "
              "node that makes "
              "\"y\" (Sqrt)"));
    CHECK(has(error_of("input x: f32[2]\ninput z: i64[2]\ny = Add(x, z)\noutput y"),
              "Input \"z\" (B) is i64[2], and must have elements of f32 as an input before it has."));
    CHECK(has(error_of("input x: f32[2]\ny = Add(x)"), "It has 1 inputs, and takes 2."));
    CHECK(has(error_of("input x: f32[2]\ny = Add(x, _, x)"), "It has 3 inputs, and takes 2."));
    CHECK(has(error_of("input x: f32[2]\ny = Add(_, x)"), "Input 0 (A) is missing."));
    CHECK(has(error_of("input x: f32[2]\ny, z = Relu(x)"), "It has 2 outputs, and gives 1."));
    CHECK(has(error_of("input x: f32[2]\ny = Concat(x, x)"), "The attribute axis is missing."));
    CHECK(has(error_of("input x: f32[2]\ny = Concat(x, x) {axis = 0, axis = 0}"),
              "The attribute axis is given twice."));
}

TEST_CASE("Tensors are read by name") {
    const auto tensors = parse_tensors("x: f32[2] = [1, nan]\n\"y z\": bool[] = [1]");
    REQUIRE(tensors);
    REQUIRE(tensors->size() == 2);
    CHECK(std::isnan(floats((*tensors)[0].second)[1]));
    CHECK((*tensors)[1].first == "y z");
    CHECK(
        has(parse_tensors("x: f32[2] = [1,").error().to_string(), "tensors:1:16: error: Expected a number"));
}

}  // namespace muster::graph
