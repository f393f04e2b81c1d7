// Attention, Einsum, GRU and LSTM: what ONNX's own tests of them don't check.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/graph/evaluate/evaluate.hpp>

#include "graph/graph_text.hpp"

namespace muster::graph {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

std::vector<Tensor> outputs_of(std::string_view statements) {
    auto outputs = evaluate(graph_of(statements), {});
    if (!outputs) FAIL(outputs.error().to_string());
    return *std::move(outputs);
}
std::vector<float> floats_of_y(std::string_view statements) {
    return floats(outputs_of(std::string(statements) + "\noutput y")[0]);
}

const std::string_view small_attention = R"(
    constant q: f32[1, 1, 2, 1] = [0, 0]
    constant k: f32[1, 1, 2, 1] = [3, 4]
    constant v: f32[1, 1, 2, 1] = [10, 30]
)";

}  // namespace

TEST_CASE("Attention's shapes come from heads, past and symbols") {
    const std::string inputs =
        "input q: f32[B, 8, S, 64]\ninput k: f32[B, 2, T, 64]\ninput v: f32[B, 2, T, 32]\n";
    CHECK(type_of_y(inputs + "y = Attention(q, k, v)") == "f32[B, 8, S, 32]");
    CHECK(type_of_y(inputs + "a, p, r, y = Attention(q, k, v)") == "f32[B, 8, S, T]");
    CHECK(type_of_y("input x: f32[B, S, 96]\ny = Attention(x, x, x) {q_num_heads = 12, kv_num_heads = 12}") ==
          "f32[B, S, 96]");
    const std::string past = "input q: f32[2, 4, 3, 8]\ninput pk: f32[2, 4, 5, 8]\n";
    CHECK(type_of_y(past + "a, y = Attention(q, q, q, _, pk, pk)") == "f32[2, 4, 8, 8]");
}

TEST_CASE("Attention refuses what doesn't fit") {
    const std::string x = "input x: f32[B, S, 96]\n", q = "input q: f32[2, 4, 3, 8]\n";
    CHECK(has(error_of(x + "y = Attention(x, x, x)\noutput y"), "Its attribute q_num_heads is 0."));
    CHECK(has(error_of(x + "y = Attention(x, x, x) {q_num_heads = 5, kv_num_heads = 1}\noutput y"),
              "Input \"x\" (Q) is f32[B, S, 96], which 5 heads don't divide."));
    CHECK(has(error_of(q + "y = Attention(q, q, q) {q_num_heads = 4}\noutput y"),
              "It has an attribute q_num_heads, and inputs of rank 4 say the number of heads."));
    CHECK(has(error_of(q + "input k: f32[2, 3, 3, 8]\ny = Attention(q, k, k)\noutput y"),
              "It has 4 heads of queries, which 3 heads of keys don't divide."));
    CHECK(has(error_of(q + "input k: f32[2, 4, 3, 7]\ny = Attention(q, k, k)\noutput y"),
              "the size of a head is 7, and must be 8."));
    CHECK(has(error_of(q + "y = Attention(q, q, q, _, q)\noutput y"),
              "It has one of past_key and past_value alone."));
    CHECK(has(error_of(q + "input m: f32[3, 4]\ny = Attention(q, q, q, m)\noutput y"),
              "can't be broadcast to [2, 4, 3, 3]."));
    CHECK(has(error_of(q + "y = Attention(q, q, q) {softmax_precision = 16}\noutput y"),
              "ONNX's type 16, and only f32 (1)"));
    CHECK(has(error_of(q + "y = Attention(q, q, q) {left_window_size = -2}\noutput y"),
              "is -2, and must be at least -1."));
    CHECK(
        has(error_of("input q: f32[2, 3]\ny = Attention(q, q, q)\noutput y"), "and must have rank 3 or 4."));
}

