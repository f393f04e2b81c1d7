#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "graph/run/same_bits.hpp"

// Sums over rows of every length and layout on all devices: those that one invocation, a workgroup or several kernels add.
namespace muster::graph {
namespace {

constexpr std::array long_rows{1023, 1024, 1025, 4097, 100000};

void same_bits(std::string_view statements, const std::vector<Tensor>& inputs) {
    constexpr std::array<std::string_view, 4> backends{"cpu", "vulkan", "opencl", "reference"};
    same_bits_on(backends, statements, inputs);
}
void same_bits(std::string_view statements) { same_bits(statements, seeded_inputs(graph_of(statements))); }

/// The results of the rows x along an axis.
std::string of_rows(int axis) {
    return fmt::format(
        "constant a: i64[1] = [{0}]\ns = ReduceSum(x, a)\nm = ReduceMean(x, a)\nl = ReduceL2(x, a)\n"
        "g = ReduceMax(x, a)\nk = ReduceMin(x, a)\nf = ArgMax(x) {{axis = {0}}}\n"
        "t = ArgMax(x) {{axis = {0}, select_last_index = 1, keepdims = 0}}\np = Softmax(x) {{axis = {0}}}\n"
        "output s\noutput m\noutput l\noutput g\noutput k\noutput f\noutput t\noutput p\n",
        axis);
}

}  // namespace

TEST_CASE("Long rows have the evaluator's bits, one or some") {
    for (const int length : long_rows) {
        same_bits(fmt::format("input x: f32[1, {}]\n", length) + of_rows(1));
    }
    same_bits("input x: f32[3, 4100]\n" + of_rows(1));
    same_bits("input x: f32[70, 4097]\n" + of_rows(1));
}

TEST_CASE("Rows whose elements lie apart have the evaluator's bits") {
    for (const int length : {65, 4097}) {
        same_bits(fmt::format("input x: f32[{}, 7]\n", length) + of_rows(0));
    }
    same_bits("input x: f32[100, 2100]\n" + of_rows(0));
    same_bits(
        "input x: f32[30, 5, 50]\nconstant a: i64[2] = [0, 2]\ny = ReduceSum(x, a)\nz = ReduceMean(x, a) "
        "{keepdims = "
        "0}\noutput y\noutput z");
}

TEST_CASE("Rows of all short lengths have the evaluator's bits") {
    for (const int length : {1, 17, 33, 63, 65})
        same_bits(fmt::format("input x: f32[9, {}]\n", length) + of_rows(1));
}

TEST_CASE("Rows of f16 and of integers have the evaluator's bits") {
    same_bits("input x: f16[2, 5000]\n" + of_rows(1));
    for (const std::string_view type : {"i32", "i64"})
        same_bits(fmt::format("input x: {}[2, 5000]\n", type) +
                  "constant a: i64[1] = [1]\ns = ReduceSum(x, a)\ng = ReduceMax(x, a)\nk = ReduceMin(x, a)\n"
                  "f = ArgMax(x) {axis = 1}\noutput s\noutput g\noutput k\noutput f");
}

TEST_CASE("Normalisations of long rows have the evaluator's bits") {
    for (const int length : long_rows) {
        const std::string statements = fmt::format(
            "input x: f32[2, {0}]\ninput s: f32[{0}]\ninput b: f32[{0}]\ny, m, d = LayerNormalization(x, s, "
            "b)\n"
            "z = LayerNormalization(x, s)\nr = Relu(z)\noutput y\noutput m\noutput d\noutput r",
            length);
        same_bits(statements);
    }
    same_bits("input x: f32[70, 768]\ninput s: f32[768]\ny = LayerNormalization(x, s)\noutput y");
    same_bits(
        "input x: f32[2, 3, 65, 70]\ninput s: f32[3]\ny = InstanceNormalization(x, s, s)\ng = "
        "GlobalAveragePool(x)\n"
        "output y\noutput g");
    same_bits(
        "input x: f32[2, 3, 20, 5]\ninput s: f32[20, 5]\n"
        "y, m = LayerNormalization(x, s) {axis = 2}\noutput y\noutput m");
    // The rows are of a convolution's output, whose channels lie innermost.
    same_bits(
        "input x: f32[1, 3, 40, 41]\ninput w: f32[9, 3, 1, 1]\ninput s: f32[9]\nc = Conv(x, w)\n"
        "y = InstanceNormalization(c, s, s)\ng = GlobalAveragePool(c)\nd = Softmax(c) {axis = 2}\n"
        "output y\noutput g\noutput d");
    same_bits(
        "input x: f32[1, 3, 7, 7]\ninput w: f32[40, 3, 1, 1]\nc = Conv(x, w)\nh = Relu(c)\n"
        "g = GlobalAveragePool(h)\noutput g");
}

TEST_CASE("Cumulative sums and dynamic quantisation of long rows have the evaluator's bits") {
    for (const int length : {257, 100000}) {
        same_bits(
            fmt::format("input x: f32[1, {}]\nconstant a: i64[] = [1]\ny = CumSum(x, a)\nz = CumSum(x, a) "
                        "{{exclusive = 1, "
                        "reverse = 1}}\nq, qs, qz = DynamicQuantizeLinear(x)\noutput y\noutput z\noutput "
                        "q\noutput qs\noutput qz",
                        length));
    }
    same_bits(
        "input x: f32[600, 3]\ninput i: i32[2, 600]\nconstant a: i64[] = [0]\nconstant b: i64[] = [1]\n"
        "y = CumSum(x, a)\nz = CumSum(i, b) {exclusive = 1}\noutput y\noutput z");
}

TEST_CASE("Products of several blocks have the evaluator's bits") {
    same_bits(
        "input a: f32[5, 2500]\ninput b: f32[2500, 40]\ninput c: f16[2, 3, 1100]\ninput d: f16[1100, 9]\n"
        "y = MatMul(a, b)\nz = MatMul(c, d)\noutput y\noutput z");
    same_bits(
        "input a: f32[1100, 3]\ninput b: f32[5, 1100]\ninput c: f32[5]\n" + weights("w", {1100, 7}) +
        "y = Gemm(a, b, c) {transA = 1, transB = 1, alpha = 0.5, beta = 2}\nz = Gemm(a, w) {transA = 1}\n"
        "output y\noutput z");
    same_bits(
        "input a: f32[30, 40]\ninput b: f32[30, 40]\ninput c: f32[3, 1100]\ny = Einsum(a, b) {equation = "
        "\"ij,ij\"}\nz = Einsum(c, c) {equation = \"ik,jk->ij\"}\noutput y\noutput z");
    same_bits(
        "input x: f32[2, 1, 1100]\ninput w: f32[1, 8, 1100]\ninput r: f32[1, 8, 2]\n"
        "y, h = LSTM(x, w, r) {hidden_size = 2}\noutput y\noutput h");
}

TEST_CASE("Convolutions of several blocks have the evaluator's bits") {
    // Blocks of a row of the window each, of a tap each, of parts of a tap, and of few channels, which are then no runs.
    same_bits(
        "input x: f32[1, 120, 5, 6]\ninput v: f32[33, 120, 3, 3]\n" + weights("w", {9, 120, 3, 3}) +
        "y = Conv(x, v) {pads = [1, 1, 1, 1]}\nz = Conv(x, w) {pads = [0, 1, 2, 0]}\noutput y\noutput z");
    same_bits("input x: f32[1, 1100, 2, 3]\ninput v: f32[4, 550, 1, 2]\n" + weights("w", {9, 1100, 1, 1}) +
              "y = Conv(x, v) {group = 2}\nz = Conv(x, w)\noutput y\noutput z");
    same_bits("input x: f32[1, 400, 4, 3]\ninput v: f32[400, 2, 3, 3]\n" + weights("w", {3, 400, 3, 3}) +
              "y = ConvTranspose(x, v)\nz = Conv(x, w) {pads = [1, 1, 1, 1]}\noutput y\noutput z");
    same_bits("input x: f32[1, 3, 22, 21]\n" + weights("w", {5, 3, 20, 18}) + weights("b", {5}) +
              "y = Conv(x, w, b)\noutput y");
    same_bits(
        "input x: f32[1, 120, 3, 4]\ninput v: f32[120, 2, 3, 3]\ninput u: f32[1, 1100, 2, 2]\ninput w: "
        "f32[1100, "
        "3, 2, 1]\n"
        "y = ConvTranspose(x, v) {strides = [2, 1]}\nz = ConvTranspose(u, w)\noutput y\noutput z");
}

TEST_CASE("Attention over several blocks of keys has the evaluator's bits") {
    const std::string heads =
        "input q: f32[1, 4, 5, 8]\ninput k: f32[1, 2, 200, 8]\ninput v: f32[1, 2, 200, 70]\n";
    same_bits(heads + "y = Attention(q, k, v)\noutput y");
    same_bits(
        heads +
        "input m: bool[5, 200]\ny, _, _, s = Attention(q, k, v, m) {qk_matmul_output_mode = 3, softcap = "
        "2}\noutput y\noutput s");
    same_bits(
        "input q: f16[2, 2, 1, 16]\ninput k: f16[2, 2, 30, 16]\ninput v: f16[2, 2, 30, 4]\n"
        "input pk: f16[2, 2, 250, 16]\ninput pv: f16[2, 2, 250, 4]\n"
        "y, nk, nv, s = Attention(q, k, v, _, pk, pv) {is_causal = 1, qk_matmul_output_mode = 2}\n"
        "output y\noutput nk\noutput nv\noutput s");
    same_bits(
        "input q: f32[2, 6, 12]\ninput k: f32[2, 64, 6]\ninput v: f32[2, 64, 8]\n"
        "y, _, _, s = Attention(q, k, v) {q_num_heads = 4, kv_num_heads = 2, qk_matmul_output_mode = 3, "
        "left_window_size "
        "= 3}\noutput y\noutput s");
}

TEST_CASE("Rows that attend nothing, and NaN, have the evaluator's results in attention") {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                    inf = std::numeric_limits<float>::infinity();
    const std::string statements =
        "input q: f32[1, 1, 6, 2]\ninput k: f32[1, 1, 150, 2]\ninput v: f32[1, 1, 150, 3]\ninput m: f32[6, "
        "150]\n"
        "y, _, _, s = Attention(q, k, v, m) {qk_matmul_output_mode = 3}\noutput y\noutput s";
    std::vector<Tensor> inputs = seeded_inputs(graph_of(statements));
    std::vector<float> q(12, 1), m(6 * 150), v = floats(inputs[2]);
    for (std::size_t i = 0; i < 150; ++i) {
        m[i] = -inf;                        // the first query attends nothing
        m[150 + i] = i < 128 ? -inf : 0;    // the second one only keys of the last block
        m[2 * 150 + i] = i == 70 ? 90 : 0;  // of the third one's weights all others are 0
        m[3 * 150 + i] =
            i == 100 ? nan : -static_cast<float>(i);  // NaN and infinities make NaN, where they are attended
        m[4 * 150 + i] = i == 149 ? inf : 1;
        m[5 * 150 + i] = i < 64 ? 0 : -inf;
    }
    v[3 * 100] = nan, v[3 * 149 + 1] = inf;
    inputs[0] = Tensor::of<float>({1, 1, 6, 2}, std::span<const float>(q));
    inputs[2] = Tensor::of<float>({1, 1, 150, 3}, std::span<const float>(v));
    inputs[3] = Tensor::of<float>({6, 150}, std::span<const float>(m));
    same_bits(statements, inputs);
    const auto y = floats(evaluate(graph_of(statements), inputs)->front());
    CHECK(std::ranges::equal(std::span(y).first(3), std::array{0.0f, 0.0f, 0.0f}));
    CHECK(std::isnan(y[9]));
    CHECK(!std::isnan(y[6]));
}

TEST_CASE("NaN, infinities and equal elements in long rows have the evaluator's results") {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                    inf = std::numeric_limits<float>::infinity();
    for (const int length : {100, 5000}) {
        std::vector<float> x(static_cast<std::size_t>(length) * 6, -1.5f);
        const auto at = [&](std::size_t row, std::size_t i) -> float& {
            return x[row * static_cast<std::size_t>(length) + i];
        };
        at(0, 70) = at(0, 40) = nan;
        at(1, 99) = at(1, 3) = inf;
        at(2, 50) = -inf;
        for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) at(3, i) = -inf, at(4, i) = -0.0f;
        at(5, 65) = at(5, 33) = at(5, 34) = 7;
        same_bits(fmt::format("input x: f32[6, {}]\n", length) + of_rows(1),
                  {Tensor::of<float>({6, length}, std::span<const float>(x))});
    }
}

}  // namespace muster::graph
