#include <doctest/doctest.h>

#include <muster/graph/evaluate/evaluate.hpp>
#include <muster/graph/rewrite/specialise.hpp>

#include "graph/graph_text.hpp"

namespace muster::graph {
namespace {

Graph specialised(const Graph& graph, const Sizing& sizing) {
    auto result = specialise(graph, sizing);
    if (!result) FAIL(result.error().to_string());
    return *std::move(result);
}

std::string refusal(const Graph& graph, const Sizing& sizing) {
    const auto result = specialise(graph, sizing);
    REQUIRE(!result);
    return result.error().to_string();
}

constexpr std::string_view reshaped = R"(
    input x: f32[N, 3, T]
    constant zero: i64[] = [0]
    constant minus_one: i64[1] = [-1]
    constant axes: i64[1] = [0]
    s = Shape(x) @ "sizes"
    n = Gather(s, zero)
    n1 = Unsqueeze(n, axes)
    to = Concat(n1, minus_one) {axis = 0}
    z = Reshape(x, to) @ "flat"
    y = Relu(z) @ "last"
    output y)";

}  // namespace

TEST_CASE("Sizes of symbols make all shapes numbers, and what computed shapes is folded") {
    const Graph graph = graph_of(reshaped);
    const Graph exact = specialised(graph, {.symbols = {{"N", 2}, {"T", 4}}});
    CHECK(exact.node_count() == 2);
    CHECK(exact.label({0}) == "\"flat\" (Reshape)");
    CHECK(to_string(exact.value(*exact.find("x")).type) == "f32[2, 3, 4]");
    CHECK(to_string(exact.value(*exact.find("y")).type) == "f32[2, 12]");
    CHECK(*exact.value(exact.inputs({0})[1]).constant == Tensor::of<std::int64_t>({2}, {2, -1}));
    const Tensor x = Tensor::of<float>({2, 3, 4}, std::vector<float>(24, -1.0f));
    CHECK(evaluate(exact, {{x}}).value() == evaluate(graph, {{x}}).value());
}

TEST_CASE("An input's sizes give its symbols, and those without a name") {
    const Graph graph =
        graph_of("input x: f32[N, ?]\ninput z: f32[2*N]\ny = Relu(x)\nw = Relu(z)\noutput y\noutput w");
    const Graph exact = specialised(graph, {.sizes = {{"x", {3, 5}}}});
    CHECK(to_string(exact.value(exact.outputs()[0]).type) == "f32[3, 5]");
    CHECK(to_string(exact.value(exact.outputs()[1]).type) == "f32[6]");
}

TEST_CASE("An input whose contents are given stays an input, and nodes read a constant") {
    const Graph graph =
        graph_of("input x: f32[4, N]\ninput shape: i64[3]\nz = Reshape(x, shape)\ny = Relu(z)\noutput y");
    const Graph exact = specialised(
        graph, {.symbols = {{"N", 3}}, .contents = {{"shape", Tensor::of<std::int64_t>({3}, {2, 2, -1})}}});
    CHECK(exact.inputs().size() == 2);
    CHECK(exact.value(exact.inputs()[1]).name == "shape");
    CHECK(to_string(exact.value(exact.outputs()[0]).type) == "f32[2, 2, 3]");
    CHECK(exact.node_count() == 2);
}

TEST_CASE("Outputs that become constants keep their names, and a node of several outputs may lose one") {
    const Graph graph = graph_of(R"(
        input x: f32[N, 4]
        constant parts: i64[2] = [1, 1]
        s = Shape(x)
        a, b = Split(s, parts)
        output a
        output s)");
    const Graph exact = specialised(graph, {.symbols = {{"N", 7}}});
    CHECK(exact.node_count() == 0);
    CHECK(exact.value(exact.outputs()[0]).name == "a");
    CHECK(*exact.value(exact.outputs()[0]).constant == Tensor::of<std::int64_t>({1}, {7}));
    CHECK(exact.value(exact.outputs()[1]).name == "s");
}

