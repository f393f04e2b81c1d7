#include <chrono>
#include <set>

#include <fmt/ranges.h>

#include <muster/graph/build/graph_builder.hpp>
#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/rewrite/fuse.hpp>

#include "graph/pattern_cases.hpp"

namespace muster::graph {
namespace {

Fused fused(const Graph& graph, const Pack& pack = portable_pack()) {
    auto result = fuse(graph, pack);
    if (!result) FAIL(result.error().to_string());
    return *std::move(result);
}

/// The groups, by what their nodes make: "a b: pattern; c".
std::string groups_of(const Graph& graph, const Fused& result) {
    std::string text;
    for (const Group& group : result.groups) {
        if (!text.empty()) text += "; ";
        std::string nodes;
        for (const NodeId node : group.nodes)
            nodes += (nodes.empty() ? "" : " ") + graph.value(graph.outputs(node)[0]).name;
        text += nodes;
        if (group.pattern) text += fmt::format(": {}", group.pattern->name);
    }
    return text;
}

std::string groups_of(std::string_view statements) {
    const Graph graph = case_graph(statements);
    return groups_of(graph, fused(graph));
}

std::vector<std::string> names_of(const Graph& graph, const std::vector<ValueId>& values) {
    std::vector<std::string> names;
    for (const ValueId value : values) names.push_back(graph.value(value).name);
    return names;
}

}  // namespace

TEST_CASE("A product takes the element-wise operators that follow it") {
    CHECK(groups_of(R"(
        input x: f32[N, 4, 8, 8]
        weight w: f32[4, 4, 3, 3]
        c = Conv(x, w) {pads = [1, 1, 1, 1]}
        a = Add(c, x)
        r = Relu(a)
        p = MaxPool(r) {kernel_shape = [2, 2]}
        y = Exp(p)
        output y)") == "c a r: product with epilogue; p; y: element-wise operators");
    CHECK(groups_of("input x: f32[4, 8]\nweight w: f32[8, 8]\nm = MatMul(x, w)\ny = Sigmoid(m)\noutput y") ==
          "m y: product with epilogue");
    CHECK(groups_of("input x: f32[4, 8]\nweight w: f32[8, 8]\nm = Gemm(x, w)\ny = Sigmoid(m)\noutput y") ==
          "m y: product with epilogue");
    CHECK(groups_of("input x: f32[1, 4, 8]\nweight w: f32[4, 4, 3]\nm = ConvTranspose(x, w)\ny = "
                    "Sigmoid(m)\noutput y") == "m y: product with epilogue");
}

TEST_CASE("A product of dequantised numbers takes what dequantises them and what quantises its result") {
    const std::string operands =
        "input x: u8[4, 8]\nconstant s: f32[] = [0.1]\nconstant q: i8[8, 3] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, "
        "2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, "
        "4, 5, 6]\nconstant z: u8[] = [3]\nd = DequantizeLinear(x, s, z)\nw = DequantizeLinear(q, s)\n";
    CHECK(groups_of(
              operands +
              "m = MatMul(d, w)\nr = Relu(m)\nt = QuantizeLinear(r, s, z)\ne = DequantizeLinear(t, s, z)\n"
              "input v: f32[3, 3]\ny = MatMul(e, v)\noutput y") ==
          "d w m r t: product of integers; e: element-wise operators; y: product with epilogue");
    CHECK(groups_of(operands + "m = MatMul(d, w)\ny = Softmax(d)\noutput m\noutput y") ==
          "d: element-wise operators; w: element-wise operators; m: product with epilogue; y");
}

TEST_CASE("An epilogue ends where a result is used elsewhere, is an output, or changes its shape") {
    CHECK(groups_of("input x: f32[4, 8]\nweight w: f32[8, 8]\nm = MatMul(x, w)\nr = Relu(m)\ny = "
                    "Softmax(r)\nz = Add(r, y)\noutput z") ==
          "m r: product with epilogue; y; z: element-wise operators");
    CHECK(groups_of("input x: f32[4, 8]\nweight w: f32[8, 8]\nm = MatMul(x, w)\nr = Relu(m)\ny = "
                    "Exp(r)\noutput y\noutput r") == "m r: product with epilogue; y: element-wise operators");
    CHECK(groups_of("input x: f32[1, 8]\ninput z: f32[4, 8]\nweight w: f32[8, 8]\nm = MatMul(x, w)\ny = "
                    "Add(m, z)\noutput y") == "m: product with epilogue; y: element-wise operators");
}

TEST_CASE("An epilogue goes on where a value is used by a few nodes that join again") {
    CHECK(groups_of("input x: f32[4, 8]\nweight w: f32[8, 8]\nm = MatMul(x, w)\ns = Sigmoid(m)\nt = Mul(m, "
                    "s)\ny = Tanh(t)\noutput y") == "m s t y: product with epilogue");
    CHECK(groups_of("input x: f32[4, 8]\nweight w: f32[8, 8]\nm = MatMul(x, w)\ns = Sigmoid(m)\nq = "
                    "Softmax(s)\ny = Mul(m, q)\noutput y") ==
          "m: product with epilogue; s: element-wise operators; q; y: element-wise operators");
}

TEST_CASE("Of two products that are added, the first takes the sum") {
    const Graph graph = case_graph(R"(
        input x: f32[4, 8]
        weight w: f32[8, 8]
        a = MatMul(x, w)
        b = MatMul(w, w)
        c = MatMul(x, b)
        y = Add(a, c)
        output y)");
    const Fused result = fused(graph);
    CHECK(groups_of(graph, result) ==
          "b: product with epilogue; c: product with epilogue; a y: product with epilogue");
    const Group& last = result.groups.back();
    CHECK(names_of(graph, last.inputs) == std::vector<std::string>{"x", "w", "c"});
    CHECK(names_of(graph, last.outputs) == std::vector<std::string>{"y"});
}

TEST_CASE("Element-wise operators of one shape with one result become a group, up to its limits") {
    CHECK(groups_of(R"(
        input a: f32[N, 8]
        input b: f32[8]
        p = Relu(a)
        q = Neg(b)
        s = Add(p, q)
        t = Sin(a)
        y = Mul(s, t)
        output y)") == "q: element-wise operators; p s t y: element-wise operators");
    std::string chain = "input x: f32[8]\nv0 = Neg(x)\n";
    for (int i = 1; i < 70; ++i) chain += fmt::format("v{} = Neg(v{})\n", i, i - 1);
    const Graph graph = case_graph(chain + "output v69");
    const Fused result = fused(graph);
    REQUIRE(result.groups.size() == 2);
    CHECK(result.groups[1].nodes.size() == 64);
    std::string inputs = "input x: f32[8]\nv0 = Neg(x)\n";
    for (int i = 1; i < 10; ++i)
        inputs += fmt::format("input x{0}: f32[8]\nv{0} = Add(v{1}, x{0})\n", i, i - 1);
    const Graph wide = case_graph(inputs + "output v9");
    CHECK(fused(wide).groups.back().inputs.size() == 7);
}

TEST_CASE("Attention and the softmax of scaled and masked values become groups") {
    const std::string attention = R"(
        input q: f32[N, 4, 5, 8]
        input k: f32[N, 4, 8, 5]
        input v: f32[N, 4, 5, 8]
        input mask: f32[1, 1, 5, 5]
        constant scale: f32[] = [0.35]
        s = MatMul(q, k)
        t = Mul(s, scale)
        m = Add(t, mask)
        p = Softmax(m)
        y = MatMul(p, v)
        output y)";
    CHECK(groups_of(attention) == "s t m p y: attention");
    CHECK(groups_of(attention + "\noutput p") ==
          "s: product with epilogue; t m p: softmax of scaled and masked; y: product with epilogue");
    CHECK(groups_of("input q: f32[4, 8]\ninput k: f32[8, 4]\ns = MatMul(q, k)\np = Softmax(s)\ny = MatMul(p, "
                    "q)\noutput y") == "s p y: attention");
    CHECK(groups_of("input x: f32[4, 8]\ninput mask: f32[8]\nm = Add(mask, x)\ny = Softmax(m) {axis = "
                    "0}\noutput y") == "m y: softmax of scaled and masked");
    CHECK(groups_of("input x: f32[4, 8]\ninput other: f32[8]\nm = Pow(x, other)\ny = Softmax(m)\noutput y") ==
          "m: element-wise operators; y");
}

TEST_CASE("What another pattern would take as well is told, and why a formula doesn't fit") {
    const Pack pack{.name = "p",
                    .fusion = {{.name = "first", .match = {"Relu(Neg(x))"}},
                               {.name = "second", .match = {"Exp(Relu(x))"}},
                               {.name = "third", .match = {"Exp(Relu(Neg(x)))"}, .where = "rank(x, 3)"}}};
    const Graph graph =
        case_graph("input x: f32[8]\na = Neg(x)\nb = Relu(a) @ \"r\"\ny = Exp(b) @ \"e\"\noutput y");
    const Fused result = fused(graph, pack);
    CHECK(groups_of(graph, result) == "a b: first; y");
    REQUIRE(result.report.refused.size() == 2);
    CHECK(result.report.refused[0].pattern == "second");
    CHECK(result.report.refused[0].node == "\"e\" (Exp)");
    CHECK(result.report.refused[0].reason == "node \"r\" (Relu) is in a group of \"first\"");
    CHECK(result.report.refused[1].reason == "x (\"x\") doesn't have rank 3");
    CHECK(result.report.used.size() == 1);
    CHECK(fuse(graph, {.name = "p", .fusion = {{.name = "f", .match = {"Relu("}}}})
              .error()
              .message.starts_with("pattern \"f\", match:1:6"));
}

TEST_CASE("Conditions on sizes, windows and what dequantises say why they aren't met") {
    const auto reason = [](std::string_view statements, std::string_view where) {
        const Pack pack{.name = "p",
                        .fusion = {{.name = "f", .match = {"c = Conv(x, W, B?)"}, .where = where}}};
        const Graph graph = case_graph(statements);
        const Fused result = fused(graph, pack);
        return result.report.refused.empty() ? std::string() : result.report.refused[0].reason;
    };
    const std::string conv = "input x: f32[N, 4, 8, 8]\nweight w: f32[6, 4, 3, 3]\ny = Conv(x, w)";
    const std::string end = " @ \"n\"\noutput y";
    CHECK(reason(conv + end, "at_least(W, 0, 6), at_least(W, -1, 3), window(c, 3, 1), not_dequantized(W)")
              .empty());
    CHECK(reason(conv + end, "at_least(W, 1, 5)") ==
          "W (\"w\") is of [6, 4, 3, 3], and the pattern takes at least 5 along axis 1");
    CHECK(has(reason(conv + end, "at_least(x, 0, 1)"), "at least 1 along axis 0"));  // N may be anything
    CHECK(has(reason(conv + end, "at_least(W, 4, 1)"), "along axis 4"));
    CHECK(reason(conv + end, "window(c, 5, 1)") ==
          "the window of c (\"y\") isn't of 5 along each axis, moved by 1");
    CHECK(has(reason(conv + " {strides = [2, 1]}" + end, "window(c, 3, 1)"), "moved by 1"));
    CHECK(reason(conv + " {strides = [2, 2]}" + end, "window(c, 3, 2)").empty());
    CHECK(!reason(conv + end, "window(c, 3, 2)").empty());
    CHECK(!reason(conv + " {dilations = [1, 2]}" + end, "window(c, 3, 1)").empty());
    CHECK(reason("input x: f32[N, 1, 8, 8]\nconstant s: f32[] = [0.5]\nconstant q: i8[1, 1, 1, 1] = [3]\n"
                 "w = DequantizeLinear(q, s)\ny = Conv(x, w)" +
                     end,
                 "not_dequantized(W)") == "W (\"w\") is made by DequantizeLinear");
}

TEST_CASE("A pack that extends the portable one has its own patterns first") {
    const Pack own{.name = "own",
                   .extends_portable = true,
                   .fusion = {{.name = "convolution and Relu", .match = {"Relu(Conv(x, W))"}}}};
    const Pack pack = with_portable(own);
    CHECK(pack.name == "own");
    CHECK(pack.conversion.size() == portable_pack().conversion.size());
    const Graph graph = case_graph(
        "input x: f32[1, 4, 8, 8]\nweight w: f32[4, 4, 3, 3]\nc = Conv(x, w)\nr = "
        "Relu(c)\na = Exp(r)\nd = Conv(a, w)\ny = Exp(d)\noutput y");
    CHECK(groups_of(graph, fused(graph, pack)) ==
          "c r: convolution and Relu; a: element-wise operators; d y: product with epilogue");
    CHECK(with_portable({.name = "alone"}).conversion.empty());
}

TEST_CASE("Each group has its inputs before it, and each node one group") {
    const Graph graph = case_graph(R"(
        input x: f32[N, 4, 8, 8]
        weight w: f32[4, 4, 1, 1]
        a = Conv(x, w)
        b = Sigmoid(x)
        c = Conv(b, w)
        d = Add(a, c)
        e = Mul(d, b)
        f = Conv(e, w)
        g = Add(f, d)
        y = Relu(g)
        output y)");
    std::set<NodeId> seen;
    for (const Group& group : fused(graph).groups) {
        for (const ValueId input : group.inputs) {
            const NodeId producer = graph.value(input).producer;
            CHECK((!producer || seen.contains(producer)));
        }
        for (const NodeId node : group.nodes) CHECK(seen.insert(node).second);
    }
    CHECK(seen.size() == graph.node_count());
}

TEST_CASE("100,000 nodes are rewritten and fused") {
    GraphBuilder builder("large");
    ValueId last = *builder.input("x", {ElementType::f32, {Dimension::symbol("N"), 64}});
    const ValueId bias = *builder.constant("b", Tensor::of<float>({1}, {1}));
    const ValueId one = *builder.constant("one", Tensor::of<float>({1}, {1}));
    for (int i = 0; i < 100'000; ++i) {
        NodeSpec spec{.op = Operator::add,
                      .name = fmt::format("node {}", i),
                      .inputs = {last, bias},
                      .outputs = {fmt::format("value {}", i)}};
        if (i % 5 == 1)
            spec = {.op = Operator::softmax, .name = spec.name, .inputs = {last}, .outputs = spec.outputs};
        if (i % 5 == 2)
            spec = {.op = Operator::transpose, .name = spec.name, .inputs = {last}, .outputs = spec.outputs};
        if (i % 5 == 3)
            spec = {.op = Operator::transpose, .name = spec.name, .inputs = {last}, .outputs = spec.outputs};
        if (i % 5 == 4) spec.op = Operator::mul, spec.inputs[1] = one;
        last = builder.node(std::move(spec)).value()[0];
    }
    REQUIRE(builder.output(last));
    const Graph graph = *std::move(builder).finish();
    const auto started = std::chrono::steady_clock::now();
    const auto rewritten = rewrite(graph, portable_pack().conversion);
    const std::chrono::duration<double, std::milli> rewriting = std::chrono::steady_clock::now() - started;
    REQUIRE(rewritten);
    CHECK(rewritten->graph.node_count() == 40'000);
    const auto fusing_started = std::chrono::steady_clock::now();
    const Fused result = fused(rewritten->graph);
    const std::chrono::duration<double, std::milli> fusing =
        std::chrono::steady_clock::now() - fusing_started;
    CHECK(result.groups.size() == 20'000);
    MESSAGE(fmt::format("100,000 nodes rewritten in {:.0f} ms, what is left fused in {:.0f} ms",
                        rewriting.count(), fusing.count()));
}

}  // namespace muster::graph
