// conversion_site.hpp - the place of a graph where a conversion is tried: one node, and what it may do there.
//
//     Result<ConversionOutcome> relu_of_relu(ConversionSite& at) {
//         const auto inner = at.maker(at.input(0));
//         if (!inner || at.draft().node(*inner).op != Operator::relu) return ConversionOutcome::no_match();
//         return at.replace_by(at.input(0), {at.node()});
//     }
//
// Threads: one at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/rewrite/draft.hpp>

namespace muster::graph {

/// A conversion's finding at a node, or the change that it wants there.
struct ConversionOutcome {
    enum class Kind : std::uint8_t { no_match, refused, replaced, folded, removed };
    Kind kind = Kind::no_match;
    std::string reason = {};            // of a refusal: half a sentence
    ValueId value = {};                 // of a replacement: what takes the place of the node's first output
    std::vector<NodeId> replaced = {};  // the nodes that it stands for, for their names

    static ConversionOutcome no_match() { return {}; }
    static ConversionOutcome refused(std::string why) {
        return {.kind = Kind::refused, .reason = std::move(why)};
    }
};

class ConversionSite {
  public:
    ConversionSite(Draft& draft, NodeId node)
        : draft_(draft), node_(node), output_(draft.node(node).outputs[0]) {}

    const Draft& draft() const { return draft_; }
    NodeId node() const { return node_; }
    Operator op() const { return draft_.node(node_).op; }
    Attributes attributes() const { return draft_.attributes(node_); }
    /// An input of the node; ValueId() if it is absent.
    ValueId input(std::size_t at) const {
        const auto& inputs = draft_.node(node_).inputs;
        return at < inputs.size() ? inputs[at] : ValueId{};
    }
    /// The node's first output; ValueId() if it became a constant.
    ValueId output() const { return output_; }
    /// Like Graph::label(), also when the node is gone.
    std::string label() const;
    /// The node that makes a value as its first output, with no other one used; none if there isn't one.
    std::optional<NodeId> maker(ValueId value) const;
    /// True if one node uses it, once, and it isn't an output of the graph.
    bool has_one_use(ValueId value) const {
        return draft_.value(value).uses == 1 && draft_.value(value).outputs == 0;
    }

    ValueId add_constant(Tensor tensor) { return draft_.add_constant(std::move(tensor), output()); }
    /// Adds a node of one output before this one; `name` and `outputs` of the spec are
    /// ignored. Errors: infer()'s.
    Result<ValueId> add_node(NodeSpec spec);
    /// The outcome that `value` takes the place of this node's first output. `replaced`: the
    /// nodes that it stands for.
    ConversionOutcome replace_by(ValueId value, std::vector<NodeId> replaced) const {
        return {.kind = ConversionOutcome::Kind::replaced, .value = value, .replaced = std::move(replaced)};
    }
    /// The outcome of folding the node: folded, or no match.
    ConversionOutcome fold();
    /// The outcome of removing the node if nobody uses what it makes.
    ConversionOutcome remove_if_unused();

    /// The nodes that add_node() added.
    const std::vector<NodeId>& added() const { return added_; }

  private:
    Draft& draft_;
    NodeId node_;
    ValueId output_;
    std::vector<NodeId> added_;
};

}  // namespace muster::graph
