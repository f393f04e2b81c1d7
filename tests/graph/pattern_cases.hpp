// pattern_cases.hpp - graphs on which a pattern fires, and some on which it doesn't, with random weights and inputs.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/graph/evaluate/evaluate.hpp>

#include "graph/graph_text.hpp"

namespace muster::graph {

/// Statements of a graph (graph_text.hpp), in which `weight w: f32[2, 3]` is a constant of random numbers from -1 to 1, and
/// `positive` one of numbers from 0.5 to 1.5.
struct PatternCase {
    std::string_view pattern;
    std::string_view fires, stays;
};

inline std::vector<float> random_floats(std::int64_t count, float low, float high, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> numbers(low, high);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = numbers(random);
    return values;
}

inline std::string with_weights(std::string_view statements) {
    std::string text;
    std::uint32_t seed = 1;
    for (std::size_t at = 0; at < statements.size();) {
        const std::size_t end = std::min(statements.find('\n', at), statements.size());
        std::string line(statements.substr(at, end - at));
        line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
        at = end + 1;
        const bool positive = line.starts_with("positive ");
        if (positive || line.starts_with("weight ")) {
            const std::string typed = line.substr(line.find(' '));
            const Graph graph = graph_of("input" + typed + "\noutput " + typed.substr(0, typed.find(':')));
            const std::int64_t count = element_count(graph.value(graph.inputs()[0]).type.shape).number();
            const auto values = random_floats(count, positive ? 0.5f : -1.0f, positive ? 1.5f : 1.0f, ++seed);
            line = fmt::format("constant{} = [{}]", typed, fmt::join(values, ", "));
        }
        text += line + "\n";
    }
    return text;
}

inline Graph case_graph(std::string_view statements) { return graph_of(with_weights(statements)); }

/// One random tensor for each input; a symbol is 2.
inline std::vector<Tensor> random_inputs(const Graph& graph) {
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs()) {
        const TensorType& type = graph.value(id).type;
        std::vector<std::int64_t> sizes;
        std::int64_t count = 1;
        for (const Dimension& size : type.shape) {
            sizes.push_back(size.is_number() ? size.number() : 2);
            count *= sizes.back();
        }
        const auto values = random_floats(count, -2, 2, 100 + id.index);
        if (type.element == ElementType::f32) {
            inputs.push_back(Tensor::of<float>(sizes, std::span<const float>(values)));
        } else if (type.element == ElementType::f16) {
            const std::vector<f16> halves(values.begin(), values.end());
            inputs.push_back(Tensor::of<f16>(sizes, std::span<const f16>(halves)));
        } else if (type.element == ElementType::boolean) {
            std::vector<std::byte> bytes;
            for (const float value : values) bytes.push_back(std::byte{value > 0});
            inputs.push_back(Tensor::own(type.element, sizes, std::move(bytes)));
        } else {
            std::vector<std::int64_t> numbers;
            for (const float value : values) numbers.push_back(static_cast<std::int64_t>(value * 50));
            if (type.element == ElementType::i64) {
                inputs.push_back(Tensor::of<std::int64_t>(sizes, std::span<const std::int64_t>(numbers)));
            } else {
                const std::vector<std::int8_t> small(numbers.begin(), numbers.end());
                inputs.push_back(Tensor::of<std::int8_t>(sizes, std::span<const std::int8_t>(small)));
            }
        }
    }
    return inputs;
}

/// The largest difference of two tensors' floats over the largest magnitude; 0 if their bytes are the same, infinite if types or
/// integers differ.
inline double relative_difference(const Tensor& a, const Tensor& b) {
    if (a == b) return 0;
    if (a.type() != b.type() || !is_float(a.element())) return INFINITY;
    const std::vector<float> x = floats(a), y = floats(b);
    double difference = 0, largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        difference = std::max(difference, std::fabs(double{x[i]} - double{y[i]}));
        largest = std::max(largest, std::fabs(double{x[i]}));
    }
    return difference / std::max(largest, 1e-30);
}

}  // namespace muster::graph