TEST_CASE("Attention weighs the keys that a query attends, and gives 0 where there are none") {
    const std::string of(small_attention);
    CHECK(floats_of_y(of + "y = Attention(q, k, v)") == std::vector<float>{20, 20});
    CHECK(floats_of_y(of + "y = Attention(q, k, v) {is_causal = 1}") == std::vector<float>{10, 20});
    CHECK(floats_of_y(of + "y = Attention(q, k, v) {left_window_size = 0}") == std::vector<float>{20, 30});
    CHECK(floats_of_y(of + "constant m: bool[2, 2] = [0, 0, 0, 1]\ny = Attention(q, k, v, m)") ==
          std::vector<float>{0, 30});
    // A mask that is shorter than the keys doesn't attend the rest.
    CHECK(floats_of_y(of + "constant m: f32[1] = [0]\ny = Attention(q, k, v, m)") ==
          std::vector<float>{10, 10});
    CHECK(floats_of_y(of + "constant n: i64[1] = [1]\ny = Attention(q, k, v, _, _, _, n)") ==
          std::vector<float>{10, 10});
    // NaN of a product with an infinite key isn't seen where the whole row is masked.
    const std::string row = "constant q: f32[1, 1, 1, 1] = hex \"0000807f\"\nconstant m: bool[1, 1] = [0]\n";
    CHECK(floats_of_y(row + "y = Attention(q, q, q, m)") != std::vector<float>{infinite});
}

TEST_CASE("Einsum follows its equation") {
    const auto type = [](std::string_view equation, std::string_view a, std::string_view b = "") {
        return type_of_y(fmt::format("input a: f32{}\n{}y = Einsum(a{}) {{equation = \"{}\"}}", a,
                                     b.empty() ? "" : fmt::format("input b: f32{}\n", b),
                                     b.empty() ? "" : ", b", equation));
    };
    CHECK(type("bij,bjk->bik", "[B, 2, K]", "[B, K, 5]") == "f32[B, 2, 5]");
    CHECK(type("ij,jk", "[2, 3]", "[3, 4]") == "f32[2, 4]");
    CHECK(type("ba", "[2, 3]") == "f32[3, 2]");
    CHECK(type("...ij,...jk->...ik", "[7, 1, 2, 3]", "[6, 3, 4]") == "f32[7, 6, 2, 4]");
    CHECK(type("...->...", "[7, 2]") == "f32[7, 2]");
    CHECK(type("i,i->", "[N]", "[N]") == "f32[]");
    CHECK(floats_of_y("constant a: f32[2, 2] = [1, 2, 3, 4]\ny = Einsum(a) {equation = \"ii\"}") ==
          std::vector<float>{5});
    CHECK(floats_of_y("constant a: f32[2] = [1, 2]\nconstant b: f32[2] = [3, 5]\ny = Einsum(a, b) {equation "
                      "= \"i,j->ij\"}") == std::vector<float>{3, 5, 6, 10});
    // From the first term to the last.
    CHECK(floats_of_y("constant a: f32[3] = [16777216, 1, 1]\ny = Einsum(a) {equation = \"i->\"}") ==
          std::vector<float>{0x1p24f});
    CHECK(floats_of_y("constant a: f32[0] = []\ny = Einsum(a) {equation = \"i->\"}") ==
          std::vector<float>{0});
}

TEST_CASE("Einsum refuses equations that don't fit") {
    const auto error = [](std::string_view equation) {
        return error_of(fmt::format(
            "input a: f32[2, 3]\ninput b: f32[3, 4]\ny = Einsum(a, b) {{equation = \"{}\"}}\noutput y",
            equation));
    };
    CHECK(has(error("ij->i"), "Its equation \"ij->i\" has 1 terms, and it has 2 inputs."));
    CHECK(has(error("ij,j->i"), "Input 1 has 2 axes, and its term in \"ij,j->i\" has 1 letters."));
    CHECK(has(error("ij,jk->il"), "has a letter in its result alone."));
    CHECK(has(error("ij,jk->ii"), "has a letter twice in its result."));
    CHECK(has(error("ij,ik->jk"), "and its axis 0 has the size 2 in an input before."));
    CHECK(has(error("i1,jk->i"), "Its equation has \"i1\", where letters and one \"...\" may stand."));
    CHECK(has(error(""), "has 1 terms, and it has 2 inputs."));
    CHECK(has(error(",,"), "has 3 terms, and it has 2 inputs."));
}

