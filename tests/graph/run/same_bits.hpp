// same_bits.hpp - compares what a graph gives on the backends that are here with the evaluator.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "graph/run/run_graph.hpp"

namespace muster::graph {

/// True if the tensors have the same bits; any NaN is any other.
inline bool same_bits(const Tensor& a, const Tensor& b) {
    if (a == b) return true;
    if (a.type() != b.type() || !is_float(a.element())) return false;
    return std::ranges::equal(floats(a), floats(b), [](float x, float y) {
        return (x != x && y != y) || std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
    });
}

/// The graph's outputs on these backends, where they are here, are the evaluator's, bit for bit; or, with a bound, the same on all and
/// within it of the evaluator's largest.
inline void same_bits_on(std::span<const std::string_view> backends, std::string_view statements,
                         const std::vector<Tensor>& inputs, double bound = 0) {
    CAPTURE(statements);
    const Graph graph = graph_of(statements);
    const auto wanted = evaluate(graph, inputs);
    if (!wanted) FAIL(wanted.error().to_string());
    std::vector<Tensor> first;  // of the backends
    for (const std::string_view backend : backends) {
        CAPTURE(backend);
        Model model = *Model::open(session_on(backend), graph);
        const auto got = model.run(inputs);
        if (!got) {
            // Where the backend isn't there, or has no device.
            CHECK_MESSAGE((got.error().code == ErrorCode::refused && backend != "cpu"),
                          got.error().to_string());
            continue;
        }
        REQUIRE(got->size() == wanted->size());
        for (std::size_t i = 0; i < got->size(); ++i) {
            if (bound == 0)
                CHECK(same_bits((*got)[i], (*wanted)[i]));
            else
                CHECK(difference((*got)[i], (*wanted)[i]) <= bound);
            if (first.empty()) continue;
            CHECK(same_bits((*got)[i], first[i]));
        }
        if (first.empty()) first = *std::move(got);
    }
}

/// The same of seeded inputs, on every backend but OpenCL, whose compiler takes its time.
inline void same_bits_everywhere(std::string_view statements, double bound = 0) {
    constexpr std::array<std::string_view, 3> backends{"cpu", "vulkan", "reference"};
    same_bits_on(backends, statements, seeded_inputs(graph_of(statements)), bound);
}

}  // namespace muster::graph
