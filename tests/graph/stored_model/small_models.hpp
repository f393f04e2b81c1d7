// small_models.hpp - models, their packages and artifacts, for the tests of this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <support/interpreting_double.hpp>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/stored_model/package.hpp>
#include <muster/graph/stored_model/stored_model.hpp>
#include <muster/graph/text/graph_text.hpp>

namespace muster::test {

/// Two kernels, one of them twice, and weights.
inline const std::string small_text = R"(graph "small" {
    input x: f32[N, 4]
    constant w: f32[4, 4] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
    constant v: f32[4, 4] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    a = MatMul(x, w) @ "first": f32[N, 4]
    b = MatMul(a, v) @ "second": f32[N, 4]
    y = Softmax(b) {axis = 1} @ "last": f32[N, 4]
    output y
})";

inline graph::Tensor rows(std::int64_t count) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < 4 * count; ++i) values.push_back(static_cast<float>(i % 5) / 8);
    return graph::Tensor::of<float>({count, 4}, std::span<const float>(values));
}

/// The package of a model for some numbers of rows. Without targets it has no codes.
inline graph::ModelPackage small_package(Session session, const std::vector<std::int64_t>& counts = {2},
                                         const std::vector<EmitOptions>& targets = {}) {
    const graph::Model model = graph::Model::open(session, graph::parse_graph(small_text).value()).value();
    std::vector<std::vector<graph::Tensor>> inputs;
    for (const std::int64_t count : counts) inputs.push_back({rows(count)});
    return graph::package_model(session, model, inputs, targets).value();
}

/// Bytes that an artifact is read from, and what keeps them.
struct HeldBytes {
    std::shared_ptr<std::vector<std::byte>> bytes;
    explicit HeldBytes(std::vector<std::byte> of)
        : bytes(std::make_shared<std::vector<std::byte>>(std::move(of))) {}
    Result<graph::ModelArtifact> read() const { return graph::read_model_artifact(*bytes, bytes); }
};

}  // namespace muster::test
