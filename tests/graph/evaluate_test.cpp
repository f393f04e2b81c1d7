#include <cmath>

#include <doctest/doctest.h>

#include <muster/foundation/math/evaluate.hpp>
#include <muster/graph/evaluate/erf.hpp>
#include <muster/graph/evaluate/evaluate.hpp>

#include "graph/graph_text.hpp"

// ONNX's own tests check each operator (run_node_cases); these check what they don't: order, bits, sizes and errors.
namespace muster::graph {
namespace {

Tensor y_of(std::string_view statements, std::vector<Tensor> inputs = {}) {
    const auto outputs = evaluate(graph_of(std::string(statements) + "\noutput y"), inputs);
    if (!outputs) FAIL(outputs.error().to_string());
    return (*outputs)[0];
}

std::string evaluation_error(std::string_view statements, std::vector<Tensor> inputs) {
    const auto outputs = evaluate(graph_of(std::string(statements) + "\noutput y"), inputs);
    REQUIRE(!outputs);
    return outputs.error().to_string();
}

Tensor vector_of(std::initializer_list<float> values) {
    return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace

TEST_CASE("Sums add in the order of the index") {
    // 2^24 + 1 + 1 stays 2^24 in this order; 1 + 1 + 2^24 would not.
    const std::string sum = "input x: f32[3]\ny = ReduceSum(x) {keepdims = 0}";
    CHECK(floats(y_of(sum, {vector_of({0x1p24f, 1, 1})}))[0] == 0x1p24f);
    CHECK(floats(y_of(sum, {vector_of({1, 1, 0x1p24f})}))[0] == 0x1p24f + 2);
    const std::string product = "input x: f32[3]\nconstant w: f32[3] = [1, 1, 1]\ny = MatMul(x, w)";
    CHECK(floats(y_of(product, {vector_of({0x1p24f, 1, 1})}))[0] == 0x1p24f);
    // The bias of a convolution is added last.
    const std::string conv =
        "input x: f32[1, 1, 3]\nconstant w: f32[1, 1, 3] = [1, 1, 1]\nconstant b: f32[1] = [16777216]\n"
        "y = Conv(x, w, b)";
    CHECK(floats(y_of(conv, {Tensor::of<float>({1, 1, 3}, {1, 1, 0})}))[0] == 0x1p24f + 2);
}

TEST_CASE("f16 is computed in f32 and rounded once") {
    const std::string sum = "constant x: f16[3] = [2048, 1, 1]\ny = ReduceSum(x) {keepdims = 0}";
    CHECK(floats(y_of(sum))[0] == 2050);
}

TEST_CASE("Math functions have the bits of foundation/math") {
    for (const float x : {-3.7f, -0.1f, 0.3f, 2.9f}) {
        CHECK(floats(y_of("input x: f32[1]\ny = Exp(x)", {vector_of({x})}))[0] == math::evaluate(Op::exp, x));
        CHECK(floats(y_of("input x: f32[1]\ny = Tanh(x)", {vector_of({x})}))[0] ==
              math::evaluate(Op::tanh, x));
    }
}

TEST_CASE("erf is within 6 units in the last place") {
    CHECK(erf(0.0f) == 0);
    CHECK(std::isnan(erf(NAN)));
    double worst = 0;
    for (float x = 0x1p-20f; x < 6; x *= 1.0003f) {
        const double exact = std::erf(static_cast<double>(x));
        const float unit = std::nextafter(static_cast<float>(exact), 2.0f) - static_cast<float>(exact);
        worst = std::max(worst, std::fabs(static_cast<double>(erf(x)) - exact) / static_cast<double>(unit));
        CHECK(erf(-x) == -erf(x));
    }
    MESSAGE("erf: at most ", worst, " units in the last place");
    CHECK(worst <= 6);
}

TEST_CASE("Integers wrap, and division by zero gives the dividend") {
    CHECK(integers(y_of("constant a: u8[2] = [200, 3]\nconstant b: u8[2] = [100, 0]\ny = Add(a, b)")) ==
          std::vector<std::int64_t>{44, 3});
    CHECK(integers(y_of("constant a: i32[1] = [7]\nconstant b: i32[1] = [0]\ny = Div(a, b)"))[0] == 7);
    CHECK(integers(y_of("constant a: f32[3] = [-1.7, 1e20, nan]\ny = Cast(a) {to = 6}")) ==
          std::vector<std::int64_t>{-1, INT32_MAX, 0});
}

TEST_CASE("Symbols get one size for the whole graph") {
    const std::string add = "input a: f32[N]\ninput b: f32[N]\ny = Add(a, b)";
    CHECK(floats(y_of(add, {vector_of({1, 2}), vector_of({3, 4})}))[1] == 6);
    CHECK(evaluation_error(add, {vector_of({1, 2}), vector_of({3})}) ==
          "Input \"b\" is f32[N], and f32[1] is given: N is 2 in an input before it.");
    CHECK(evaluation_error("input a: f32[3]\ny = Relu(a)", {vector_of({1, 2})}) ==
          "Input \"a\" is f32[3], and f32[2] is given.");
    CHECK(evaluation_error("input a: f32[3]\ny = Relu(a)", {}) ==
          "Graph \"g\" has 1 inputs, and 0 tensors are given.");
}

TEST_CASE("Faults that only data shows name the node") {
    const std::string gather = "input x: f32[2]\ninput i: i64[1]\ny = Gather(x, i) @ \"pick\"";
    CHECK(
        evaluation_error(gather, {vector_of({1, 2}), Tensor::of<std::int64_t>({1}, {2})}) ==
        "The index 2 is out of bounds of an axis of 2 elements.\n  while evaluating node \"pick\" (Gather)");
    CHECK(floats(y_of(gather, {vector_of({1, 2}), Tensor::of<std::int64_t>({1}, {-1})}))[0] == 2);
    const std::string reshape = "input x: f32[2]\ninput s: i64[1]\ny = Reshape(x, s)";
    CHECK(has(evaluation_error(reshape, {vector_of({1, 2}), Tensor::of<std::int64_t>({1}, {3})}),
              "can't be shaped as [3]"));
    const std::string large = "input s: i64[2]\ny = ConstantOfShape(s)";
    CHECK(has(evaluation_error(large, {Tensor::of<std::int64_t>({2}, {1 << 20, 1 << 20})}),
              "the evaluator computes up to"));
}

TEST_CASE("Empty tensors pass through") {
    const Tensor none = Tensor::of<float>({0, 3}, {});
    CHECK(y_of("input x: f32[N, 3]\ny = Softmax(x)", {none}).count() == 0);
    CHECK(y_of("input x: f32[N, 3]\nconstant w: f32[3, 2] = [1, 2, 3, 4, 5, 6]\ny = MatMul(x, w)", {none})
              .count() == 0);
    CHECK(floats(y_of("input x: f32[N, 3]\nconstant a: i64[1] = [0]\ny = ReduceMax(x, a) {keepdims = 0}",
                      {none}))[2] == -INFINITY);
    CHECK(y_of("input x: f32[N, 3]\ny = Concat(x, x) {axis = 1}", {none}).count() == 0);
    CHECK(y_of("input x: f32[1, 1, N]\ny = GlobalMaxPool(x)", {Tensor::of<float>({1, 1, 0}, {})}).count() ==
          1);
}

TEST_CASE("Resize with antialiasing weighs all that an output covers") {
    // Halved: a triangle of 2 to each side, 0.25 0.75 0.75 0.25 around each centre, over its sum; beyond an end, the element there.
    const std::string half =
        "constant x: f32[4] = [0, 8, 8, 0]\nconstant s: f32[1] = [0.5]\ny = Resize(x, _, s) {mode = "
        "\"linear\"";
    CHECK(floats(y_of(half + ", antialias = 1}")) == std::vector<float>{4, 4});
    CHECK(floats(y_of(half + ", antialias = 1, exclude_outside = 1}")) ==
          std::vector<float>{static_cast<float>(32.0 / 7), static_cast<float>(32.0 / 7)});
    const std::string plain = half + "}";
    CHECK(floats(y_of(plain)) == std::vector<float>{4, 4});
    // Stretched, it changes nothing.
    const std::string twice =
        "constant x: f32[2] = [0, 8]\nconstant s: f32[1] = [2]\ny = Resize(x, _, s) {mode = \"cubic\"";
    CHECK(floats(y_of(twice + ", antialias = 1}")) == floats(y_of(twice + "}")));
}

}  // namespace muster::graph
