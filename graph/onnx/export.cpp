#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/base/version.hpp>
#include <muster/graph/onnx/export.hpp>
#include <muster/graph/onnx/model.hpp>

namespace muster::graph {
namespace {

using namespace onnx;

constexpr int usual_opset = 21;

/// The version of the format that came with an opset; from the first on that has it.
struct FormatVersion {
    int opset, ir;
};
constexpr std::array format_versions{FormatVersion{21, 10}, FormatVersion{23, 11}, FormatVersion{24, 12},
                                     FormatVersion{25, 13}, FormatVersion{28, 14}};

/// The first opset that has the node as it is.
int opset_of(const Graph& graph, NodeId node) {
    const Operator op = graph.node(node).op;
    // Before, a last window could start in the padding.
    if (op == Operator::max_pool || op == Operator::average_pool)
        return graph.attributes(node).flag("ceil_mode") ? 22 : 7;
    if (op == Operator::attention) {
        const Attributes attributes = graph.attributes(node);
        if (attributes.has("left_window_size") || attributes.has("right_window_size")) return 25;
        return graph.inputs(node).size() > 6 ? 24 : 23;
    }
    if (op == Operator::dequantize_linear && graph.attributes(node).has("output_dtype")) return 23;
    if (op == Operator::range && graph.value(graph.outputs(node)[0]).type.element == ElementType::f16)
        return 27;
    return info(op).since;
}

FileValue value_of(const Value& value) {
    FileValue to{
        .name = value.name, .type = info(value.type.element).onnx, .shape = std::vector<FileDimension>()};
    for (const Dimension& size : value.type.shape) {
        const bool named = !size.is_number() && !size.is_unknown();
        to.shape->push_back({size.known(), named ? to_string(size) : ""});
    }
    return to;
}

FileAttribute attribute_of(const NamedAttribute& attribute) {
    FileAttribute to{attribute.name, "", {}};
    std::visit(
        [&](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Tensor>)
                to.value = file_tensor("", value);
            else
                to.value = value;
        },
        attribute.value);
    return to;
}

/// The names of a file's nodes. A graph may have a name twice, where one node became several; a file may not,
/// and other runtimes refuse it. The first node keeps the name, and each further one gets a number behind it.
class NodeNames {
  public:
    explicit NodeNames(const Graph& graph) {
        for (const NodeId id : graph.nodes()) taken_.insert(graph.node(id).name);
    }
    std::string of(const std::string& name) {
        const auto [found, is_first] = numbers_.try_emplace(name, 1);
        if (name.empty() || is_first) return name;
        for (;;) {
            std::string numbered = fmt::format("{}~{}", name, ++found->second);
            if (taken_.insert(numbered).second) return numbered;
        }
    }

  private:
    std::unordered_set<std::string> taken_;
    std::map<std::string, std::size_t> numbers_;  // the last behind each name
};

FileNode node_of(const Graph& graph, NodeId id, NodeNames& names) {
    FileNode node{.name = names.of(graph.node(id).name), .op = std::string(info(graph.node(id).op).name)};
    const auto name = [&](ValueId value) { return value ? graph.value(value).name : std::string(); };
    for (const ValueId input : graph.inputs(id)) node.inputs.push_back(name(input));
    for (const ValueId output : graph.outputs(id)) node.outputs.push_back(name(output));
    for (const NamedAttribute& attribute : graph.attributes(id).said())
        node.attributes.push_back(attribute_of(attribute));
    return node;
}

FileModel model_of(const Graph& graph) {
    FileGraph to{.name = graph.name().empty() ? "graph" : std::string(graph.name())};
    int opset = usual_opset;
    NodeNames names(graph);
    for (const NodeId id : graph.nodes()) {
        opset = std::max(opset, opset_of(graph, id));
        to.nodes.push_back(node_of(graph, id, names));
    }
    for (std::uint32_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value({i});
        if (value.constant) to.initializers.push_back(file_tensor(value.name, *value.constant));
    }
    for (const ValueId input : graph.inputs()) to.inputs.push_back(value_of(graph.value(input)));
    for (const ValueId output : graph.outputs()) to.outputs.push_back(value_of(graph.value(output)));
    const auto format = std::ranges::find_if(format_versions.rbegin(), format_versions.rend(),
                                             [&](const FormatVersion& row) { return row.opset <= opset; });
    return {.ir_version = format->ir,
            .producer = fmt::format("muster {}", version),
            .opsets = {{"", opset}},
            .graph = std::move(to)};
}

}  // namespace

Result<void> export_onnx(const Graph& graph, const std::filesystem::path& path) {
    return during([&] { return fmt::format("exporting to {}", printable(path.string())); },
                  write_model(model_of(graph), path));
}

Result<std::vector<std::byte>> export_onnx_bytes(const Graph& graph) { return model_bytes(model_of(graph)); }

}  // namespace muster::graph
