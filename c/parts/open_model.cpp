#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include <muster/c/parts/open_model.hpp>
#include <muster/c/parts/tensors.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/run/model.hpp>
#include <muster/graph/stored_model/stored_model.hpp>
#include <muster/graph/text/graph_text.hpp>
#if defined(MUSTER_PARTS_HAVE_ONNX)
#include <muster/graph/onnx/import.hpp>
#endif

namespace muster::c {
namespace {

report::Json report(const graph::RunSummary& summary) {
    report::Json steps = report::Json::array();
    for (const graph::ModelStep& step : summary.steps) {
        const Execute* const execute = step.route ? step.route->execute() : nullptr;
        steps.push_back({{"nodes", step.nodes},
                         {"pattern", step.pattern},
                         {"kernels", step.kernels},
                         {"device", step.kernels == 0    ? "in place"
                                    : execute != nullptr ? execute->id()
                                                         : "nowhere"}});
    }
    return {{"pack", summary.pack},
            {"pack_keeps_bits", summary.pack_keeps_bits},
            {"notes", summary.notes},
            {"weight_bytes", summary.weight_bytes},
            {"activation_bytes", summary.activation_bytes},
            {"steps", steps}};
}

report::Json report(const std::vector<graph::KernelTime>& times) {
    report::Json kernels = report::Json::array();
    for (const graph::KernelTime& one : times)
        kernels.push_back({{"step", one.step}, {"start_ms", one.start_ms}, {"ms", one.ms}});
    return kernels;
}

/// A model of either kind, which have the same functions.
template <class Model>
class Opened final : public OpenModel {
  public:
    Opened(Model model, std::string name, std::vector<ModelEnd> inputs, std::vector<ModelEnd> outputs)
        : model_(std::move(model)),
          name_(std::move(name)),
          inputs_(std::move(inputs)),
          outputs_(std::move(outputs)) {}
    std::string name() const override { return name_; }
    std::vector<ModelEnd> inputs() const override { return inputs_; }
    std::vector<ModelEnd> outputs() const override { return outputs_; }
    Result<std::vector<HostTensor>> run(std::span<const HostTensor> inputs) override {
        return host_tensors(TRY(model_.run(TRY(tensors_of(inputs)))));
    }
    Result<report::Json> prepare(std::span<const HostTensor> inputs) override {
        return report(TRY(model_.prepare(TRY(tensors_of(inputs)))));
    }
    Result<report::Json> route(std::span<const HostTensor> inputs) override {
        return report(TRY(model_.route(TRY(tensors_of(inputs)))));
    }
    Result<report::Json> profile(std::span<const HostTensor> inputs) override {
        return report(TRY(model_.profile(TRY(tensors_of(inputs)))));
    }

