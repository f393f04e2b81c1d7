#include <algorithm>
#include <limits>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/evaluation.hpp>
#include <muster/graph/evaluate/sums.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

std::size_t elements(const Sizes& sizes, std::size_t from) {
    return static_cast<std::size_t>(
        product({sizes.begin() + static_cast<std::ptrdiff_t>(from), sizes.end()}));
}

/// ((x - mean) / sqrt(variance + epsilon)) * scale + B.
void batch_normalization(Evaluation& node) {
    Floats x = node.floats(0);
    const Floats scale = node.floats(1), bias = node.floats(2), mean = node.floats(3),
                 variance = node.floats(4);
    const std::size_t plane = elements(node.sizes(0), 2);
    const float epsilon = node.attributes().number("epsilon");
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t c = i / plane % scale.size();
        x[i] = ((x[i] - mean[c]) / semantics::sqrt(variance[c] + epsilon)) * scale[c] + bias[c];
    }
    node.set(0, x);
}

struct Moments {
    float mean, inverse_deviation;
};
/// The sum over n, the sum of the squared differences over n, and 1 / sqrt of that + epsilon.
Moments moments(std::span<const float> x, float epsilon) {
    const auto count = static_cast<float>(x.size());
    const float mean = row_sum(x.size(), [&](std::size_t i) { return x[i]; }) / count;
    const float squares = row_sum(x.size(), [&](std::size_t i) { return (x[i] - mean) * (x[i] - mean); });
    return {mean, 1 / semantics::sqrt(squares / count + epsilon)};
}

/// ((x - mean) * inverse deviation) * scale + B.
void layer_normalization(Evaluation& node, std::size_t axis) {
    Floats x = node.floats(0), means, deviations;
    const Sizes sizes = node.sizes(0);
    const Floats scale = node.floats(1), bias = node.has(2) ? node.floats(2) : Floats{};
    const auto at_scale = broadcast_offsets(node.sizes(1), sizes);
    const auto at_bias = node.has(2) ? broadcast_offsets(node.sizes(2), sizes) : std::vector<std::size_t>{};
    const std::size_t length = elements(sizes, axis);
    for (std::size_t first = 0; first < x.size(); first += length) {
        const Moments of = moments(std::span(x).subspan(first, length), node.attributes().number("epsilon"));
        for (std::size_t i = first; i < first + length; ++i) {
            x[i] = ((x[i] - of.mean) * of.inverse_deviation) * scale[at_scale[i]];
            if (node.has(2)) x[i] += bias[at_bias[i]];
        }
        means.push_back(of.mean);
        deviations.push_back(of.inverse_deviation);
    }
    node.set(0, x);
    node.set(1, means);
    node.set(2, deviations);
}

/// As layer normalisation, over each plane.
void instance_normalization(Evaluation& node) {
    Floats x = node.floats(0);
    const Floats scale = node.floats(1), bias = node.floats(2);
    const std::size_t plane = elements(node.sizes(0), 2);
    for (std::size_t first = 0; first < x.size(); first += plane) {
        const Moments of = moments(std::span(x).subspan(first, plane), node.attributes().number("epsilon"));
        const std::size_t c = first / plane % scale.size();
        for (std::size_t i = first; i < first + plane; ++i) {
            x[i] = ((x[i] - of.mean) * of.inverse_deviation) * scale[c] + bias[c];
        }
    }
    node.set(0, x);
}

/// x / pow(bias + (alpha / size) * sum, beta), the sum of the squares over the channels around, lowest first.
void lrn(Evaluation& node) {
    const Floats x = node.floats(0);
    const Sizes sizes = node.sizes(0);
    const auto channels = sizes[1];
    const auto plane = static_cast<std::int64_t>(elements(sizes, 2));
    const std::int64_t size = node.attributes().integer("size");
    const float factor = node.attributes().number("alpha") / static_cast<float>(size);
    Floats result;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.size()); ++i) {
        const std::int64_t c = i / plane % channels;
        const std::int64_t low = std::max<std::int64_t>(0, c - (size - 1) / 2),
                           high = std::min(channels - 1, c + size / 2);
        float sum = 0;
        for (std::int64_t k = low; k <= high; ++k) {
            const float value = x[static_cast<std::size_t>(i + (k - c) * plane)];
            sum += value * value;
        }
        const float base = node.attributes().number("bias") + factor * sum;
        result.push_back(x[static_cast<std::size_t>(i)] /
                         math::evaluate(Op::pow, base, node.attributes().number("beta")));
    }
    node.set(0, result);
}

/// exp(x - largest) / sum.
void softmax(Evaluation& node, std::size_t axis) {
    Floats x = node.floats(0);
    const auto length = static_cast<std::size_t>(node.sizes(0)[axis]);
    const std::size_t step = elements(node.sizes(0), axis + 1), block = length * step;
    for (std::size_t row = 0; row * length < x.size(); ++row) {
        const std::size_t first = row / step * block + row % step;
        float largest = -std::numeric_limits<float>::infinity();
        for (std::size_t i = 0; i < length; ++i) largest = semantics::max(largest, x[first + i * step]);
        for (std::size_t i = 0; i < length; ++i) {
            float& value = x[first + i * step];
            value = math::evaluate(Op::exp, value - largest);
        }
        const float sum = row_sum(length, [&](std::size_t i) { return x[first + i * step]; });
        for (std::size_t i = 0; i < length; ++i) x[first + i * step] /= sum;
    }
    node.set(0, x);
}

}  // namespace

Result<void> evaluate_normalization(Evaluation& node) {
    const Operator op = node.op();
    if (node.output_elements() == 0) {
        node.set(0, Floats{});
        if (op == Operator::layer_normalization) {
            for (std::size_t i = 1; i < node.output_count(); ++i) {
                node.set(i, Floats(node.output_elements(i), std::numeric_limits<float>::quiet_NaN()));
            }
        }
        return {};
    }
    const auto axis = [&] { return axis_index(node.attributes().integer("axis"), node.sizes(0).size()); };
    if (op == Operator::batch_normalization)
        batch_normalization(node);
    else if (op == Operator::layer_normalization)
        layer_normalization(node, TRY(axis()));
    else if (op == Operator::instance_normalization)
        instance_normalization(node);
    else if (op == Operator::lrn)
        lrn(node);
    else if (op != Operator::softmax)
        return no_evaluation(node);
    else if (node.sizes(0).empty())
        node.set(0, Floats{1});
    else
        softmax(node, TRY(axis()));
    return {};
}

}  // namespace muster::graph
