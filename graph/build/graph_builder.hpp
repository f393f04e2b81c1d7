// graph_builder.hpp - builds a Graph, and checks each step as it is made.
//
//     GraphBuilder builder("net");
//     const ValueId x = TRY(builder.input("x", {ElementType::f32, {Dimension::symbol("N"), 4}}));
//     const ValueId w = TRY(builder.constant("w", Tensor::of<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})));
//     const std::vector<ValueId> y = TRY(builder.node({.op = Operator::matmul, .inputs = {x, w}, .outputs = {"y"}}));
//     TRY(builder.output(y[0]));
//     Graph graph = TRY(std::move(builder).finish());
//
// Types and shapes of outputs are inferred. A failed step changes nothing: the builder can be used further.
// Errors name node and tensor:
//
//     Input "w" (W) is f32[8, 4, 3, 3], and ...
//       while adding node "conv1" (Conv)
//
// Threads: one at a time.
#pragma once

#include <string>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/infer/infer.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

/// A node to add.
struct NodeSpec {
    Operator op{};
    std::string name = {};                  // may be empty
    std::vector<ValueId> inputs = {};       // an absent optional input: ValueId()
    std::vector<std::string> outputs = {};  // their names; an absent optional output: ""
    std::vector<NamedAttribute> attributes = {};
};

class GraphBuilder {
  public:
    explicit GraphBuilder(std::string name);
    /// Makes room for so many values and nodes, which only saves time.
    void reserve(std::size_t values, std::size_t nodes);

    /// Errors: conflict (the name is taken), invalid_program (an empty name, a
    /// negative size), limit_exceeded.
    Result<ValueId> input(std::string name, TensorType type);
    /// Errors: those of input().
    Result<ValueId> constant(std::string name, Tensor tensor);
    /// The outputs, an absent one as ValueId(). Errors: invalid_program (what the schema or inference
    /// refuses), conflict, unsupported, limit_exceeded.
    Result<std::vector<ValueId>> node(NodeSpec spec);
    /// A value may be an output several times. Errors: invalid_program (no value of this builder).
    Result<void> output(ValueId value);
    /// Errors: invalid_program (the graph has no outputs).
    Result<Graph> finish() &&;

    const ValueFact& fact(ValueId value) const { return facts_[value.index]; }
    std::string_view name(ValueId value) const { return data_->values[value.index].name; }
    std::optional<ValueId> find(std::string_view name) const;

  private:
    Result<void> check_name(std::string_view name) const;
    Result<void> check_node(const NodeSpec& spec) const;
    ValueId add(std::string name, ValueFact fact, NodeId producer);
    Result<std::vector<ValueFact>> inferred(const NodeSpec& spec) const;

    struct NameHash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::shared_ptr<GraphData> data_;
    std::vector<ValueFact> facts_;  // of data_->values
    std::unordered_map<std::string, ValueId, NameHash, std::equal_to<>> by_name_;
};

}  // namespace muster::graph
