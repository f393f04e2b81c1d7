// graph_double.hpp - a backend for tests that compiles parts of models itself, and runs them with the evaluator: what a fake accelerator
// that takes some operators would do. It runs no kernels.
//
//     auto npu = std::make_shared<GraphScript>();
//     npu->takes = {"Conv", "Relu"};
//     Session session = *Session::open({.fleet = std::make_shared<Fleet>(std::vector{graph_entry(npu), entry(cpu)})});
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <support/doubles.hpp>

#include <muster/driver/contract/graph_compiler.hpp>
#include <muster/foundation/base/byte_archive.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/evaluate/evaluate.hpp>
#include <muster/graph/ir/operator.hpp>
#include <muster/graph/run/device_tensor.hpp>
#include <muster/graph/text/graph_text.hpp>

namespace muster::test {

struct GraphScript {
    std::string id = "npu";
    std::uint32_t rank = 0;
    std::set<std::string> takes;  // operators
    std::string cannot_compile;   // a part that has this in its text
    bool throws = false;          // preprocess
    std::uint32_t most_bindings = 8;
    std::atomic<int> preprocessed{0}, submits{0};
    std::mutex mutex;
    std::vector<std::string> texts;  // of the parts

    DeviceInfo device() const {
        DeviceInfo info = fit_device();
        info.name = "a fake accelerator";
        info.limits.max_storage_bindings = most_bindings;
        info.ops = graph_part_operations(id);
        return info;
    }
};
using GraphScriptPointer = std::shared_ptr<GraphScript>;

struct GraphMemory final : Memory {
    std::vector<std::byte> data;
    std::uint64_t bytes() const override { return data.size(); }
};

struct GraphExecutable final : Executable {
    graph::Graph part;
    std::vector<graph::Tensor> constants;  // behind the other inputs
    GraphExecutable(graph::Graph of, std::vector<graph::Tensor> with)
        : part(std::move(of)), constants(std::move(with)) {}
};

class GraphDevice final : public Device {
  public:
    explicit GraphDevice(GraphScriptPointer script) : script_(std::move(script)), info_(script_->device()) {}
    const DeviceInfo& info() const override { return info_; }
    Result<Artifact> compile(const ValidProgram&, const CompileOptions&) override {
        return fail(ErrorCode::unsupported, "The fake accelerator compiles no kernels.");
    }
    /// The bytes are the part's text and its constants.
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override {
        ByteReader reader(artifact.bytes);
        std::string text;
        std::vector<std::vector<std::byte>> stored;
        reader.text("text", text);
        reader.list("constants", stored, [&](auto& each) { reader.blob("constant", each); });
        if (artifact.format != graph_part_format || !reader.done())
            return fail(ErrorCode::invalid_argument, "This isn't a part for the fake accelerator.");
        graph::Graph part = TRY(graph::parse_graph(text));
        std::vector<graph::Tensor> constants;
        const std::size_t first = part.inputs().size() - stored.size();
        for (std::size_t i = 0; i < stored.size(); ++i) {
            const graph::TensorType& type = part.value(part.inputs()[first + i]).type;
            constants.push_back(graph::Tensor::own(type.element, sizes(type), std::move(stored[i])));
        }
        return std::make_unique<GraphExecutable>(std::move(part), std::move(constants));
    }
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override {
        auto memory = std::make_unique<GraphMemory>();
        memory->data.resize(bytes);
        return memory;
    }
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override {
        std::memcpy(static_cast<GraphMemory&>(memory).data.data() + offset, from.data(), from.size());
        return {};
    }
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override {
        std::memcpy(to.data(), static_cast<const GraphMemory&>(memory).data.data() + offset, to.size());
        return {};
    }
    Result<Submitted> submit(const Launch& launch) override {
        ++script_->submits;
        const auto& loaded = static_cast<const GraphExecutable&>(*launch.executable);
        const auto bound = [&](std::size_t i) {
            const BoundMemory& one = launch.bindings[i];
            return static_cast<GraphMemory*>(one.memory)->data.data() + one.offset;
        };
        std::vector<graph::Tensor> inputs;
        const std::size_t count = loaded.part.inputs().size() - loaded.constants.size();
        for (std::size_t i = 0; i < count; ++i) {
            const graph::TensorType& type = loaded.part.value(loaded.part.inputs()[i]).type;
            const auto bytes =
                static_cast<std::size_t>(graph::checked_element_count(sizes(type)).value() *
                                         static_cast<std::int64_t>(graph::device_bytes(type.element)));
            inputs.push_back(graph::from_device(type.element, sizes(type), {bound(i), bound(i) + bytes}));
        }
        inputs.insert(inputs.end(), loaded.constants.begin(), loaded.constants.end());
        const std::vector<graph::Tensor> outputs = TRY(graph::evaluate(loaded.part, inputs));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const std::vector<std::byte> bytes = TRY(graph::to_device(outputs[i]));
            std::memcpy(bound(count + i), bytes.data(), bytes.size());
        }
        return Timing{1};
    }
    void abandon() override {}

