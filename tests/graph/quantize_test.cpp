#include <algorithm>

#include <muster/graph/portable/portable_pack.hpp>
#include <muster/graph/quantize/quantize.hpp>

#include "graph/pattern_cases.hpp"

namespace muster::graph {
namespace {

constexpr std::string_view network = R"(
    input x: f32[N, 3, 8, 8]
    weight w1: f32[8, 3, 3, 3]
    weight b1: f32[8]
    weight w2: f32[40, 5]
    weight b2: f32[5]
    constant flat: i64[2] = [-1, 40]
    constant k: f32[] = [0.1]
    c = Conv(x, w1, b1) {strides = [2, 2]} @ "conv"
    r = Relu(c)
    p = AveragePool(r) {kernel_shape = [2, 1], strides = [2, 1]}
    s = Mul(p, k)
    m = MaxPool(s) {kernel_shape = [1, 3], strides = [1, 1], pads = [0, 1, 0, 1]}
    g = GlobalAveragePool(m)
    f = Flatten(g)
    e = Concat(f, f, f, f, f) {axis = 1}
    y = Gemm(e, w2, b2) @ "gemm"
    output y)";

std::vector<std::vector<Tensor>> samples_of(const Graph& graph, int count) {
    std::vector<std::vector<Tensor>> samples;
    for (int i = 0; i < count; ++i) {
        std::vector<Tensor> inputs;
        for (const ValueId id : graph.inputs()) {
            std::vector<std::int64_t> sizes;
            std::int64_t elements = 1;
            for (const Dimension& size : graph.value(id).type.shape) {
                sizes.push_back(size.is_number() ? size.number() : 2);
                elements *= sizes.back();
            }
            const auto values = random_floats(elements, -1, 3, static_cast<std::uint32_t>(i) * 31 + id.index);
            inputs.push_back(Tensor::of<float>(sizes, std::span<const float>(values)));
        }
        samples.push_back(std::move(inputs));
    }
    return samples;
}

Statistics statistics_of(const Graph& graph, CalibrationOptions options = {}) {
    Calibration calibration(options);
    for (const auto& sample : samples_of(graph, 3)) REQUIRE(calibrate(graph, sample, calibration));
    return calibration.finish();
}

Quantized checked(Result<Quantized> result) {
    if (!result) FAIL(result.error().to_string());
    return *std::move(result);
}

double error_of(const Graph& graph, const Graph& other) {
    double most = 0;
    for (const auto& sample : samples_of(graph, 3)) {
        const auto a = evaluate(graph, sample), b = evaluate(other, sample);
        REQUIRE(a);
        REQUIRE(b);
        for (std::size_t i = 0; i < a->size(); ++i)
            most = std::max(most, relative_difference((*a)[i], (*b)[i]));
    }
    return most;
}

std::size_t count_of(const Graph& graph, Operator op) {
    return static_cast<std::size_t>(
        std::ranges::count_if(graph.nodes(), [&](NodeId id) { return graph.node(id).op == op; }));
}

}  // namespace