TEST_CASE("A node that can't be evaluated stays, and the rest is folded") {
    const Graph graph = graph_of(R"(
        constant data: f32[2] = [1, 2]
        constant far: i64[1] = [9]
        a = Gather(data, far)
        b = Neg(data)
        output a
        output b)");
    const Graph exact = specialised(graph, {});
    CHECK(exact.node_count() == 1);
    CHECK(has(evaluate(exact, {}).error().to_string(), "9"));
}

TEST_CASE("Sizes that are missing, differ or don't fit are refused") {
    const Graph graph =
        graph_of("input x: f32[N, 3]\ninput z: f32[N, ?]\ny = Relu(x)\nw = Relu(z)\noutput y\noutput w");
    CHECK(refusal(graph, {}) ==
          "Input \"x\" is f32[N, 3], and N isn't given.\nFix: give the size N, or all sizes of the input");
    CHECK(
        refusal(graph, {.symbols = {{"N", 2}}}) ==
        "Input \"z\" is f32[N, ?], and a size without a name isn't given.\nFix: give all sizes of the input");
    CHECK(refusal(graph, {.symbols = {{"N", 2}}, .sizes = {{"z", {3, 1}}}}) ==
          "Input \"z\" is f32[N, ?], and sizes [3, 1] are given: N is 2 already.");
    CHECK(refusal(graph, {.sizes = {{"x", {2, 4}}}}) ==
          "Input \"x\" is f32[N, 3], and sizes [2, 4] are given.");
    CHECK(refusal(graph, {.sizes = {{"x", {2}}}}) == "Input \"x\" is f32[N, 3], and sizes [2] are given.");
    CHECK(refusal(graph, {.sizes = {{"x", {-2, 3}}}}) ==
          "Input \"x\" is f32[N, 3], and sizes [-2, 3] are given: one is negative.");
    CHECK(refusal(graph, {.symbols = {{"N", -2}}}) == "The size N is -2: it is negative.");
    CHECK(refusal(graph, {.sizes = {{"q", {2, 3}}}}) == "Graph \"g\" has no input \"q\".");
    CHECK(refusal(graph, {
                             .contents = {{"x", Tensor::of<std::int64_t>({1, 3}, {1, 2, 3})}},
                         }) == "Input \"x\" is f32[N, 3], and contents of i64[1, 3] are given.");
    const Graph twice = graph_of("input x: f32[N]\ninput z: f32[2*N]\ny = Relu(x)\noutput y");
    CHECK(refusal(twice, {.symbols = {{"N", 2}}, .sizes = {{"z", {5}}}}) ==
          "Input \"z\" is f32[2*N], and sizes [5] are given: size 5 can't be 2*N.");
}

TEST_CASE("Sizes that inference refuses name the node") {
    const Graph graph = graph_of(
        "input x: f32[N, 3]\nconstant w: f32[2, 3] = [1, 2, 3, 4, 5, 6]\ny = Add(x, w) @ \"sum\"\noutput y");
    CHECK(has(refusal(graph, {.symbols = {{"N", 5}}}), "while inferring node \"sum\" (Add)"));
}

TEST_CASE("A shape that depends on data is told with its node") {
    const Graph graph = graph_of(R"(
        input n: i64[]
        constant zero: i64[] = [0]
        constant one: i64[] = [1]
        r = Range(zero, n, one) @ "count"
        y = Neg(r)
        output y)");
    CHECK(refusal(graph, {}) ==
          "Node \"count\" (Range) makes i64[?]: a size depends on the data of other tensors.\nFix: give the "
          "contents of the inputs that it depends on");
    const Graph exact = specialised(graph, {.contents = {{"n", Tensor::of<std::int64_t>({}, {3})}}});
    CHECK(*exact.value(exact.outputs()[0]).constant == Tensor::of<std::int64_t>({3}, {0, -1, -2}));
}

}  // namespace muster::graph
