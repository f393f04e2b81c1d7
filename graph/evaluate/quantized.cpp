#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/convolution.hpp>
#include <muster/graph/evaluate/matrices.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

/// round(x), ties to even, plus the zero point, clamped to the type. A NaN gives the zero point.
std::int64_t saturated(float x, std::int64_t zero_point, ElementType element) {
    const float least = element == ElementType::i8 ? -128.0f : 0.0f, most = least + 255;
    const float rounded = semantics::is_nan(x) ? 0 : semantics::round(x);
    const float whole = std::clamp(rounded, -1000.0f, 1000.0f) + static_cast<float>(zero_point);
    return static_cast<std::int64_t>(std::clamp(whole, least, most));
}

/// The index of an element's scale: 0, or its position on the axis.
Result<std::vector<std::size_t>> scale_offsets(const Evaluation& node) {
    const Sizes sizes = node.sizes(0);
    const auto count = static_cast<std::size_t>(node.input(0).count());
    if (node.input(1).count() == 1) return std::vector<std::size_t>(count);
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), sizes.size()));
    const auto step = static_cast<std::size_t>(row_major_strides(sizes)[axis]);
    std::vector<std::size_t> offsets(count);
    for (std::size_t i = 0; i < count; ++i) offsets[i] = i / step % static_cast<std::size_t>(sizes[axis]);
    return offsets;
}

Integers zero_points(const Evaluation& node, std::size_t input, std::size_t count) {
    return node.has(input) ? node.integers(input) : Integers(count);
}

/// round(x / scale) + zero point, saturated.
Result<void> quantize(Evaluation& node) {
    const auto at = TRY(scale_offsets(node));
    const Floats scale = node.floats(1);
    const Integers zero = zero_points(node, 2, scale.size());
    Floats x;
    if (node.of_floats(0))
        x = node.floats(0);
    else
        for (const std::int64_t value : node.integers(0)) x.push_back(static_cast<float>(value));
    Integers result;
    for (std::size_t i = 0; i < x.size(); ++i) {
        result.push_back(saturated(x[i] / scale[at[i]], zero[at[i]], node.output_element()));
    }
    node.set(0, result);
    return {};
}

/// (x - zero point) * scale; the difference is converted to f32.
Result<void> dequantize(Evaluation& node) {
    const auto at = TRY(scale_offsets(node));
    const Floats scale = node.floats(1);
    const Integers x = node.integers(0), zero = zero_points(node, 2, scale.size());
    Floats result;
    for (std::size_t i = 0; i < x.size(); ++i)
        result.push_back(static_cast<float>(x[i] - zero[at[i]]) * scale[at[i]]);
    node.set(0, result);
    return {};
}

/// scale = (largest - least) / 255, 0 between them; zero point = round(-least / scale), clamped;
/// a scale of 0 gives zeros.
void dynamic_quantize(Evaluation& node) {
    const Floats x = node.floats(0);
    float least = 0, largest = 0;
    for (const float value : x) {
        least = value < least ? value : least;  // a NaN doesn't count
        largest = value > largest ? value : largest;
    }
    const float scale = (largest - least) / 255;
    const std::int64_t zero = scale > 0 ? saturated(-least / scale, 0, ElementType::u8) : 0;
    Integers result;
    for (const float value : x)
        result.push_back(scale > 0 ? saturated(value / scale, zero, ElementType::u8) : 0);
    node.set(0, result);
    node.set(1, Floats{scale});
    node.set(2, Integers{zero});
}

Result<void> expect_scalar(const Evaluation& node, std::initializer_list<std::size_t> inputs) {
    for (const std::size_t input : inputs) {
        if (node.input(input).count() == 1) continue;
        return fail(ErrorCode::unsupported,
                    fmt::format("Its input {} has {} elements: only one scale and one zero point for the "
                                "whole tensor are supported here.",
                                info(node.op()).input(input).name, node.input(input).count()));
    }
    return {};
}

