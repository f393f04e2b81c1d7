// run_model FILE.muster - runs a model from its artifact with zeros for inputs; prints each output's size and first element, the times
// and the peak memory. It links muster::runtime: it has neither graphs nor anything that compiles.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include <muster/driver/session/session.hpp>
#include <muster/graph/stored_model/stored_model.hpp>

namespace {

using namespace muster;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::vector<graph::Tensor> zeros(const graph::RunPlan& plan) {
    std::vector<graph::Tensor> tensors;
    for (const graph::RunTensor& input : plan.inputs) {
        const auto count = graph::checked_element_count(input.sizes).value();
        std::vector<std::byte> bytes(static_cast<std::size_t>(count) * graph::bytes_of(input.element));
        tensors.push_back(graph::Tensor::own(input.element, input.sizes, std::move(bytes)));
    }
    return tensors;
}

Result<int> run(const char* path) {
    const Clock::time_point begin = Clock::now();
    auto artifact = graph::load_model_artifact(path);
    if (!artifact) return std::unexpected(artifact.error());
    const std::vector<graph::Tensor> inputs = zeros(artifact->choices.front());
    auto session = Session::open();
    if (!session) return std::unexpected(session.error());
    auto model = graph::StoredModel::open(*session, *std::move(artifact));
    if (!model) return std::unexpected(model.error());
    const Clock::time_point opened = Clock::now();
    if (auto prepared = model->prepare(inputs); !prepared) return std::unexpected(prepared.error());
    const double prepare_ms = ms_since(opened);
    const Clock::time_point ran = Clock::now();
    const auto outputs = model->run(inputs);
    if (!outputs) return std::unexpected(outputs.error());
    const double run_ms = ms_since(ran), all_ms = ms_since(begin);
    for (const graph::Tensor& output : *outputs) {
        const float first = output.element() == graph::ElementType::f32 && output.count() > 0
                                ? output.values<float>().front()
                                : 0;
        std::printf("%s, first %g\n", to_string(output.type()).c_str(), static_cast<double>(first));
    }
    std::printf("open %.2f ms, prepare %.2f ms, first run %.2f ms, all %.2f ms\n",
                all_ms - prepare_ms - run_ms, prepare_ms, run_ms, all_ms);
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM")) std::printf("%s\n", line.c_str());
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: run_model FILE.muster\n");
        return 2;
    }
    const auto status = run(arguments[1]);
    if (status) return *status;
    std::printf("%s\n", status.error().to_string().c_str());
    return 1;
}
