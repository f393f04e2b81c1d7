// run_graph.hpp - what the tests of graph/ share: graphs from text, seeded inputs, and runs on a backend.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/graph/evaluate/evaluate.hpp>
#include <muster/graph/run/model.hpp>

#include "graph/graph_text.hpp"

namespace muster::graph {

/// A session that may use this backend alone, and this pack, if one is named.
inline Session session_on(std::string_view backend, std::string_view pack = {}) {
    Policy policy;
    policy.backends = {{std::string(backend)}};
    policy.allow_tags = {{"debug", "software"}};
    if (!pack.empty()) policy.pack = std::string(pack);
    return *Session::open({.policy = policy, .use_environment = false});
}

/// Inputs of the graph's own sizes: floats from -2 to 2, integers from -3 to 3, bools; the same each time.
inline std::vector<Tensor> seeded_inputs(const Graph& graph) {
    std::vector<Tensor> tensors;
    std::uint32_t state = 1;
    const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
    for (const ValueId id : graph.inputs()) {
        const TensorType& type = graph.value(id).type;
        std::vector<std::int64_t> sizes = *known_sizes(type.shape);
        const auto count = static_cast<std::size_t>(*checked_element_count(sizes));
        std::vector<std::byte> bytes;
        for (std::size_t i = 0; i < count; ++i) {
            const float number = static_cast<float>(next() % 4001) / 1000 - 2;
            const auto integer = static_cast<std::int64_t>(next() % 7) - 3;
            const auto append = [&](const auto& value) {
                const auto each = std::as_bytes(std::span(&value, 1));
                bytes.insert(bytes.end(), each.begin(), each.end());
            };
            switch (type.element) {
                case ElementType::f32: append(number); break;
                case ElementType::f16: append(f16(number)); break;
                case ElementType::i8: append(static_cast<std::int8_t>(integer)); break;
                case ElementType::u8: append(static_cast<std::uint8_t>(integer + 3)); break;
                case ElementType::i32: append(static_cast<std::int32_t>(integer)); break;
                case ElementType::i64: append(integer); break;
                case ElementType::boolean: append(static_cast<std::uint8_t>(integer > 0)); break;
            }
        }
        tensors.push_back(Tensor::own(type.element, std::move(sizes), std::move(bytes)));
    }
    return tensors;
}

/// The largest difference, relative to the largest element wanted.
inline double difference(const Tensor& got, const Tensor& wanted) {
    const std::vector<float> a = floats(got), b = floats(wanted);
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::fabs(static_cast<double>(b[i])));
        worst = std::max(worst, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    return worst / largest;
}

/// A constant of seeded numbers from -1 to 1.
inline std::string weights(std::string_view name, std::initializer_list<std::int64_t> sizes,
                           std::string_view type = "f32") {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) count *= size;
    std::vector<float> values;
    std::uint32_t state = static_cast<std::uint32_t>(count) + 7;
    for (std::int64_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        values.push_back(static_cast<float>(state >> 22) / 512 - 1);
    }
    return fmt::format("constant {}: {}[{}] = [{}]\n", name, type, fmt::join(sizes, ", "),
                       fmt::join(values, ", "));
}

}  // namespace muster::graph
