#include <array>

#include <muster/graph/portable/conversions.hpp>

// These patterns join what exporters take apart. Normalisations are recognised without their scale and offset
// first, since their nodes come first; these are then put in.
namespace muster::graph {
namespace {

std::vector<ConversionPattern> activations() {
    using enum Bits;
    return {
        {.name = "Gelu",
         .bits = changed,
         .match = {"x * 0.5 * (1 + Erf(x / 1.41421356))", "x * (1 + Erf(x / 1.41421356)) * 0.5",
                   "x * (0.5 * (1 + Erf(x / 1.41421356)))", "x * 0.5 * (1 + Erf(x * 0.70710678))",
                   "x * (1 + Erf(x * 0.70710678)) * 0.5", "x * (0.5 * (1 + Erf(x * 0.70710678)))"},
         .give = "Gelu(x)"},
        {.name = "Gelu by tanh",
         .bits = changed,
         .match = {"x * 0.5 * (1 + Tanh(0.79788456 * (x + 0.044715 * Pow(x, 3))))",
                   "x * (1 + Tanh(0.79788456 * (x + 0.044715 * Pow(x, 3)))) * 0.5",
                   "x * (0.5 * (1 + Tanh(0.79788456 * (x + 0.044715 * Pow(x, 3)))))",
                   "x * 0.5 * (1 + Tanh(0.79788456 * (x + 0.044715 * (x * x * x))))",
                   "x * (1 + Tanh(0.79788456 * (x + 0.044715 * (x * x * x)))) * 0.5"},
         .give = "Gelu(x) {approximate = \"tanh\"}"},
        {.name = "Sigmoid",
         .match = {"1 / (1 + Exp(Neg(x)))", "Reciprocal(1 + Exp(Neg(x)))"},
         .where = "type(x, f32)",
         .give = "Sigmoid(x)"},
        {.name = "Softplus", .bits = changed, .match = {"Log(1 + Exp(x))"}, .give = "Softplus(x)"},
        {.name = "HardSwish",
         .bits = changed,
         .match = {"x * HardSigmoid(x) {alpha = 0.16666667}", "x * Clip(x + 3, 0, 6) / 6",
                   "x * Clip(x + 3, 0, 6) * 0.16666667"},
         .give = "HardSwish(x)"},
        {.name = "HardSigmoid",
         .bits = changed,
         .match = {"Clip(x + 3, 0, 6) / 6", "Clip(x + 3, 0, 6) * 0.16666667"},
         .give = "HardSigmoid(x) {alpha = 0.16666667}"},
        {.name = "Softmax",
         .match = {"e = Exp(x - ReduceMax(x, axes)); e / ReduceSum(e, axes2)"},
         .where = "trailing(axes, x, 1), trailing(axes2, x, 1), type(x, f32)",
         .give = "Softmax(x)"},
    };
}

constexpr std::array<std::string_view, 2> normalised_forms{
    "d = x - ReduceMean(x, axes); d / Sqrt(ReduceMean(Pow(d, 2), axes2) + eps)",
    "d = x - ReduceMean(x, axes); d / Sqrt(ReduceMean(d * d, axes2) + eps)"};

std::vector<ConversionPattern> normalizations() {
    using enum Bits;
    const std::vector<std::string_view> normalised(normalised_forms.begin(), normalised_forms.end());
    return {
        {.name = "InstanceNormalization",
         .bits = changed,
         .match = normalised,
         .where = "spatial(axes, x), spatial(axes2, x), rank(x, 4, 5), one_element(eps)",
         .give = "InstanceNormalization(x, Expand(1, Shape(x) {start = 1, end = 2}), Expand(0, Shape(x) "
                 "{start = 1, end = 2}))"
                 " {epsilon = eps}"},
        {.name = "LayerNormalization",
         .bits = changed,
         .match = normalised,
         .where = "trailing(axes, x, 1), trailing(axes2, x, 1), one_element(eps)",
         .give = "LayerNormalization(x, 1) {axis = -1, epsilon = eps}"},
        {.name = "LayerNormalization over two axes",
         .bits = changed,
         .match = normalised,
         .where = "trailing(axes, x, 2), trailing(axes2, x, 2), one_element(eps)",
         .give = "LayerNormalization(x, 1) {axis = -2, epsilon = eps}"},
        {.name = "LayerNormalization over three axes",
         .bits = changed,
         .match = normalised,
         .where = "trailing(axes, x, 3), trailing(axes2, x, 3), one_element(eps)",
         .give = "LayerNormalization(x, 1) {axis = -3, epsilon = eps}"},
    };
}

/// In f16 they change bits, since what lies between is no longer rounded.
std::vector<ConversionPattern> scales_and_offsets() {
    using enum Bits;
    return {
        {.name = "scale into LayerNormalization",
         .bits = changed,
         .match = {"y = LayerNormalization(x, one) {axis = -1} as n * scale"},
         .where = "equal(one, 1), constant(scale), within(scale, x, 1), same_shape(x, y)",
         .give = "LayerNormalization(x, scale) {n}"},
        {.name = "scale over two axes into LayerNormalization",
         .bits = changed,
         .match = {"y = LayerNormalization(x, one) {axis = -2} as n * scale"},
         .where = "equal(one, 1), constant(scale), within(scale, x, 2), same_shape(x, y)",
         .give = "LayerNormalization(x, scale) {n}"},
        {.name = "scale over three axes into LayerNormalization",
         .bits = changed,
         .match = {"y = LayerNormalization(x, one) {axis = -3} as n * scale"},
         .where = "equal(one, 1), constant(scale), within(scale, x, 3), same_shape(x, y)",
         .give = "LayerNormalization(x, scale) {n}"},
        {.name = "offset into LayerNormalization",
         .bits = changed,
         .match = {"y = LayerNormalization(x, scale) {axis = -1} as n + beta"},
         .where = "constant(beta), within(beta, x, 1), same_shape(x, y)",
         .give = "LayerNormalization(x, scale, beta) {n}"},
        {.name = "offset over two axes into LayerNormalization",
         .bits = changed,
         .match = {"y = LayerNormalization(x, scale) {axis = -2} as n + beta"},
         .where = "constant(beta), within(beta, x, 2), same_shape(x, y)",
         .give = "LayerNormalization(x, scale, beta) {n}"},
        {.name = "offset over three axes into LayerNormalization",
         .bits = changed,
         .match = {"y = LayerNormalization(x, scale) {axis = -3} as n + beta"},
         .where = "constant(beta), within(beta, x, 3), same_shape(x, y)",
         .give = "LayerNormalization(x, scale, beta) {n}"},
        {.name = "scale into InstanceNormalization",
         .bits = changed,
         .match = {"y = InstanceNormalization(x, one, zero) as n * k"},
         .where = "equal(one, 1), equal(zero, 0), constant(k), per_channel(k, x, 1), same_shape(x, y)",
         .give = "InstanceNormalization(x, Expand(Reshape(k, [-1]), Shape(one)), zero) {n}"},
        {.name = "offset into InstanceNormalization",
         .bits = changed,
         .match = {"y = InstanceNormalization(x, scale, zero) as n + k"},
         .where = "equal(zero, 0), constant(k), per_channel(k, x, 1), same_shape(x, y)",
         .give = "InstanceNormalization(x, scale, Expand(Reshape(k, [-1]), Shape(zero))) {n}"},
    };
}

}  // namespace

std::vector<ConversionPattern> composed_conversions() {
    std::vector<ConversionPattern> all = activations();
    for (auto list : {normalizations(), scales_and_offsets()})
        all.insert(all.end(), list.begin(), list.end());
    return all;
}

}  // namespace muster::graph