TEST_CASE("Calibration keeps the range, the channels' maxima, and cuts off a percentile") {
    Calibration calibration;
    calibration.add("x", Tensor::of<float>({2, 2}, {1, -2, 3, INFINITY}));
    calibration.add("x", Tensor::of<float>({1, 2}, {-5, 0.5f}));
    calibration.add("i", Tensor::of<std::int64_t>({1}, {7}));
    const Statistics statistics = calibration.finish();
    REQUIRE(statistics.size() == 1);
    CHECK(statistics.at("x").least == -5);
    CHECK(statistics.at("x").greatest == 3);
    CHECK(statistics.at("x").channel_maxima == std::vector<float>{5, 2});
    Calibration cut({.percentile = 99});
    std::vector<float> values(10'000, 1.0f);
    values[17] = 1000;
    cut.add("x", Tensor::of<float>({100, 100}, std::span<const float>(values)));
    CHECK(cut.finish().at("x").greatest < 2);
    CHECK(cut.finish().at("x").greatest > 0.5f);
}

TEST_CASE("Products read quantised activations and weights, and the result stays near") {
    const Graph graph = case_graph(network);
    const Quantized result = checked(quantize(graph, statistics_of(graph), portable_pack()));
    CHECK(count_of(result.graph, Operator::quantize_linear) == 2);
    CHECK(count_of(result.graph, Operator::dequantize_linear) == 4);
    CHECK(result.report.used.size() == 2);
    CHECK(result.report.used[0].pattern == "Conv, each channel");
    CHECK(result.report.used[0].nodes[0] == "\"conv\" (Conv)");
    CHECK(result.report.used[1].pattern == "Gemm, each column");
    const double error = error_of(graph, result.graph);
    CHECK(error > 0);
    CHECK(error < 0.02);
    for (const NodeId id : result.graph.nodes()) {
        if (result.graph.node(id).op != Operator::conv) continue;
        const NodeId weight = result.graph.value(result.graph.inputs(id)[1]).producer;
        CHECK(to_string(result.graph.value(result.graph.inputs(weight)[0]).type) == "i8[8, 3, 3, 3]");
        CHECK(to_string(result.graph.value(result.graph.inputs(weight)[1]).type) == "f32[8]");
        CHECK(result.graph.attributes(weight).integer("axis") == 0);
    }
}

TEST_CASE("A product of weights that aren't finite stays one of floats") {
    const Graph graph = case_graph(
        "input x: f32[4, 2]\nconstant v: f32[2, 1] = [1, nan]\ny = MatMul(x, v) @ \"a\"\noutput y");
    const Quantized result = checked(quantize(graph, statistics_of(graph), portable_pack()));
    CHECK(result.report.used.empty());
    REQUIRE(result.report.refused.size() >= 1);
    CHECK(result.report.refused[0].reason == "\"v\" has elements that are infinite or NaN");
}

TEST_CASE("A scale for each channel is more exact than one for the tensor") {
    std::string statements = "input x: f32[4, 16]\nconstant w: f32[16, 2] = [";
    for (int i = 0; i < 16; ++i) statements += fmt::format("{}{}, {}", i ? ", " : "", 100 + i, 0.01 * i);
    const Graph graph = case_graph(
        statements +
        "]\ny = MatMul(x, w)\nconstant p: i64[2] = [1, 1]\na, b = Split(y, p) {axis = 1}\noutput b");
    const Pack whole{.name = "whole",
                     .quantized = {{.name = "MatMul",
                                    .match = {"MatMul(a, W)"},
                                    .values = {{"a", QuantizedValue::Role::activation},
                                               {"W", QuantizedValue::Role::weight}}}}};
    const Statistics statistics = statistics_of(graph);
    const double by_channel = error_of(graph, checked(quantize(graph, statistics, portable_pack())).graph);
    const double by_tensor = error_of(graph, checked(quantize(graph, statistics, whole)).graph);
    CHECK(by_channel < 0.02);
    CHECK(by_tensor > 0.5);
}

TEST_CASE("Values without statistics and weights that aren't constants are told, and stay") {
    const Graph graph = case_graph(
        "input x: f32[4, 4]\ninput w: f32[4, 4]\nweight v: f32[4, 4]\na = MatMul(x, w) @ \"a\"\ny = "
        "MatMul(a, v) @ \"b\"\noutput y");
    Statistics statistics = statistics_of(graph);
    statistics.erase("w");
    const Quantized result = checked(quantize(graph, statistics, portable_pack()));
    CHECK(result.report.used.size() == 1);
    REQUIRE(result.report.refused.size() == 1);
    CHECK(result.report.refused[0].node == "\"a\" (MatMul)");
    CHECK(result.report.refused[0].reason == "there are no statistics of \"w\"");
    const Graph shared = case_graph(
        "input x: f32[4, 4]\nweight v: f32[4, 4]\nr = Relu(x)\na = MatMul(r, v)\nb = Gemm(r, v)\ny = Add(a, "
        "b)\noutput y");
    CHECK(count_of(checked(quantize(shared, statistics_of(shared), portable_pack())).graph,
                   Operator::quantize_linear) == 1);
}

TEST_CASE("Smoothing moves scale from an activation to all its products, and keeps the result") {
    const std::string block = R"(
        input x: f32[2, 4, 8]
        constant scale: f32[8] = [1, 1, 50, 1, 1, 1, 1, 1]
        weight beta: f32[8]
        weight q: f32[8, 8]
        weight k: f32[8, 8]
        n = LayerNormalization(x, scale, beta)
        a = MatMul(n, q) @ "q"
        b = MatMul(n, k) @ "k"
        y = Add(a, b)
        output y)";
    const Graph graph = case_graph(block);
    const Statistics statistics = statistics_of(graph);
    const Quantized result = checked(smooth(graph, statistics, portable_pack()));
    REQUIRE(result.report.used.size() == 1);
    CHECK(result.report.used[0].nodes == std::vector<std::string>{"\"q\" (MatMul)", "\"k\" (MatMul)"});
    CHECK(result.graph.node_count() == 4);
    CHECK(error_of(graph, result.graph) < 1e-5);
    const Statistics after = statistics_of(result.graph);
    CHECK(after.at("n").greatest < statistics.at("n").greatest / 2);
    const double plain = error_of(graph, checked(quantize(graph, statistics, portable_pack())).graph);
    const double smoothed = error_of(graph, checked(quantize(result.graph, after, portable_pack())).graph);
    CHECK(smoothed < plain);

    const Quantized refused =
        checked(smooth(case_graph(block + "\nz = Relu(n)\noutput z"), statistics, portable_pack()));
    CHECK(refused.report.used.empty());
    REQUIRE(refused.report.refused.size() == 1);
    CHECK(refused.report.refused[0].reason == "users of \"n\" are 3, of which 2 are products that match");
    CHECK(checked(smooth(graph, {}, portable_pack())).report.refused[0].reason ==
          "there are no statistics of \"n\"");
}

