#include <muster/graph/portable/portable_pack.hpp>

namespace muster::graph {

std::vector<SmoothPattern> portable_smooth() {
    constexpr std::string_view scaled_norm = "LayerNormalization(x, scale / smooth, beta / smooth) {n}";
    return {
        {.name = "MatMul of LayerNormalization",
         .match = {"MatMul(LayerNormalization(x, scale, beta?) as n, W)"},
         .where = "constant(scale, beta, W), rank(W, 2), within(scale, x, 1), within(beta, x, 1), shared(n)",
         .activation = "n",
         .weight = "W",
         .weight_axis = 0,
         .give_activation = scaled_norm,
         .give_weight = "W * along(0, smooth, W)"},
        {.name = "Gemm of LayerNormalization",
         .match = {"Gemm(LayerNormalization(x, scale, beta?) as n, W, C?) {transA = 0, transB = 0} as gemm"},
         .where = "constant(scale, beta, W), within(scale, x, 1), within(beta, x, 1), shared(n)",
         .activation = "n",
         .weight = "W",
         .weight_axis = 0,
         .give_activation = scaled_norm,
         .give_weight = "W * along(0, smooth, W)"},
        {.name = "Gemm of LayerNormalization, W transposed",
         .match = {"Gemm(LayerNormalization(x, scale, beta?) as n, W, C?) {transA = 0, transB = 1} as gemm"},
         .where = "constant(scale, beta, W), within(scale, x, 1), within(beta, x, 1), shared(n)",
         .activation = "n",
         .weight = "W",
         .weight_axis = 1,
         .give_activation = scaled_norm,
         .give_weight = "W * along(1, smooth, W)"},
        {.name = "MatMul of Mul by a constant",
         .match = {"MatMul((x * k) as n, W)"},
         .where = "constant(k, W), rank(W, 2), within(k, n, 1), shared(n)",
         .activation = "n",
         .weight = "W",
         .weight_axis = 0,
         .give_activation = "x * (k / smooth)",
         .give_weight = "W * along(0, smooth, W)"},
    };
}

std::vector<QuantizedPattern> portable_quantized() {
    using enum QuantizedValue::Role;
    return {
        {.name = "Conv, each channel",
         .match = {"c = Conv(x, W, B?)"},
         .where = "constant(W)",
         .values = {{"x", activation}, {"W", weight, 0}}},
        {.name = "ConvTranspose",
         .match = {"c = ConvTranspose(x, W, B?)"},
         .where = "constant(W)",
         .values = {{"x", activation}, {"W", weight}}},
        {.name = "Gemm, each column",
         .match = {"g = Gemm(a, W, C?) {transB = 0}"},
         .where = "constant(W)",
         .values = {{"a", activation}, {"W", weight, 1}}},
        {.name = "Gemm, each row of the transposed W",
         .match = {"g = Gemm(a, W, C?) {transB = 1}"},
         .where = "constant(W)",
         .values = {{"a", activation}, {"W", weight, 0}}},
        {.name = "MatMul, each column",
         .match = {"MatMul(a, W)"},
         .where = "constant(W), rank(W, 2)",
         .values = {{"a", activation}, {"W", weight, 1}}},
        {.name = "MatMul of a stack of matrices",
         .match = {"MatMul(a, W)"},
         .where = "constant(W), rank(W, 3, 4, 5)",
         .values = {{"a", activation}, {"W", weight}}},
        {.name = "MatMul of activations",
         .match = {"MatMul(a, b)"},
         .values = {{"a", activation}, {"b", activation}}},
    };
}

}  // namespace muster::graph
