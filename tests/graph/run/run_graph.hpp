// run_graph.hpp - what the tests of graph/ share: graphs from text, seeded inputs, and runs on a backend.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <muster/foundation/graph/evaluate/evaluate.hpp>
#include <muster/graph/run/model.hpp>

#include "graph/graph_text.hpp"

namespace muster::graph {

/// A session that may use this backend alone.
inline Session session_on(std::string_view backend) {
    Policy policy;
    policy.backends = {{std::string(backend)}};
    policy.allow_tags = {{"debug", "software"}};
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

}  // namespace muster::graph