TEST_CASE("Each smooth and quantized pattern of the portable pack fires and doesn't") {
    struct Case {
        std::string_view pattern, fires, stays;
    };
    const std::string norm =
        "input x: f32[4, 8]\nweight s: f32[8]\nweight w: f32[8, 8]\nn = LayerNormalization(x, s)\n";
    const std::string scaled = "input x: f32[4, 8]\nweight s: f32[8]\nweight w: f32[8, 8]\nn = Mul(s, x)\n";
    const std::string gemm = norm + "y = Gemm(n, w)\noutput y",
                      gemm_t = norm + "y = Gemm(n, w) {transB = 1}\noutput y";
    const std::string matmul = norm + "y = MatMul(n, w)\noutput y",
                      other = norm + "t = Transpose(n)\ny = MatMul(w, t)\noutput y";
    const std::string product = scaled + "y = MatMul(n, w)\noutput y",
                      turned = norm + "t = Transpose(n)\ny = Gemm(t, n)\noutput y";
    const std::string wide =
        "input x: f32[4, 8]\nweight s: f32[4, 1]\nweight w: f32[8, 8]\nn = Mul(s, x)\ny = MatMul(n, "
        "w)\noutput y";
    const Case smooth_cases[]{{"MatMul of LayerNormalization", matmul, other},
                              {"Gemm of LayerNormalization", gemm, gemm_t},
                              {"Gemm of LayerNormalization, W transposed", gemm_t, turned},
                              {"MatMul of Mul by a constant", product, wide}};
    const auto has_name = [](const Quantized& result, std::string_view name) {
        return std::ranges::find(result.report.used, name, &PatternUse::pattern) != result.report.used.end();
    };
    CHECK(std::size(smooth_cases) == portable_pack().smooth.size());
    for (const Case& test : smooth_cases) {
        CAPTURE(test.pattern);
        const Graph graph = case_graph(test.fires), not_graph = case_graph(test.stays);
        const Quantized result = checked(smooth(graph, statistics_of(graph), portable_pack()));
        CHECK(has_name(result, test.pattern));
        CHECK(error_of(graph, result.graph) < 1e-5);
        CHECK(!has_name(checked(smooth(not_graph, statistics_of(not_graph), portable_pack())), test.pattern));
    }
    const Case cases[]{
        {"Conv, each channel", "input x: f32[1, 2, 8]\nweight w: f32[3, 2, 3]\ny = Conv(x, w)\noutput y",
         "input x: f32[1, 2, 8]\ninput w: f32[3, 2, 3]\ny = Conv(x, w)\noutput y"},
        {"ConvTranspose", "input x: f32[1, 2, 8]\nweight w: f32[2, 3, 3]\ny = ConvTranspose(x, w)\noutput y",
         "input x: f32[1, 2, 8]\ninput w: f32[2, 3, 3]\ny = ConvTranspose(x, w)\noutput y"},
        {"Gemm, each column", gemm, gemm_t},
        {"Gemm, each row of the transposed W", gemm_t, gemm},
        {"MatMul, each column", matmul, other},
        {"MatMul of a stack of matrices",
         "input x: f32[2, 4, 8]\nweight w: f32[2, 8, 3]\ny = MatMul(x, w)\noutput y", matmul},
        {"MatMul of activations", "input x: f32[4, 4]\ny = MatMul(x, x)\noutput y", matmul}};
    CHECK(std::size(cases) == portable_pack().quantized.size());
    for (const Case& test : cases) {
        CAPTURE(test.pattern);
        const Graph graph = case_graph(test.fires), not_graph = case_graph(test.stays);
        const Quantized result = checked(quantize(graph, statistics_of(graph), portable_pack()));
        CHECK(has_name(result, test.pattern));
        CHECK(error_of(graph, result.graph) < 0.03);
        CHECK(
            !has_name(checked(quantize(not_graph, statistics_of(not_graph), portable_pack())), test.pattern));
    }
}

}  // namespace muster::graph
