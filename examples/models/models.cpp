// Runs a model: the ONNX file that is given, or else a small graph that is written here. Its inputs
// are zeros of its own sizes.
#include <algorithm>
#include <cstdio>
#include <string>

#include <muster/graph.hpp>
#include <muster/onnx.hpp>

namespace {

constexpr std::string_view small = R"(graph "small" {
    input x: f32[2, 3]
    y = Exp(x)
    z = Softmax(y)
    output z
})";

std::vector<muster::graph::Tensor> zeros(const muster::graph::Graph& graph) {
    std::vector<muster::graph::Tensor> tensors;
    for (const muster::graph::ValueId id : graph.inputs()) {
        const muster::graph::TensorType& type = graph.value(id).type;
        std::vector<std::int64_t> sizes;
        std::int64_t count = 1;
        for (const muster::graph::Dimension& size : type.shape) {
            sizes.push_back(size.known().value_or(1));
            count *= sizes.back();
        }
        const std::size_t bytes = static_cast<std::size_t>(count) * muster::graph::bytes_of(type.element);
        tensors.push_back(
            muster::graph::Tensor::own(type.element, std::move(sizes), std::vector<std::byte>(bytes)));
    }
    return tensors;
}

}  // namespace

int main(int count, char** arguments) {
    using namespace muster;
    auto graph = count > 1 ? graph::import_onnx(arguments[1]) : graph::parse_graph(small);
    if (!graph) {
        std::fprintf(stderr, "%s\n", graph.error().to_string().c_str());
        return 1;
    }
    const std::vector<graph::Tensor> inputs = zeros(*graph);

    Session session = *Session::open();
    graph::Model model = *graph::Model::open(session, *graph);
    const auto outputs = model.run(inputs);
    if (!outputs) {
        std::fprintf(stderr, "%s\n", outputs.error().to_string().c_str());
        return 1;
    }
    for (const graph::Tensor& output : *outputs) {
        std::printf("%s:", to_string(output.type()).c_str());
        const std::vector<float> values = graph::floats(output);
        for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), 6); ++i)
            std::printf(" %g", static_cast<double>(values[i]));
        std::printf("\n");
    }
}
