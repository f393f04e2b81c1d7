#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/graph/rewrite/rewrite.hpp>

#include "graph/graph_text.hpp"

namespace muster::graph {
namespace {

Rewritten rewritten(std::string_view statements, const std::vector<ConversionPattern>& patterns) {
    auto result = rewrite(graph_of(statements), patterns);
    if (!result) FAIL(result.error().to_string());
    return *std::move(result);
}

std::string error_of(std::string_view statements, const std::vector<ConversionPattern>& patterns) {
    const auto result = rewrite(graph_of(statements), patterns);
    REQUIRE(!result);
    return result.error().to_string();
}

/// The nodes of a graph, as text without constants.
std::string nodes_of(const Graph& graph) {
    const std::string text = print_graph(graph);
    std::string nodes;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at, end - at);
        if (line.find(" = ") != line.npos && line.find("constant") == line.npos)
            nodes += line.substr(4) + "\n";
        at = end + 1;
    }
    return nodes;
}

const ConversionPattern gelu{.name = "GELU",
                             .bits = Bits::changed,
                             .match = {"x * 0.5 * (1 + Erf(x / 1.41421356))"},
                             .give = "Gelu(x)"};

constexpr std::string_view decomposed = R"(
    input x: f32[N, 4]
    constant half: f32[] = [0.5]
    constant one: f32[1] = [1]
    constant root: f32[] = [1.41421356]
    a = Div(x, root) @ "d"
    b = Erf(a) @ "e"
    c = Add(b, one) @ "p"
    h = Mul(half, x) @ "h"
    y = Mul(c, h) @ "m"
    output y)";

}  // namespace

TEST_CASE("A formula matches in any order of commuting operands, and its replacement has the names") {
    const Rewritten result = rewritten(decomposed, {gelu});
    CHECK(nodes_of(result.graph) == "y = Gelu(x) @ \"h + d + e + p + m\": f32[N, 4]\n");
    REQUIRE(result.report.used.size() == 1);
    CHECK(result.report.used[0].pattern == "GELU");
    CHECK(fmt::format("{}", fmt::join(result.report.used[0].nodes, ", ")) ==
          "\"h\" (Mul), \"d\" (Div), \"e\" (Erf), \"p\" (Add), \"m\" (Mul)");
    CHECK(!result.report.keeps_bits());
}

TEST_CASE("A value within that others use refuses the match, and says so") {
    const Rewritten result = rewritten(std::string(decomposed) + "\nz = Relu(b)\noutput z", {gelu});
    CHECK(result.graph.node_count() == 6);
    REQUIRE(result.report.refused.size() == 1);
    CHECK(result.report.refused[0].node == "\"m\" (Mul)");
    CHECK(result.report.refused[0].reason == "users of \"b\" are 2, and those of the pattern 1");
    CHECK(has(rewritten(std::string(decomposed) + "\noutput b", {gelu}).report.refused[0].reason,
              "\"b\" is an output of the graph"));
}

TEST_CASE("Numbers must be exactly those of the formula, and not raise the rank") {
    const std::string other = R"(
        input x: f32[4]
        constant near: f32[] = [1.0000001]
        constant one: f32[1, 1] = [1]
        a = Mul(x, near)
        y = Mul(a, one)
        output y)";
    const ConversionPattern by_one{.name = "x * 1", .match = {"x * 1"}, .give = "x"};
    CHECK(rewritten(other, {by_one}).graph.node_count() == 2);
}

