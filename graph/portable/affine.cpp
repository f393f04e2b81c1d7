#include <muster/graph/portable/conversions.hpp>

// `s` is the factor of each output channel. W has the channels on axis 0; ConvTranspose's on axis
// 1, if there is one group.
namespace muster::graph {

std::vector<ConversionPattern> affine_conversions() {
    using enum Bits;
    return {
        {.name = "batch normalization into Conv",
         .bits = changed,
         .match = {"BatchNormalization(Conv(x, W, B?) as conv, scale, beta, mean, var) as bn"},
         .where = "constant(W, B, scale, beta, mean, var), same_type(W, scale, mean)",
         .give = "s = scale / Sqrt(var + bn.epsilon);"
                 "Conv(x, W * along(0, s, W), ((B | 0) - mean) * s + beta) {conv}"},
        {.name = "batch normalization into ConvTranspose",
         .bits = changed,
         .match = {"BatchNormalization(ConvTranspose(x, W, B?) {group = 1} as conv, scale, beta, mean, var) "
                   "as bn"},
         .where = "constant(W, B, scale, beta, mean, var), same_type(W, scale, mean)",
         .give = "s = scale / Sqrt(var + bn.epsilon);"
                 "ConvTranspose(x, W * along(1, s, W), ((B | 0) - mean) * s + beta) {conv}"},
        {.name = "batch normalization into Gemm",
         .bits = changed,
         .match = {"BatchNormalization(Gemm(x, W, B?) {transB = 0, beta = 1} as gemm, scale, beta, mean, "
                   "var) as bn"},
         .where = "constant(W, B, scale, beta, mean, var), same_type(W, scale, mean), type(x, f32, f16)",
         .give = "s = scale / Sqrt(var + bn.epsilon);"
                 "Gemm(x, W * along(1, s, W), ((B | 0) - mean) * s + beta) {gemm}"},
        {.name = "batch normalization into Gemm, W transposed",
         .bits = changed,
         .match = {"BatchNormalization(Gemm(x, W, B?) {transB = 1, beta = 1} as gemm, scale, beta, mean, "
                   "var) as bn"},
         .where = "constant(W, B, scale, beta, mean, var), same_type(W, scale, mean), type(x, f32, f16)",
         .give = "s = scale / Sqrt(var + bn.epsilon);"
                 "Gemm(x, W * along(0, s, W), ((B | 0) - mean) * s + beta) {gemm}"},
        {.name = "batch normalization into MatMul",
         .bits = changed,
         .match = {"BatchNormalization(MatMul(x, W), scale, beta, mean, var) as bn"},
         .where = "constant(W, scale, beta, mean, var), same_type(W, scale, mean), rank(x, 2), rank(W, 2)",
         .give = "s = scale / Sqrt(var + bn.epsilon);"
                 "Gemm(x, W * along(1, s, W), beta - mean * s)"},
        {.name = "batch normalization to product and sum",
         .bits = changed,
         .match = {"BatchNormalization(x, scale, beta, mean, var) as bn"},
         .where = "constant(scale, beta, mean, var), same_type(x, scale, mean)",
         .give = "s = scale / Sqrt(var + bn.epsilon);"
                 "x * along(1, s, x) + along(1, beta - mean * s, x)"},
        {.name = "factor into Conv",
         .bits = changed,
         .match = {"y = Conv(x, W, B?) as conv * k"},
         .where = "constant(W, B, k), per_channel(k, conv, 1), same_shape(conv, y)",
         .give = "s = Expand(Reshape(k, [-1]), Shape(W) {end = 1});"
                 "Conv(x, W * along(0, s, W), B * s) {conv}"},
        {.name = "divisor into Conv",
         .bits = changed,
         .match = {"y = Conv(x, W, B?) as conv / k"},
         .where = "constant(W, B, k), per_channel(k, conv, 1), same_shape(conv, y)",
         .give = "s = Expand(Reshape(k, [-1]), Shape(W) {end = 1});"
                 "Conv(x, W / along(0, s, W), B / s) {conv}"},
        {.name = "offset as bias of Conv",
         .match = {"y = Conv(x, W) as conv + k"},
         .where = "constant(k), per_channel(k, conv, 1), same_shape(conv, y), type(x, f32)",
         .give = "Conv(x, W, Expand(Reshape(k, [-1]), Shape(W) {end = 1})) {conv}"},
        {.name = "offset into bias of Conv",
         .bits = changed,
         .match = {"y = Conv(x, W, B?) as conv + k"},
         .where = "constant(B, k), per_channel(k, conv, 1), same_shape(conv, y)",
         .give = "Conv(x, W, (B | 0) + Expand(Reshape(k, [-1]), Shape(W) {end = 1})) {conv}"},
        {.name = "offset as C of Gemm",
         .match = {"y = Gemm(a, b) {alpha = 1} as gemm + k"},
         .where = "constant(k), same_shape(gemm, y), type(a, f32)",
         .give = "Gemm(a, b, k) {gemm, beta = 1}"},
        {.name = "transposed A of Gemm",
         .match = {"Gemm(Transpose(a), b, c?) {transA = 0} as gemm",
                   "Gemm(Transpose(a) {perm = [1, 0]}, b, c?) {transA = 0} as gemm"},
         .give = "Gemm(a, b, c) {gemm, transA = 1}"},
        {.name = "transposed B of Gemm",
         .match = {"Gemm(a, Transpose(b), c?) {transB = 0} as gemm",
                   "Gemm(a, Transpose(b) {perm = [1, 0]}, c?) {transB = 0} as gemm"},
         .give = "Gemm(a, b, c) {gemm, transB = 1}"},
    };
}

}  // namespace muster::graph
