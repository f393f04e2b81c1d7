// graph.hpp - the IR of models: a graph of operators on tensors, in SSA, typed, immutable, cheap to copy.
//
//     for (const NodeId id : graph.nodes())
//         fmt::print("{} {}\n", graph.label(id), to_string(graph.value(graph.outputs(id)[0]).type));
//
// A value is an input of the graph, a constant, or an output of exactly one node. Values have names, which
// differ; nodes may have one (the model's, for messages and debug maps). Nodes are in an order in which each
// comes behind those whose outputs it reads. What GraphBuilder makes
// (graph/build/graph_builder.hpp) has passed all checks: numbers of inputs and outputs,
// attributes, element types, shapes.
//
// Canonical: attributes are sorted by name and say only what isn't the default; optional inputs and
// outputs that are absent at the end are left out. Values are numbered: inputs, constants and outputs of
// nodes as they were added.
//
// Threads: values; a copy shares the data.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <muster/graph/ir/attribute.hpp>
#include <muster/graph/ir/operator.hpp>
#include <muster/graph/ir/shape.hpp>
#include <muster/graph/ir/tensor.hpp>

namespace muster::graph {

/// A value; the one made by default is absent: an optional input that isn't given, or
/// output that isn't wanted.
struct ValueId {
    std::uint32_t index = UINT32_MAX;
    constexpr auto operator<=>(const ValueId&) const = default;
    constexpr explicit operator bool() const { return index != UINT32_MAX; }
};
struct NodeId {
    std::uint32_t index = UINT32_MAX;
    constexpr auto operator<=>(const NodeId&) const = default;
    constexpr explicit operator bool() const { return index != UINT32_MAX; }
};

struct Value {
    std::string name;
    TensorType type;
    NodeId producer = {};                         // none: an input or a constant
    std::shared_ptr<const Tensor> constant = {};  // null: not a constant
};

struct Node {
    Operator op{};
    std::string name;
    std::uint32_t first_input = 0, input_count = 0;
    std::uint32_t first_output = 0, output_count = 0;
    std::uint32_t first_attribute = 0, attribute_count = 0;
};

/// The arenas of a graph. Internal: GraphBuilder fills them.
struct GraphData {
    std::string name;
    std::vector<Value> values;
    std::vector<Node> nodes;
    std::vector<ValueId> inputs_of_nodes, outputs_of_nodes;
    std::vector<NamedAttribute> attributes;
    std::vector<ValueId> inputs, outputs;
    std::unordered_map<std::string_view, ValueId> by_name;  // of the names in `values`, which no longer move
};

class Graph {
  public:
    explicit Graph(std::shared_ptr<const GraphData> data) : data_(std::move(data)) {}

    std::string_view name() const { return data_->name; }
    std::span<const ValueId> inputs() const { return data_->inputs; }
    std::span<const ValueId> outputs() const { return data_->outputs; }

    std::uint32_t value_count() const { return static_cast<std::uint32_t>(data_->values.size()); }
    const Value& value(ValueId id) const { return data_->values[id.index]; }
    std::optional<ValueId> find(std::string_view value_name) const;

    std::uint32_t node_count() const { return static_cast<std::uint32_t>(data_->nodes.size()); }
    auto nodes() const {
        return std::views::iota(0u, node_count()) |
               std::views::transform([](std::uint32_t i) { return NodeId{i}; });
    }
    const Node& node(NodeId id) const { return data_->nodes[id.index]; }
    std::span<const ValueId> inputs(NodeId id) const {
        return {data_->inputs_of_nodes.data() + node(id).first_input, node(id).input_count};
    }
    std::span<const ValueId> outputs(NodeId id) const {
        return {data_->outputs_of_nodes.data() + node(id).first_output, node(id).output_count};
    }
    Attributes attributes(NodeId id) const {
        return {info(node(id).op),
                {data_->attributes.data() + node(id).first_attribute, node(id).attribute_count}};
    }
    /// `"conv1" (Conv)`, or, of a node without a name, `that makes "y" (Conv)`; for messages, behind "Node ".
    std::string label(NodeId id) const;

  private:
    std::shared_ptr<const GraphData> data_;
};

/// True if both have the same nodes, values, types, constants and attributes in the same
/// order, whatever the names.
bool same_structure(const Graph& a, const Graph& b);

}  // namespace muster::graph