TEST_CASE("Attributes that a formula doesn't have must be the default, unless the node has a name") {
    const std::string two = R"(
        input x: f32[4, 4]
        a = Softmax(x) {axis = 0}
        b = Softmax(a)
        c = Relu(b)
        y = Relu(c)
        output y)";
    const ConversionPattern plain{.name = "s", .match = {"Softmax(x)"}, .give = "Sigmoid(x)"};
    CHECK(nodes_of(rewritten(two, {plain}).graph) ==
          "a = Softmax(x) {axis = 0}: f32[4, 4]\nb = Sigmoid(a): f32[4, 4]\nc = Relu(b): f32[4, 4]\ny = "
          "Relu(c): "
          "f32[4, 4]\n");
    const ConversionPattern given{.name = "s", .match = {"Softmax(x) {axis = 0 | 1}"}, .give = "Sigmoid(x)"};
    CHECK(nodes_of(rewritten(two, {given}).graph).starts_with("a = Sigmoid(x)"));
    const ConversionPattern named{
        .name = "s", .match = {"Relu(Softmax(x) as s)"}, .give = "Elu(Softmax(x) {s}) {alpha = 2}"};
    const std::string result = nodes_of(rewritten(two, {named}).graph);
    CHECK(has(result, "c = Elu("));
    CHECK(has(result, "{alpha = 2}"));
}

TEST_CASE(
    "A replacement computes on constants, copies attributes and takes numbers from attributes and "
    "constants") {
    const ConversionPattern pattern{
        .name = "scaled",
        .bits = Bits::changed,
        .match = {"Conv(x, W, B?) as conv * k"},
        .where = "constant(W, B, k), one_element(k), rank(W, 4)",
        .give =
            "s = Expand(Reshape(k, [-1]), Shape(W) {end = 1}); Conv(x, W * along(0, s, W), B * s) {conv}"};
    const std::string net = R"(
        input x: f32[1, 1, 4, 4]
        constant w: f32[1, 1, 3, 3] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        constant k: f32[] = [2]
        c = Conv(x, w) {pads = [1, 1, 1, 1]} @ "conv"
        y = Mul(c, k)
        output y)";
    const std::string result = nodes_of(rewritten(net, {pattern}).graph);
    CHECK(has(result, "y = Conv(x, \"y~"));
    CHECK(has(result, ") {pads = [1, 1, 1, 1]} @ \"conv\": f32[1, 1, 4, 4]"));
    const ConversionPattern from_constant{.name = "leaky",
                                          .match = {"PRelu(x, k) as y"},
                                          .where = "one_element(k)",
                                          .give = "LeakyRelu(x) {alpha = k}"};
    CHECK(has(nodes_of(rewritten("input x: f32[2, 2]\nconstant k: f32[1] = [0.25]\ny = PRelu(x, k)\noutput y",
                                 {from_constant})
                           .graph),
              "y = LeakyRelu(x) {alpha = 0.25}"));
}

TEST_CASE("Patterns that undo each other are named") {
    const ConversionPattern up{
        .name = "transpose first", .match = {"Transpose(Relu(x)) as t"}, .give = "Relu(Transpose(x) {t})"};
    const ConversionPattern down{
        .name = "relu first", .match = {"Relu(Transpose(x) as t)"}, .give = "Transpose(Relu(x)) {t}"};
    CHECK(
        error_of("input x: f32[2, 3]\na = Relu(x) @ \"r\"\ny = Transpose(a) @ \"t\"\noutput y", {up, down}) ==
        "The patterns \"transpose first\" and \"relu first\" undo each other, at node \"r + t\" "
        "(Relu).\nFix: leave one "
        "of them out of the pack, or narrow what it matches");
    const ConversionPattern swap{
        .name = "swap", .match = {"Concat(a, b) {axis = 0}"}, .give = "Concat(b, a) {axis = 0}"};
    CHECK(has(error_of("input a: f32[2]\ninput b: f32[2]\ny = Concat(a, b) {axis = 0}\noutput y", {swap}),
              "The pattern \"swap\" undoes itself"));
    const ConversionPattern grows{.name = "grows", .match = {"Relu(x)"}, .give = "Relu(Neg(x))"};
    CHECK(has(error_of("input x: f32[2]\ny = Relu(x)\noutput y", {grows}),
              "Patterns still change the graph after 10033 steps: \"grows\" was applied 10033 times."));
}