  private:
    static std::vector<std::int64_t> sizes(const graph::TensorType& type) {
        std::vector<std::int64_t> sizes;
        for (const graph::Dimension& size : type.shape) sizes.push_back(size.number());
        return sizes;
    }
    GraphScriptPointer script_;
    DeviceInfo info_;
};

class GraphDouble final : public Backend, GraphCompiler {
  public:
    explicit GraphDouble(GraphScriptPointer script) : script_(std::move(script)) {}
    std::string_view id() const override { return script_->id; }
    Result<std::vector<DeviceInfo>> probe() override { return std::vector{script_->device()}; }
    Result<std::unique_ptr<Device>> open(std::uint32_t) override {
        return std::make_unique<GraphDevice>(script_);
    }
    std::string default_arch() const override { return "d1"; }
    std::span<const std::string> formats() const override { return {}; }
    std::span<const SpecInfo> specs() const override { return {}; }
    Result<Target> describe(std::string_view) override {
        return fail(ErrorCode::not_found, "The fake accelerator emits nothing.");
    }
    Result<Artifact> emit(const ValidProgram&, const Target&, const EmitRequest&) override {
        return fail(ErrorCode::unsupported, "The fake accelerator emits nothing.");
    }
    GraphCompiler* graph_compiler() override { return this; }

  private:
    using Backend::objection;
    std::string objection(const GraphPart& node) const override {
        const auto graph = graph::parse_graph(node.text);
        if (!graph) return graph.error().message;
        const std::string op(graph::info(graph->node(graph->nodes()[0]).op).name);
        return script_->takes.contains(op) ? std::string() : "It has no " + op + ".";
    }
    Result<CompiledPart> preprocess(const GraphPart& part, const CompileOptions&) override {
        ++script_->preprocessed;
        if (script_->throws) throw std::runtime_error("out of registers");
        if (!script_->cannot_compile.empty() && part.text.find(script_->cannot_compile) != std::string::npos)
            return fail(ErrorCode::compile_failed, "It is too large for the fake accelerator.");
        const std::lock_guard lock(script_->mutex);
        script_->texts.push_back(part.text);
        ByteWriter writer;
        writer.text("text", part.text);
        writer.list("constants", part.constants,
                    [&](const PartConstant& each) { writer.blob("constant", each.bytes); });
        CompiledPart compiled{.bytes = std::move(writer).take(), .debug_map = {}};
        const graph::Graph graph = TRY(graph::parse_graph(part.text));
        for (const graph::NodeId node : graph.nodes())
            compiled.debug_map.push_back({16 * node.index, graph.node(node).name});
        return compiled;
    }
    GraphScriptPointer script_;
};

inline FleetEntry graph_entry(const GraphScriptPointer& script) {
    return {.id = script->id,
            .rank = script->rank,
            .dispatches = true,
            .supported_ops = script->device().ops,
            .factory = [script]() -> Result<std::unique_ptr<Backend>> {
                return std::make_unique<GraphDouble>(script);
            },
            .fault = {}};
}

}  // namespace muster::test