/// Sums of i32, which wrap; zero points for the whole tensor, for each row of A or each column of B.
Result<void> matmul_integer(Evaluation& node) {
    const Matrices shape(node.sizes(0), node.sizes(1));
    const Integers a = node.integers(0), b = node.integers(1), a_zero = zero_points(node, 2, 1),
                   b_zero = zero_points(node, 3, 1);
    if ((a_zero.size() != 1 && a_zero.size() != shape.rows) ||
        (b_zero.size() != 1 && b_zero.size() != shape.columns)) {
        return wrong("It needs one zero point, or one for each row of A and each column of B.");
    }
    Integers result;
    shape.for_each([&](const Matrices::Element& element) {
        const std::int64_t of_a = a_zero[a_zero.size() == 1 ? 0 : element.row],
                           of_b = b_zero[b_zero.size() == 1 ? 0 : element.column];
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < shape.depth; ++k)
            sum += (a[element.a(k)] - of_a) * (b[element.b(k)] - of_b);
        result.push_back(sum);
    });
    node.set(0, result);
    return {};
}

/// round(sum * ((a scale * b scale) / y scale)) + zero point, saturated; the sum is one of i32.
Result<void> qlinear_matmul(Evaluation& node) {
    TRY(expect_scalar(node, {1, 2, 4, 5, 6, 7}));
    const Matrices shape(node.sizes(0), node.sizes(3));
    const Integers a = node.integers(0), b = node.integers(3);
    const std::int64_t a_zero = node.integers(2)[0], b_zero = node.integers(5)[0],
                       y_zero = node.integers(7)[0];
    const float factor = (node.floats(1)[0] * node.floats(4)[0]) / node.floats(6)[0];
    Integers result;
    shape.for_each([&](const Matrices::Element& element) {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < shape.depth; ++k)
            sum += (a[element.a(k)] - a_zero) * (b[element.b(k)] - b_zero);
        const auto wrapped = static_cast<std::int32_t>(sum);
        result.push_back(saturated(static_cast<float>(wrapped) * factor, y_zero, node.output_element()));
    });
    node.set(0, result);
    return {};
}

/// As QLinearMatMul, with the bias added to the sum, and a weights' scale and zero point for each
/// output channel or for all.
Result<void> qlinear_conv(Evaluation& node) {
    TRY(expect_scalar(node, {1, 2, 6, 7}));
    const Sizes x = node.sizes(0), w = node.sizes(3);
    const auto axes = TRY(window_axes(node, spatial(x), spatial(w)));
    const Integers xs = node.integers(0), ws = node.integers(3), w_zero = node.integers(5);
    const Integers bias = node.has(8) ? node.integers(8) : Integers{};
    const Floats w_scale = node.floats(4);
    const auto channels = static_cast<std::size_t>(w[0]);
    if ((w_scale.size() != 1 && w_scale.size() != channels) ||
        (w_zero.size() != 1 && w_zero.size() != channels)) {
        return wrong("It needs one scale and zero point of the weights, or one for each output channel.");
    }
    const std::int64_t x_zero = node.integers(2)[0], y_zero = node.integers(7)[0];
    Integers sums = convolution<std::int64_t>(
        x, w, axes, node.attributes().integer("group"),
        [&](std::int64_t sum, std::size_t i, std::size_t k, std::int64_t m) {
            return sum +
                   (xs[i] - x_zero) * (ws[k] - w_zero[w_zero.size() == 1 ? 0 : static_cast<std::size_t>(m)]);
        });
    const auto plane = static_cast<std::size_t>(product(spatial(node.output_sizes())));
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t m = i / plane % channels;
        const float factor = (node.floats(1)[0] * w_scale[w_scale.size() == 1 ? 0 : m]) / node.floats(6)[0];
        const auto wrapped = static_cast<std::int32_t>(sums[i] + (bias.empty() ? 0 : bias[m]));
        sums[i] = saturated(static_cast<float>(wrapped) * factor, y_zero, node.output_element());
    }
    node.set(0, sums);
    return {};
}

}  // namespace

Result<void> evaluate_quantized(Evaluation& node) {
    if (node.op() == Operator::quantize_linear) return quantize(node);
    if (node.op() == Operator::dequantize_linear) return dequantize(node);
    if (node.op() != Operator::dynamic_quantize_linear) return no_evaluation(node);
    dynamic_quantize(node);
    return {};
}

Result<void> evaluate_quantized_product(Evaluation& node) {
    if (node.op() == Operator::matmul_integer) return matmul_integer(node);
    if (node.op() == Operator::qlinear_matmul) return qlinear_matmul(node);
    return node.op() == Operator::qlinear_conv ? qlinear_conv(node) : no_evaluation(node);
}

}  // namespace muster::graph