TEST_CASE("A replacement of another type is a fault of the pack, one whose shape is less known is refused") {
    const ConversionPattern wrong{.name = "wrong", .match = {"Relu(x)"}, .give = "Transpose(x)"};
    CHECK(error_of("input x: f32[2, 3]\ny = Relu(x) @ \"r\"\noutput y", {wrong}) ==
          "The pattern \"wrong\" replaces node \"r\" (Relu), which makes f32[2, 3], by f32[3, 2].\nFix: this "
          "is a fault of the "
          "pack that has the pattern");
    const ConversionPattern vague{
        .name = "vague", .match = {"Relu(x)"}, .give = "Reshape(x, Cast(Exp([2, 3])) {to = 7})"};
    CHECK(has(error_of("input x: f32[2, 3]\ny = Relu(x) @ \"r\"\noutput y", {vague}),
              "while applying the pattern \"vague\""));
    const ConversionPattern less{.name = "less",
                                 .match = {"Add(x, s)"},
                                 .where = "type(s, i64), shared(x)",
                                 .give = "Reshape(x, s + s)"};
    const Rewritten kept = rewritten("input s: i64[1]\ninput x: i64[1]\ny = Add(x, s)\noutput y", {less});
    CHECK(kept.graph.node_count() == 1);
    CHECK(kept.report.refused[0].reason == "the shape would be less known: [?], and not [1]");
}

TEST_CASE("A value in the place of a node: outputs of the graph keep their names") {
    const ConversionPattern identity{.name = "identity", .match = {"Identity(x)"}, .give = "x"};
    const Rewritten inner = rewritten("input x: f32[2]\na = Relu(x)\ny = Identity(a)\noutput y", {identity});
    CHECK(nodes_of(inner.graph) == "y = Relu(x): f32[2]\n");
    const Rewritten input = rewritten("input x: f32[2]\ny = Identity(x) @ \"i\"\noutput y", {identity});
    CHECK(input.graph.node_count() == 1);
    CHECK(input.report.refused[0].reason == "\"y\" is an output of the graph, and \"x\" keeps its own name");
    const Rewritten constant = rewritten(
        "constant c: f32[1] = [3]\ny = Identity(c)\nz = Identity(y)\noutput z\noutput y", {identity});
    CHECK(constant.graph.node_count() == 0);
    CHECK(constant.graph.value(constant.graph.outputs()[0]).name == "z");
    CHECK(constant.graph.value(constant.graph.outputs()[1]).name == "y");
}

TEST_CASE("A pattern that can't be read is told with its place") {
    const auto told = [](ConversionPattern pattern) {
        pattern.name = "p";
        return error_of("input x: f32[2]\ny = Relu(x)\noutput y", {pattern});
    };
    CHECK(told({.match = {"Relu(x"}, .give = "x"}) ==
          "pattern \"p\", match:1:7: error: Expected `,`, found the end of the text.\nRelu(x\n      ^");
    CHECK(has(told({.match = {"Foo(x)"}, .give = "x"}), "`Foo` isn't an operator that graphs here have."));
    CHECK(has(told({.match = {"x"}, .give = "x"}), "A match must be an operation."));
    CHECK(has(told({.match = {"Relu(x, z)"}, .give = "x"}), "Relu doesn't take 2 inputs."));
    CHECK(has(told({.match = {"Relu(x) {q = 1}"}, .give = "x"}), "Relu has no attribute q."));
    CHECK(has(told({.match = {"Relu(x)"}, .give = "w"}), "The match has no \"w\"."));
    CHECK(has(told({.match = {"Relu(x) as r"}, .give = "x + r.q"}), "\"r\" has no attribute q."));
    CHECK(has(told({.match = {"Relu(x)"}, .where = "odd(x)", .give = "x"}),
              "has a condition odd, which there isn't"));
    CHECK(has(told({.match = {"Relu(x)"}, .where = "rank(x)", .give = "x"}), "which takes other arguments"));
    CHECK(has(told({.match = {"a = Relu(x); Relu(x) as a"}, .give = "x"}),
              "\"a\" is the name of something else."));
    CHECK(has(told({.match = {"Relu(x) {alpha"}, .give = "x"}), "error"));
    CHECK(has(told({.match = {std::string_view(
                        "Relu(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((")},
                    .give = "x"}),
              "deep"));
}

}  // namespace muster::graph