  private:
    Model model_;
    const std::string name_;
    const std::vector<ModelEnd> inputs_, outputs_;
};

Result<std::shared_ptr<OpenModel>> open_graph(Session session, const graph::Graph& graph,
                                              const ModelSource& source) {
    std::vector<ModelEnd> inputs, outputs;
    for (const graph::ValueId id : graph.inputs()) inputs.push_back(end_of(graph.value(id)));
    for (const graph::ValueId id : graph.outputs()) outputs.push_back(end_of(graph.value(id)));
    graph::Model model = TRY(graph::Model::open(std::move(session), graph,
                                                {.compile = source.compile.value_or(CompileOptions())}));
    return std::make_shared<Opened<graph::Model>>(std::move(model), std::string(graph.name()),
                                                  std::move(inputs), std::move(outputs));
}

std::vector<ModelEnd> ends_of(const graph::ModelArtifact& artifact,
                              std::vector<graph::RunTensor> graph::RunPlan::*ends) {
    std::vector<ModelEnd> all;
    for (std::size_t i = 0; i < (artifact.choices.front().*ends).size(); ++i) {
        const graph::RunTensor& first = (artifact.choices.front().*ends)[i];
        graph::Shape shape;
        for (std::size_t axis = 0; axis < first.sizes.size(); ++axis) {
            bool is_same = true;
            for (const graph::RunPlan& plan : artifact.choices)
                is_same = is_same && (plan.*ends)[i].sizes[axis] == first.sizes[axis];
            shape.push_back(is_same ? graph::Dimension(first.sizes[axis]) : graph::Dimension::unknown());
        }
        all.push_back(end_of({.name = first.name, .type = {first.element, std::move(shape)}}));
    }
    return all;
}

Result<std::shared_ptr<OpenModel>> open_artifact(Session session, graph::ModelArtifact artifact,
                                                 const ModelSource& source) {
    if (artifact.choices.empty())
        return fail(ErrorCode::invalid_argument, "The artifact of the model has no plan.", "package it anew");
    std::string name = artifact.name;
    std::vector<ModelEnd> inputs = ends_of(artifact, &graph::RunPlan::inputs);
    std::vector<ModelEnd> outputs = ends_of(artifact, &graph::RunPlan::outputs);
    return std::make_shared<Opened<graph::StoredModel>>(
        TRY(graph::StoredModel::open(std::move(session), std::move(artifact), source.compile)),
        std::move(name), std::move(inputs), std::move(outputs));
}

/// The bytes are kept by a copy of their own, aligned as devices wrap memory.
Result<graph::ModelArtifact> artifact_of(std::span<const std::byte> data) {
    struct alignas(wrapped_alignment) Block {
        std::byte bytes[wrapped_alignment];
    };
    const auto copy = std::make_shared<std::vector<Block>>((data.size() + sizeof(Block) - 1) / sizeof(Block));
    auto* const bytes = reinterpret_cast<std::byte*>(copy->data());
    std::copy(data.begin(), data.end(), bytes);
    return graph::read_model_artifact({bytes, data.size()}, copy);
}

/// Text begins with "graph", behind spaces and comments.
bool is_graph_text(std::span<const std::byte> data) {
    const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
    std::size_t at = 0;
    while (at < text.size() &&
           (text[at] == '#' || text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) {
        if (text[at] == '#') at = std::min(text.find('\n', at), text.size() - 1);
        ++at;
    }
    return text.substr(at).starts_with("graph");
}

Result<std::string> read_whole(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return fail(ErrorCode::not_found, fmt::format("There is no file {}.", printable(path)),
                    "check its path");
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (file.bad()) return fail(ErrorCode::io_failed, fmt::format("{} can't be read.", printable(path)), {});
    return bytes;
}

#if defined(MUSTER_PARTS_HAVE_ONNX)
Result<graph::Graph> import_model(std::span<const std::byte> data, const ModelSource& source) {
    graph::ImportOptions options{.folder = source.folder, .sizes = source.sizes};
    for (const auto& [name, tensor] : source.constants)
        options.constants.emplace_back(name, TRY(tensor_of(tensor)));
    if (!source.path.empty()) return graph::import_onnx(source.path, options);
    return graph::import_onnx_bytes(data, options);
}
#else
Result<graph::Graph> import_model(std::span<const std::byte>, const ModelSource&) {
    return fail(ErrorCode::unavailable,
                "It is an ONNX model, and this muster was built without their import.",
                "build it with protobuf and ONNX's messages");
}
#endif

/// Refuses constants for a model that isn't ONNX's.
Result<void> check_no_constants(const ModelSource& source) {
    if (source.constants.empty() && source.sizes.empty()) return {};
    return fail(ErrorCode::invalid_argument, "Constants and sizes are for models in ONNX's format.",
                "leave them out");
}

}  // namespace

Result<std::shared_ptr<OpenModel>> open_model(Session session, const ModelSource& source) {
    std::string file;
    std::span<const std::byte> data = source.data;
    if (!source.path.empty()) {
        file = TRY(read_whole(source.path));
        data = std::as_bytes(std::span(file));
    }
    if (graph::is_model_artifact(data)) {
        TRY(check_no_constants(source));
        graph::ModelArtifact artifact =
            source.path.empty() ? TRY(artifact_of(data)) : TRY(graph::load_model_artifact(source.path));
        return open_artifact(std::move(session), std::move(artifact), source);
    }
    if (is_graph_text(data)) {
        TRY(check_no_constants(source));
        return open_graph(std::move(session),
                          TRY(graph::parse_graph({reinterpret_cast<const char*>(data.data()), data.size()},
                                                 source.path.empty() ? "graph" : source.path)),
                          source);
    }
    return open_graph(std::move(session), TRY(import_model(data, source)), source);
}

}  // namespace muster::c
