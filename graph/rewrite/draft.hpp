// draft.hpp - a graph while it is being rewritten: nodes are added and removed in place, and types follow.
//
//     Draft draft(graph);
//     for (NodeId at = draft.first(); at; at = draft.next(at)) {
//         TRY(draft.update(at));                                  // its outputs' facts, if an input's changed
//         if (draft.node(at).op == Operator::identity) draft.replace(draft.node(at).outputs[0], draft.node(at).inputs[0]);
//     }
//     Graph better = TRY(std::move(draft).finish());              // through GraphBuilder, which checks all again
//
// Ids of the graph stay valid; new nodes and values have new ones. Nodes are in an order in which each
// comes behind those whose outputs it reads: a node is added before one, and may read what that one
// may. Nodes whose outputs nobody uses any more are removed with their last use. Inputs and outputs of
// the graph keep their names.
//
// Threads: one at a time.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/build/graph_builder.hpp>
#include <muster/graph/infer/infer.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

class Draft {
  public:
    struct Value {
        std::string name;
        ValueFact fact;
        NodeId producer = {};            // none: an input or a constant
        bool is_input = false;           // of the graph
        std::uint32_t uses = 0;          // by nodes; a node that reads it twice counts twice
        std::uint32_t outputs = 0;       // how often it is an output of the graph
        std::vector<NodeId> users = {};  // those of `uses`, and some that no longer are: users_of()
    };
    struct Node {
        Operator op{};
        std::string name;
        std::vector<ValueId> inputs, outputs;
        std::vector<NamedAttribute> attributes;
        NodeId previous = {}, next = {};
        bool removed = false;
        bool stale = true;  // an input's fact changed
    };

    explicit Draft(const Graph& graph);

    NodeId first() const { return first_; }
    NodeId last() const { return last_; }
    NodeId next(NodeId id) const { return nodes_[id.index].next; }
    NodeId previous(NodeId id) const { return nodes_[id.index].previous; }
    std::uint32_t node_count() const { return node_count_; }  // without those removed
    const Node& node(NodeId id) const { return nodes_[id.index]; }
    const Value& value(ValueId id) const { return values_[id.index]; }
    std::span<const ValueId> inputs() const { return inputs_; }
    std::span<const ValueId> outputs() const { return outputs_; }
    Attributes attributes(NodeId id) const { return {info(node(id).op), node(id).attributes}; }
    const ValueFact& fact(ValueId id) const { return value(id).fact; }
    const Shape& shape(ValueId id) const { return value(id).fact.type.shape; }
    ElementType element(ValueId id) const { return value(id).fact.type.element; }
    /// The value's tensor, if it is a constant, else null; also for an absent value.
    const Tensor* constant(ValueId id) const { return id ? fact(id).constant.get() : nullptr; }
    bool is_used(ValueId id) const { return value(id).uses > 0 || value(id).outputs > 0; }
    std::vector<NodeId> users_of(ValueId id) const;
    /// Like Graph::label().
    std::string label(NodeId id) const;

    /// Infers the outputs of a stale node again, and makes their users stale if something
    /// changed. Errors: infer()'s.
    Result<void> update(NodeId id);
    void set_fact(ValueId id, ValueFact fact);

    void set_name(NodeId id, std::string name) { nodes_[id.index].name = std::move(name); }

    /// A new constant, named after `like`.
    ValueId add_constant(Tensor tensor, ValueId like);
    /// A new node of one output, named after `like`, before the node `before`. Errors:
    /// infer()'s; nothing is added then.
    Result<ValueId> add_node(NodeSpec spec, NodeId before, ValueId like);
    /// Lets nodes use `by` in the place of a node's output `old`, with its name if that is an output of the
    /// graph. Precondition: can_replace().
    void replace(ValueId old, ValueId by);
    /// False if the output's name can't move: `by` is itself an input or an output of the graph.
    bool can_replace(ValueId old, ValueId by) const;
    /// Lets the node that makes `by`, a value that nobody uses, make `old` instead.
    void adopt(ValueId old, ValueId by);
    /// Makes a node's output a constant. Removes the node if it has no other output.
    void make_constant(ValueId output, Tensor tensor);
    /// Lets one node use `by` in the place of one of its inputs.
    void set_input(NodeId id, std::size_t at, ValueId by);
    /// Lets nodes use `by` in the place of an input of the graph.
    void replace_uses(ValueId old, ValueId by);
    /// Removes a node if nobody uses its outputs, and then those that only it used. Returns how many.
    std::size_t remove_unused(NodeId id);

    /// Errors: GraphBuilder's.
    Result<Graph> finish() &&;

  private:
    void link_before(NodeId id, NodeId before);
    void remove(NodeId id);
    void release_producer(ValueId output);
    void make_users_stale(ValueId id);
    std::string fresh_name(ValueId like);
    Result<std::vector<ValueFact>> inferred(const Node& node) const;

    std::string name_;
    std::deque<Value> values_;  // references stay valid when one is added
    std::deque<Node> nodes_;
    std::vector<ValueId> inputs_, outputs_;
    NodeId first_, last_;
    std::uint32_t node_count_ = 0;
    std::unordered_set<std::string> names_;  // empty until a fresh name is wanted
    std::size_t fresh_names_ = 0;
};

}  // namespace muster::graph
