#include <chrono>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/graph/build/graph_builder.hpp>

#include "graph/graph_text.hpp"

namespace muster::graph {

TEST_CASE("A failed step leaves the builder as it was") {
    GraphBuilder builder("g");
    const ValueId x = *builder.input("x", {ElementType::f32, {2, 3}});
    CHECK(!builder.node({.op = Operator::matmul, .inputs = {x, x}, .outputs = {"y"}}));
    CHECK(!builder.node({.op = Operator::relu, .inputs = {x}, .outputs = {"x"}}));
    CHECK(!builder.find("y"));
    const auto y = builder.node({.op = Operator::relu, .inputs = {x}, .outputs = {"y"}});
    REQUIRE(y);
    REQUIRE(builder.output((*y)[0]));
    const Graph graph = *std::move(builder).finish();
    CHECK(graph.node_count() == 1);
    CHECK(graph.value_count() == 2);
    CHECK(graph.find("y") == (*y)[0]);
    CHECK(graph.value((*y)[0]).producer == NodeId{0});
}

TEST_CASE("Values of no graph, names that are taken and names that are missing are refused") {
    GraphBuilder builder("g");
    const ValueId x = *builder.input("x", {ElementType::f32, {2}});
    CHECK(builder.node({.op = Operator::relu, .inputs = {{7}}, .outputs = {"y"}}).error().message ==
          "Input 0 isn't a value of this graph.");
    CHECK(builder.node({.op = Operator::relu, .inputs = {x}, .outputs = {""}}).error().message ==
          "Output 0 has no name.");
    CHECK(builder.node({.op = Operator::split, .inputs = {x}, .outputs = {"a", "a"}}).error().code ==
          ErrorCode::conflict);
    CHECK(builder.input("", {}).error().message == "A value has no name.");
    CHECK(builder.input("z", {ElementType::f32, {1, -2}}).error().message ==
          "A tensor's size of -2 is negative.");
    CHECK(!builder.output({}));
    const auto error = builder.node(
        {.op = Operator::relu, .inputs = {x}, .outputs = {"y"}, .attributes = {{"alpha", 1.0f}}});
    CHECK(error.error().to_string() ==
          "Relu has no attribute alpha.\n  while adding the node that makes \"y\" (Relu)");
    const auto kind = builder.node({.op = Operator::leaky_relu,
                                    .name = "l",
                                    .inputs = {x},
                                    .outputs = {"y"},
                                    .attributes = {{"alpha", std::int64_t{1}}}});
    CHECK(kind.error().to_string() ==
          "The attribute alpha is of kind int, and must be of kind float.\n  while adding node \"l\" "
          "(LeakyRelu)");
}

TEST_CASE("Graphs of the same structure are canonical: defaults are left out, attributes sorted") {
    const Graph a = graph_of(
        "input x: f32[1, 1, 4, 4]\ny = MaxPool(x) {strides = [1, 1], kernel_shape = [2, 2], ceil_mode = "
        "0}\noutput y");
    const Graph b = graph_of(
        "input a: f32[1, 1, 4, 4]\nb = MaxPool(a) {kernel_shape = [2, 2], strides = [1, 1]}\noutput b");
    const Graph c = graph_of(
        "input a: f32[1, 1, 4, 4]\nb = MaxPool(a) {kernel_shape = [2, 2], strides = [2, 2]}\noutput b");
    CHECK(same_structure(a, b));
    CHECK(!same_structure(b, c));
    CHECK(a.label({0}) == "that makes \"y\" (MaxPool)");
}

TEST_CASE("A graph of 100,000 nodes builds and infers") {
    const auto started = std::chrono::steady_clock::now();
    GraphBuilder builder("large");
    ValueId last = *builder.input("x", {ElementType::f32, {Dimension::symbol("N"), 64}});
    const ValueId bias = *builder.constant("b", Tensor::of<float>({1}, {1}));
    for (int i = 0; i < 100'000; ++i) {
        const bool odd = i % 2 != 0;
        NodeSpec spec{.op = odd ? Operator::relu : Operator::add,
                      .name = fmt::format("node {}", i),
                      .inputs = {last},
                      .outputs = {fmt::format("value {}", i)}};
        if (!odd) spec.inputs.push_back(bias);
        last = builder.node(std::move(spec)).value()[0];
    }
    REQUIRE(builder.output(last));
    const Graph graph = *std::move(builder).finish();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started;
    CHECK(graph.node_count() == 100'000);
    CHECK(to_string(graph.value(last).type) == "f32[N, 64]");
    MESSAGE(fmt::format("100,000 nodes built in {:.0f} ms", took.count()));
}

}  // namespace muster::graph