TEST_CASE("GRU and LSTM have the shapes of their layout") {
    const std::string gru = "input x: f32[T, B, 3]\ninput w: f32[2, 15, 3]\ninput r: f32[2, 15, 5]\n";
    CHECK(type_of_y(gru + "y = GRU(x, w, r) {direction = \"bidirectional\"}") == "f32[T, 2, B, 5]");
    CHECK(type_of_y(gru + "_, y = GRU(x, w, r) {direction = \"bidirectional\", layout = 1}") ==
          "f32[T, 2, 5]");
    const std::string lstm = "input x: f32[T, B, 3]\ninput w: f32[1, 20, 3]\ninput r: f32[1, 20, 5]\n";
    CHECK(type_of_y(lstm + "a, b, y = LSTM(x, w, r)") == "f32[1, B, 5]");
    CHECK(has(error_of(lstm + "y = GRU(x, w, r)\noutput y"),
              "Input \"w\" (W) is f32[1, 20, 3], and must be [1, 15, 3]."));
    CHECK(has(error_of(lstm + "y = LSTM(x, w, r) {hidden_size = 6}\noutput y"),
              "and its attribute hidden_size is 6."));
    CHECK(has(error_of(lstm + "y = LSTM(x, w, r) {direction = \"back\"}\noutput y"),
              "Its attribute direction is \"back\"."));
    CHECK(has(error_of(lstm + "y = LSTM(x, w, r) {activations = [\"Sigmoid\", \"Tanh\", \"Elu\"]}\noutput y"),
              "Its activation \"Elu\" isn't supported.\n"));
    CHECK(has(error_of(lstm + "y = LSTM(x, w, r) {activations = [\"Tanh\"]}\noutput y"),
              "has 1 names, and needs 3."));
}

TEST_CASE("GRU ends where its sequence ends, and takes activations and clip") {
    // One unit: z = max(0, 0) = 0, h' = max(0, clip(x)) with Relu for both.
    const std::string relu = R"(
        constant x: f32[3, 2, 1] = [1, 2, 3, 4, 5, 6]
        constant w: f32[1, 3, 1] = [0, 0, 1]
        constant r: f32[1, 3, 1] = [0, 0, 0]
        constant n: i32[2] = [2, 3]
    )";
    const auto of = [&](std::string_view attributes) {
        const auto outputs = outputs_of(
            relu + "y, h = GRU(x, w, r, _, n) {activations = [\"Relu\", \"Relu\"], hidden_size = 1" +
            std::string(attributes) + "}\noutput y\noutput h");
        return std::pair(floats(outputs[0]), floats(outputs[1]));
    };
    CHECK(of("").first == std::vector<float>{1, 2, 3, 4, 0, 6});
    CHECK(of("").second == std::vector<float>{3, 6});
    CHECK(of(", direction = \"reverse\"").first == std::vector<float>{1, 2, 3, 4, 0, 6});
    CHECK(of(", direction = \"reverse\"").second == std::vector<float>{1, 2});
    CHECK(of(", clip = 2.5").first == std::vector<float>{1, 2, 2.5, 2.5, 0, 2.5});
    const auto refused = evaluate(graph_of("input n: i32[2]\n" + relu.substr(0, relu.find("constant n")) +
                                           "y = GRU(x, w, r, _, n)\noutput y"),
                                  std::vector{Tensor::of<std::int32_t>({2}, {1, 4})});
    REQUIRE(!refused);
    CHECK(has(refused.error().to_string(),
              "An element of sequence_lens is negative, or more than the number of steps."));
}

TEST_CASE("LSTM couples its gates if asked to") {
    // f = Relu(0) = 0, so i = 1; c' = x, h' = o * x with o = Relu(1) = 1.
    const std::string lstm = R"(
        constant x: f32[1, 1, 1] = [3]
        constant w: f32[1, 4, 1] = [0, 0, 0, 1]
        constant r: f32[1, 4, 1] = [0, 0, 0, 0]
        constant b: f32[1, 8] = [0, 1, 0, 0, 0, 0, 0, 0]
        y, h, c = LSTM(x, w, r, b) {activations = ["Relu", "Relu", "Relu"], input_forget = 1}
    )";
    CHECK(floats_of_y(lstm) == std::vector<float>{3});
    CHECK(floats_of_y(lstm.substr(0, lstm.find(", input_forget")) + "}") == std::vector<float>{0});
}

}  // namespace muster::graph
