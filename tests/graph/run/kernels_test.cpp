#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <doctest/doctest.h>

#include "graph/run/same_bits.hpp"

// ONNX's own tests run each operator on small tensors (graph_node_cases); these have what these lack: sizes that don't fit tiles,
// layouts, groups, and every element type that an operator has kernels for. The evaluator says what is right.
namespace muster::graph {

TEST_CASE("Convolutions of few channels, whose window's rows are read as runs, have the evaluator's bits") {
    same_bits_everywhere(
        "input x: f32[2, 3, 9, 11]\n" + weights("w", {5, 3, 3, 4}) + weights("b", {5}) +
        "y = Conv(x, w, b) {pads = [1, 2, 0, 1], strides = [2, 1], dilations = [2, 1]}\noutput y");
    same_bits_everywhere("input x: f16[1, 1, 12]\n" + weights("w", {4, 1, 5}, "f16") +
                         "y = Conv(x, w) {pads = [0, 3], strides = [3]}\noutput y");
    same_bits_everywhere("input x: f32[1, 2, 4, 5, 6]\n" + weights("w", {3, 2, 2, 2, 2}) +
                         "c = Conv(x, w)\nr = Relu(c)\n" + weights("v", {2, 3, 1, 2, 3}) +
                         "y = Conv(r, v) {pads = [0, 1, 1, 0, 0, 2]}\noutput y");
}

TEST_CASE("Convolutions of sizes that don't fit tiles have the evaluator's bits") {
    same_bits_everywhere(
        "input x: f32[2, 5, 9, 7]\ninput w: f32[37, 5, 3, 2]\ninput b: f32[37]\n"
        "y = Conv(x, w, b) {pads = [1, 0, 2, 1], strides = [2, 1]}\noutput y");
    same_bits_everywhere(
        "input x: f32[1, 3, 8, 8]\nconstant w: f32[2, 3, 1, 1] = [1, 2, 3, 4, 5, 6]\ny = Conv(x, w)\noutput "
        "y");
    same_bits_everywhere(
        "input x: f32[1, 4, 6]\ninput w: f32[3, 4, 3]\ny = Conv(x, w) {dilations = [2], pads = [2, "
        "2]}\noutput y");
    same_bits_everywhere(
        "input x: f32[1, 2, 4, 5, 3]\ninput w: f32[9, 2, 2, 3, 2]\ny = Conv(x, w) {auto_pad = "
        "\"SAME_UPPER\"}\noutput y");
}

TEST_CASE("Groups and depthwise convolutions have the evaluator's bits") {
    same_bits_everywhere(
        "input x: f32[1, 12, 5, 5]\ninput w: f32[18, 4, 3, 3]\ny = Conv(x, w) {group = 3, pads = [1, 1, 1, "
        "1]}\noutput y");
    same_bits_everywhere(
        "input x: f32[2, 40, 6, 5]\ninput w: f32[40, 1, 3, 3]\ninput b: f32[40]\n"
        "y = Conv(x, w, b) {group = 40, pads = [1, 1, 1, 1]}\noutput y");
    same_bits_everywhere(
        "input x: f32[1, 4, 6, 5]\ninput w: f32[8, 1, 3, 3]\ny = Conv(x, w) {group = 4}\noutput y");
}

TEST_CASE("A chain of convolutions reads and writes channels innermost, and the padding's zeros") {
    same_bits_everywhere(
        "input x: f32[1, 3, 11, 13]\ninput w: f32[8, 3, 3, 3]\ninput v: f32[35, 8, 3, 3]\ninput u: f32[4, "
        "35, 5, 5]\n"
        "a = Conv(x, w) {pads = [1, 1, 1, 1]}\nb = Relu(a)\nc = Conv(b, v) {pads = [1, 1, 1, 1], strides = "
        "[2, 2]}\n"
        "y = Conv(c, u) {pads = [2, 2, 2, 2]}\noutput y");
}

TEST_CASE("What follows a convolution is computed in its kernel") {
    same_bits_everywhere(
        "input x: f32[1, 6, 5, 5]\ninput w: f32[6, 6, 3, 3]\ninput s: f32[6, 1, 1]\n"
        "c = Conv(x, w) {pads = [1, 1, 1, 1]}\nd = Mul(c, s)\ne = Add(d, x)\nz = Sigmoid(e)\ny = Mul(e, "
        "z)\noutput y");
}

TEST_CASE("Concat's inputs are written where the output has them") {
    same_bits_everywhere(
        "input x: f32[1, 4, 5, 5]\ninput w: f32[3, 4, 1, 1]\ninput v: f32[5, 4, 3, 3]\n"
        "a = Conv(x, w)\nb = Conv(x, v) {pads = [1, 1, 1, 1]}\nc = Concat(a, b, a) {axis = 1}\nd = Concat(c, "
        "x) {axis = 1}\n"
        "y = MaxPool(d) {kernel_shape = [2, 2]}\noutput y");
    same_bits_everywhere(
        "input x: f32[2, 3]\na = Neg(x)\nb = Identity(a)\ny = Concat(a, b, x) {axis = 0}\noutput y");
}

TEST_CASE("Products of all forms have the evaluator's bits") {
    same_bits_everywhere("input a: f32[7, 33]\ninput b: f32[33, 41]\ny = MatMul(a, b)\noutput y");
    same_bits_everywhere("input a: f32[2, 1, 5, 6]\ninput b: f32[3, 6, 4]\ny = MatMul(a, b)\noutput y");
    same_bits_everywhere("input a: f32[6]\ninput b: f32[2, 6, 4]\ny = MatMul(a, b)\noutput y");
    same_bits_everywhere("input a: f32[3, 6]\ninput b: f32[6]\ny = MatMul(a, b)\noutput y");
    same_bits_everywhere("input a: i32[3, 6]\ninput b: i32[6, 4]\ny = MatMul(a, b)\noutput y");
    same_bits_everywhere(
        "input a: f32[6, 3]\ninput b: f32[5, 6]\ninput c: f32[5]\n"
        "y = Gemm(a, b, c) {transA = 1, transB = 1, alpha = 0.5, beta = 2}\noutput y");
    same_bits_everywhere(
        "input a: f32[1, 9]\nconstant b: f32[9, 2] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, "
        "17, 18]\n"
        "g = Gemm(a, b)\ny = Tanh(g)\noutput y");
}

TEST_CASE("Einsum of any labels has the evaluator's bits") {
    same_bits_everywhere(
        "input a: f32[2, 3, 4]\ninput b: f32[2, 4, 5]\ny = Einsum(a, b) {equation = "
        "\"bij,bjk->bik\"}\noutput y");
    same_bits_everywhere("input a: f32[4, 4]\ny = Einsum(a) {equation = \"ii->i\"}\noutput y");
    same_bits_everywhere(
        "input a: f32[3, 4]\ninput b: f32[3, 4]\ny = Einsum(a, b) {equation = \"ij,ij\"}\noutput y");
}

TEST_CASE("Recurrent operators have the evaluator's bits") {
    const std::string lstm =
        "input x: f32[3, 2, 4]\ninput w: f32[1, 12, 4]\ninput r: f32[1, 12, 3]\ninput b: f32[1, 24]\n";
    same_bits_everywhere(lstm + "y, h, c = LSTM(x, w, r, b) {hidden_size = 3}\noutput y\noutput h\noutput c");
    same_bits_everywhere(lstm +
                         "constant n: i32[2] = [2, 3]\ny, h = LSTM(x, w, r, _, n) {hidden_size = 3, "
                         "direction = \"reverse\", clip = 0.5}\n"
                         "output y\noutput h");
    const std::string gru =
        "input x: f32[3, 2, 4]\ninput w: f32[2, 9, 4]\ninput r: f32[2, 9, 3]\ninput b: f32[2, 18]\ninput h0: "
        "f32[2, 2, 3]\n";
    same_bits_everywhere(
        gru +
        "y, h = GRU(x, w, r, b, _, h0) {hidden_size = 3, direction = \"bidirectional\"}\noutput y\noutput h");
    same_bits_everywhere(gru +
                         "y = GRU(x, w, r, b) {hidden_size = 3, direction = \"bidirectional\", "
                         "linear_before_reset = 1}\noutput y");
}

TEST_CASE("Attention has the evaluator's bits") {
    const std::string heads =
        "input q: f32[2, 4, 5, 8]\ninput k: f32[2, 2, 6, 8]\ninput v: f32[2, 2, 6, 3]\n";
    same_bits_everywhere(heads + "y = Attention(q, k, v)\noutput y");
    same_bits_everywhere(
        heads + "input m: f32[5, 6]\ny = Attention(q, k, v, m) {softcap = 2, scale = 0.3}\noutput y");
    same_bits_everywhere(
        heads +
        "input pk: f32[2, 2, 3, 8]\ninput pv: f32[2, 2, 3, 3]\n"
        "y, nk, nv, s = Attention(q, k, v, _, pk, pv) {is_causal = 1, qk_matmul_output_mode = 3}\n"
        "output y\noutput nk\noutput nv\noutput s");
    same_bits_everywhere(
        "input q: f32[2, 5, 12]\ninput k: f32[2, 7, 6]\ninput v: f32[2, 7, 8]\n"
        "y = Attention(q, k, v) {q_num_heads = 4, kv_num_heads = 2}\noutput y");
}

TEST_CASE("Quantised operators of u8 and i8 have the evaluator's bits") {
    same_bits_everywhere(
        "input x: f32[3, 40]\nconstant s: f32[] = [0.01]\nconstant z: i8[] = [3]\n"
        "q = QuantizeLinear(x, s, z)\ny = DequantizeLinear(q, s, z)\noutput y\noutput q");
    same_bits_everywhere(
        "input x: f32[2, 3, 4]\nconstant s: f32[3] = [0.01, 0.02, 0.05]\nq = QuantizeLinear(x, s) {axis = "
        "1}\noutput q");
    same_bits_everywhere(
        "input x: u8[1, 3, 5, 5]\ninput w: i8[4, 3, 3, 3]\nconstant xs: f32[] = [0.1]\nconstant xz: u8[] = "
        "[2]\n"
        "constant ws: f32[4] = [0.1, 0.2, 0.3, 0.4]\nconstant wz: i8[4] = [0, 1, 0, -1]\nconstant ys: f32[] "
        "= [0.5]\n"
        "constant yz: u8[] = [100]\nconstant b: i32[4] = [1, -2, 3, 4]\n"
        "y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz, b) {pads = [1, 1, 1, 1]}\noutput y");
    same_bits_everywhere(
        "input a: u8[3, 7]\ninput b: i8[7, 4]\ninput az: u8[3]\nconstant bz: i8[4] = [0, 1, 2, -1]\n"
        "y = MatMulInteger(a, b, az, bz)\noutput y");
    same_bits_everywhere(
        "input x: f32[4, 9]\ny, s, z = DynamicQuantizeLinear(x)\noutput y\noutput s\noutput z");
}

TEST_CASE("Products of four bytes at a time have the evaluator's bits") {
    const std::string scales =
        "constant xs: f32[] = [0.1]\nconstant xz: u8[] = [3]\nconstant ys: f32[] = [0.5]\nconstant yz: u8[] "
        "= [100]\n";
    same_bits_everywhere(
        scales +
        "input x: u8[2, 6, 5, 5]\nconstant w: i8[2, 6, 1, 1] = [1, -2, 3, -4, 5, 127, -128, 7, 8, 9, -10, "
        "11]\n"
        "constant ws: f32[2] = [0.1, 0.2]\nconstant wz: i8[2] = [0, 0]\nconstant b: i32[2] = [100, -200]\n"
        "y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz, b) {pads = [1, 0, 0, 1]}\noutput y");
}

TEST_CASE("Products of dequantised numbers have the same bits everywhere, near the evaluator's") {
    const std::string x =
        "constant xs: f32[] = [0.1]\nconstant xz: u8[] = [3]\ninput x: u8[2, 5, 4, 4]\ndx = "
        "DequantizeLinear(x, xs, xz)\n";
    const std::string w =
        "constant ws: f32[2] = [0.1, 0.2]\nconstant w: i8[2, 5, 1, 1] = [1, -2, 3, -4, 5, 127, -128, 7, 8, "
        "9]\n"
        "dw = DequantizeLinear(w, ws) {axis = 0}\nconstant b: f32[2] = [0.5, -1]\n";
    same_bits_everywhere(x + w + "c = Conv(dx, dw, b) {pads = [1, 1, 1, 1]}\ny = Relu(c)\noutput y", 1e-6);
    same_bits_everywhere(
        "constant xs: f32[] = [0.1]\ninput x: i8[3, 6]\ndx = DequantizeLinear(x, xs)\nconstant ws: f32[] = "
        "[0.5]\n"
        "constant w: i8[6, 2] = [1, -2, 3, -4, 5, 127, -128, 7, 8, 9, 10, 11]\ndw = DequantizeLinear(w, ws)\n"
        "y = MatMul(dx, dw)\noutput y",
        1e-6);
    // Weights that are no bytes once their zero point is taken, and depthwise ones.
    same_bits_everywhere(
        "constant xs: f32[] = [0.1]\ninput x: i8[3, 6]\ndx = DequantizeLinear(x, xs)\nconstant ws: f32[2] = "
        "[0.5, 0.25]\n"
        "constant wz: u8[2] = [1, 200]\nconstant w: u8[2, 6] = [1, 255, 3, 4, 5, 127, 128, 7, 8, 9, 10, 11]\n"
        "dw = DequantizeLinear(w, ws, wz) {axis = 0}\ny = Gemm(dx, dw) {transB = 1}\noutput y",
        1e-6);
    same_bits_everywhere(
        x + "constant ws: f32[] = [0.1]\nconstant w: i8[5, 1, 2, 1] = [1, -2, 3, -4, 5, 127, -128, 7, 8, 9]\n"
            "dw = DequantizeLinear(w, ws)\ny = Conv(dx, dw) {group = 5, pads = [1, 0, 0, 0]}\noutput y",
        1e-6);
}

TEST_CASE("Integers of few bits wrap, and those of 64 are narrowed") {
    same_bits_everywhere("input a: u8[9]\ninput b: u8[9]\ny = Sub(a, b)\nz = Mul(y, y)\noutput y\noutput z");
    same_bits_everywhere("input a: i8[9]\ny = Mul(a, a)\nz = Mul(y, y)\nu = Mul(z, z)\noutput u");
    same_bits_everywhere(
        "input a: i64[9]\ninput b: i64[9]\ny = Add(a, b)\nz = Greater(a, b)\nw = Where(z, a, y)\noutput w");
}

TEST_CASE("Elements of f16 are rounded after each operator") {
    same_bits_everywhere(
        "input a: f16[40]\ninput b: f16[40]\nc = Mul(a, b)\nd = Add(c, a)\ny = Exp(d)\noutput y");
    same_bits_everywhere("input x: f16[1, 3, 6, 6]\ninput w: f16[5, 3, 3, 3]\ny = Conv(x, w)\noutput y");
}

TEST_CASE("Views of views, and what no view can say, have the evaluator's bits") {
    same_bits_everywhere(
        "input x: f32[2, 3, 4]\na = Transpose(x) {perm = [2, 0, 1]}\nconstant s: i64[2] = [8, 3]\nb = "
        "Reshape(a, s)\n"
        "y = Exp(b)\noutput y");
    same_bits_everywhere(
        "input x: f32[2, 3, 4]\na = Transpose(x) {perm = [1, 0, 2]}\nconstant s: i64[2] = [3, 8]\nb = "
        "Reshape(a, s)\n"
        "y = Exp(b)\noutput y");
    same_bits_everywhere(
        "input x: f32[4, 5]\nconstant b: i64[2] = [3, 4]\nconstant e: i64[2] = [-9, -9]\nconstant a: i64[2] "
        "= [0, 1]\n"
        "constant s: i64[2] = [-1, -2]\nz = Slice(x, b, e, a, s)\ny = Abs(z)\noutput y");
    same_bits_everywhere(
        "input x: f32[3, 1]\nconstant s: i64[2] = [3, 4]\na = Expand(x, s)\nconstant t: i64[1] = [12]\nb = "
        "Reshape(a, t)\n"
        "y = Neg(b)\noutput y\noutput a");
    same_bits_everywhere(
        "input x: f32[1, 6, 2, 2]\na, b = Split(x) {axis = 1, num_outputs = 2}\nc = Mul(a, b)\noutput "
        "c\noutput b");
}

TEST_CASE("Reductions, normalisations and searches of a convolution's output read its layout") {
    const std::string conv =
        "input x: f32[2, 3, 6, 5]\ninput w: f32[7, 3, 3, 3]\nc = Conv(x, w) {pads = [1, 1, 1, 1]}\n";
    same_bits_everywhere(conv + "constant a: i64[2] = [2, 3]\ny = ReduceMean(c, a)\noutput y");
    same_bits_everywhere(conv + "y = Softmax(c) {axis = 1}\noutput y");
    same_bits_everywhere(conv + "y = ArgMax(c) {axis = 1}\noutput y");
    same_bits_everywhere(conv + "y = LRN(c) {size = 3, alpha = 0.1}\noutput y");
    same_bits_everywhere(
        conv + "constant s: f32[7] = [1, 2, 3, 4, 5, 6, 7]\ny = InstanceNormalization(c, s, s)\noutput y");
    same_bits_everywhere(conv + "constant k: i64[1] = [3]\nv, i = TopK(c, k) {axis = 2}\noutput v\noutput i");
    same_bits_everywhere(conv +
                         "y, i = MaxPool(c) {kernel_shape = [3, 2], strides = [2, 2], pads = [1, 0, 1, "
                         "1]}\noutput y\noutput i");
    same_bits_everywhere(
        conv + "constant s: f32[4] = [1, 1, 2, 1.5]\ny = Resize(c, _, s) {mode = \"linear\"}\noutput y");
    same_bits_everywhere(
        conv + "constant i: i64[2] = [0, -1]\ny = Gather(c, i) {axis = 1}\nf = Flatten(y)\noutput f");
}

TEST_CASE("Tensors without elements run no kernels") {
    same_bits_everywhere("input x: f32[0, 3]\ny = Exp(x)\nz = Concat(x, y) {axis = 0}\noutput z");
    same_bits_everywhere("input x: f32[0, 3]\ninput w: f32[3, 2]\ny = MatMul(x, w)\noutput y");
    same_bits_everywhere("input x: f32[3, 0]\ninput w: f32[0, 2]\ny = MatMul(x, w)\noutput y");
}

namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();

bool same_numbers(const std::vector<float>& got, const std::vector<float>& wanted, float bound) {
    return std::ranges::equal(got, wanted, [&](float a, float b) {
        if (a != a || b != b) return a != a && b != b;
        return a == b || std::fabs(a - b) <= bound * std::fabs(b);
    });
}
/// Zeros have signs here, and any NaN is any other.
bool same_bits(const std::vector<float>& got, const std::vector<float>& wanted) {
    return std::ranges::equal(got, wanted, [](float a, float b) {
        return (a != a && b != b) || std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    });
}
std::vector<float> numbers(const Tensor& tensor) {
    if (is_float(tensor.element())) return floats(tensor);
    const auto values = integers(tensor);
    return {values.begin(), values.end()};
}

/// The graph's first output in the evaluator and on every backend here, exact and fast, which may round otherwise.
void gives_everywhere(const std::string& statements, const std::vector<Tensor>& inputs,
                      const std::vector<float>& wanted) {
    CAPTURE(statements);
    const Graph graph = graph_of(statements);
    const auto evaluated = evaluate(graph, inputs);
    if (!evaluated) FAIL(evaluated.error().to_string());
    CHECK_MESSAGE(same_numbers(numbers(evaluated->front()), wanted, 1e-6f),
                  fmt::format("{}", fmt::join(numbers(evaluated->front()), ", ")));
    for (const std::string_view backend : std::array{"cpu", "vulkan", "reference"}) {
        CAPTURE(backend);
        for (const Precision precision : {Precision::exact, Precision::fast}) {
            const bool is_fast = precision == Precision::fast;
            CAPTURE(is_fast);
            Model model =
                *Model::open(session_on(backend, "portable"), graph, {.compile = {.precision = precision}});
            const auto got = model.run(inputs);
            if (!got) {
                CHECK_MESSAGE((got.error().code == ErrorCode::refused && backend != "cpu"),
                              got.error().to_string());
                continue;
            }
            if (!is_fast) CHECK(same_bits(numbers(got->front()), numbers(evaluated->front())));
            CHECK_MESSAGE(same_numbers(numbers(got->front()), wanted, 1e-4f),
                          fmt::format("{}", fmt::join(numbers(got->front()), ", ")));
        }
    }
}
Tensor vector_of(std::initializer_list<float> values) {
    return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

// Where ONNX's reference and ONNX Runtime agree, the values are theirs; else the reference's. For MaxPool and DynamicQuantizeLinear a
// NaN is no number; for everything else that chooses, it wins.
TEST_CASE("A NaN isn't lost, in exact mode and in fast mode") {
    const Tensor a = vector_of({0, nan, 3, 1, nan}), b = vector_of({nan, 1, 1, 2, nan}),
                 c = vector_of({5, 5, nan, -1, 4});
    const std::string three = "input a: f32[5]\ninput b: f32[5]\ninput c: f32[5]\n";
    gives_everywhere(three + "y = Max(a, b, c)\noutput y", {a, b, c}, {nan, nan, nan, 2, nan});
    gives_everywhere(three + "y = Min(a, b, c)\noutput y", {a, b, c}, {nan, nan, nan, -1, nan});
    const Tensor rows = Tensor::of<float>({4, 4}, {1, nan, 2, 3, nan, 1, 2, 3, 1, 2, nan, 0, 1, 3, 2, -3});
    const std::string of_rows = "input x: f32[4, 4]\nconstant a: i64[1] = [1]\n";
    gives_everywhere(of_rows + "y = ReduceMax(x, a)\noutput y", {rows}, {nan, nan, nan, 3});
    gives_everywhere(of_rows + "y = ReduceMin(x, a)\noutput y", {rows}, {nan, nan, nan, -3});
    gives_everywhere("input x: f32[4, 4]\ny = ArgMax(x) {axis = 1}\noutput y", {rows}, {1, 0, 2, 1});
    gives_everywhere("input x: f32[4, 4]\nconstant k: i64[1] = [2]\nv, y = TopK(x, k)\noutput y", {rows},
                     {1, 3, 0, 3, 2, 1, 1, 2});
    gives_everywhere("input x: f32[4, 4]\ny = Softmax(x)\nz = Mul(y, y)\noutput z",
                     {Tensor::of<float>(
                         {4, 4}, {1, nan, 2, 3, inf, 1, 2, 3, -inf, -inf, -inf, -inf, -inf, 1, -inf, -inf})},
                     {nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, 0, 1, 0, 0});
    const Tensor all = Tensor::of<float>({1, 5}, {nan, nan, 1, 2, nan});
    gives_everywhere("input x: f32[1, 5]\ny = ArgMax(x) {axis = 1, select_last_index = 1}\noutput y", {all},
                     {4});
    gives_everywhere("input x: f32[1, 5]\ny = ArgMax(x) {axis = 1}\noutput y", {all}, {0});
    const std::string scatter =
        "input x: f32[3]\nconstant i: i64[4, 1] = [0, 1, 1, 2]\ninput u: f32[4]\ny = ScatterND(x, i, u) "
        "{reduction = ";
    gives_everywhere(scatter + "\"max\"}\noutput y", {vector_of({1, 2, nan}), vector_of({nan, nan, 3, 4})},
                     {nan, nan, nan});
    gives_everywhere(scatter + "\"min\"}\noutput y", {vector_of({1, 2, 3}), vector_of({nan, 1, 0, 4})},
                     {nan, 0, 3});
}

TEST_CASE("A pool's largest is a NaN only if all are") {
    const Tensor x =
        Tensor::of<float>({1, 4, 4}, {1, nan, 2, 3, nan, 1, 2, 0, nan, nan, nan, nan, 5, 2, nan, -inf});
    const std::string input = "input x: f32[1, 4, 4]\n";
    gives_everywhere(input + "y = MaxPool(x) {kernel_shape = [4]}\noutput y", {x}, {3, 2, nan, 5});
    gives_everywhere(input + "v, y = MaxPool(x) {kernel_shape = [4]}\noutput y\noutput v", {x},
                     {3, 6, 8, 12});
    gives_everywhere(input + "v, i = MaxPool(x) {kernel_shape = [4]}\ny = Neg(v)\noutput y\noutput i", {x},
                     {-3, -2, nan, -5});
    gives_everywhere(input + "y = MaxPool(x) {kernel_shape = [3], strides = [2], pads = [2, 2]}\noutput y",
                     {x}, {1, 2, 3, nan, 2, 2, nan, nan, nan, 5, 5, -inf});
    gives_everywhere(input + "y = GlobalMaxPool(x)\noutput y", {x}, {3, 2, nan, 5});
}

TEST_CASE("Functions of one float have ONNX's values of NaN, zeros and infinities") {
    const Tensor x = vector_of({nan, 1, -1, 0, -0.0f, inf, -inf});
    const auto gives = [&](const std::string& call, const std::vector<float>& wanted) {
        gives_everywhere("input x: f32[7]\ny = " + call + "\noutput y", {x}, wanted);
    };
    gives("Relu(x)", {nan, 1, 0, 0, 0, inf, 0});
    gives("LeakyRelu(x)", {nan, 1, -0.01f, 0, 0, inf, -inf});
    gives("HardSigmoid(x)", {nan, 0.7f, 0.3f, 0.5f, 0.5f, 1, 0});
    gives("HardSwish(x)", {nan, 0.6666667f, -0.33333334f, 0, 0, inf, nan});
    gives("Elu(x)", {nan, 1, -0.63212055f, 0, 0, inf, -1});
    gives("Softplus(x)", {nan, 1.3132617f, 0.3132617f, 0.6931472f, 0.6931472f, inf, 0});
    gives("Sigmoid(x)", {nan, 0.7310586f, 0.26894143f, 0.5f, 0.5f, 1, 0});
    gives("Tanh(x)", {nan, 0.7615942f, -0.7615942f, 0, 0, 1, -1});
    gives("Erf(x)", {nan, 0.8427008f, -0.8427008f, 0, 0, 1, -1});
    gives("Gelu(x)", {nan, 0.8413447f, -0.15865526f, 0, 0, inf, nan});
    gives("Abs(x)", {nan, 1, 1, 0, 0, inf, inf});
    gives("Floor(x)", {nan, 1, -1, 0, 0, inf, -inf});
    gives("Ceil(x)", {nan, 1, -1, 0, 0, inf, -inf});
    gives("Sqrt(x)", {nan, 1, nan, 0, 0, inf, nan});
    gives("Exp(x)", {nan, 2.7182817f, 0.36787945f, 1, 1, inf, 0});
    gives("Log(x)", {nan, 0, nan, -inf, -inf, inf, nan});
    gives("Reciprocal(x)", {nan, 1, -1, inf, -inf, 0, 0});
    const std::string bounds = "constant l: f32[] = [-0.5]\nconstant h: f32[] = [0.5]\n";
    gives_everywhere("input x: f32[7]\n" + bounds + "y = Clip(x, l, h)\noutput y", {x},
                     {nan, 0.5f, -0.5f, 0, 0, 0.5f, -0.5f});
    gives_everywhere("input x: f32[7]\ninput s: f32[7]\ny = PRelu(x, s)\noutput y",
                     {x, vector_of({2, nan, nan, 1, 1, nan, 2})}, {nan, 1, nan, 0, 0, inf, -inf});
    gives_everywhere("input x: f32[7]\ny, s, z = DynamicQuantizeLinear(x)\noutput s",
                     {vector_of({1, nan, -1, 0, nan, 254, 3})}, {1});
}

TEST_CASE("Recurrent cells keep a NaN, and clip it to nothing") {
    const std::string weights_of = weights("w", {1, 4, 1}) + weights("r", {1, 4, 1}) +
                                   "input x: f32[2, 2, 1]\n_, y = LSTM(x, w, r) {hidden_size = 1, clip = 0.5";
    const Tensor x = Tensor::of<float>({2, 2, 1}, {nan, 0, 1, 0});
    for (const std::string_view more : {"", ", activations = [\"Relu\", \"Relu\", \"Relu\"]"}) {
        const std::string statements = weights_of + std::string(more) + "}\noutput y";
        const Tensor wanted = evaluate(graph_of(statements), std::vector{x})->front();
        CHECK(std::isnan(floats(wanted)[0]));
        CHECK(!std::isnan(floats(wanted)[1]));
        gives_everywhere(statements, {x}, floats(wanted));
    }
}

TEST_CASE("Pow has C's values at its edges, in exact mode and in fast mode") {
    const std::vector<float> edges{nan, 0, -0.0f, 1, -1, 2, -2, 0.5f, -0.5f, inf, -inf, 3, 2.5f, -3};
    std::vector<float> x, y, wanted;
    for (const float a : edges) {
        for (const float b : edges) {
            x.push_back(a), y.push_back(b), wanted.push_back(std::pow(a, b));
        }
    }
    const auto count = static_cast<std::int64_t>(x.size());
    gives_everywhere(fmt::format("input a: f32[{0}]\ninput b: f32[{0}]\nc = Pow(a, b)\noutput c", count),
                     {Tensor::of<float>({count}, std::span<const float>(x)),
                      Tensor::of<float>({count}, std::span<const float>(y))},
                     wanted);
    // The signs of zeros and infinities show in the reciprocals.
    for (float& one : wanted) one = 1 / one;
    gives_everywhere(
        fmt::format("input a: f32[{0}]\ninput b: f32[{0}]\nc = Pow(a, b)\nd = Reciprocal(c)\noutput d",
                    count),
        {Tensor::of<float>({count}, std::span<const float>(x)),
         Tensor::of<float>({count}, std::span<const float>(y))},
        wanted);
}

}  // namespace muster::graph
