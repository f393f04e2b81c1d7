// A model from the text of a graph, run on the backend that is linked; with an ONNX file, what that gives.
#include <cstdio>
#include <vector>

#include <muster/graph.hpp>
#ifdef WITH_ONNX
#include <muster/onnx.hpp>
#endif

int main(int count, char** arguments) {
    using namespace muster;
    graph::Graph model = *graph::parse_graph(R"(graph "small" {
        input x: f32[2, 2]
        y = MatMul(x, x)
        z = Relu(y)
        output z
    })");
#ifdef WITH_ONNX
    if (count > 1) {
        if (!graph::export_onnx(model, arguments[1])) return 1;
        model = *graph::import_onnx(arguments[1]);
    }
#else
    (void)count, (void)arguments;
#endif
    const std::vector<float> x{1, 2, 3, -4};
    const auto bytes = std::as_bytes(std::span(x));
    const std::vector inputs{
        graph::Tensor::own(graph::ElementType::f32, {2, 2}, {bytes.begin(), bytes.end()})};
    graph::Model ready = *graph::Model::open(*Session::open(), model);
    const auto outputs = ready.run(inputs);
    if (!outputs) {
        std::printf("%s\n", outputs.error().to_string().c_str());
        return 1;
    }
    for (const float element : graph::floats((*outputs)[0])) std::printf("%g ", static_cast<double>(element));
    std::printf("on %s\n", ready.route(inputs)->steps[0].route->execute()->backend.c_str());
}
