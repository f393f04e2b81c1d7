#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/rewrite/fuse.hpp>
#include <muster/graph/rewrite/match.hpp>

namespace muster::graph {
namespace {

constexpr std::uint32_t no_group = UINT32_MAX;

class Fuser {
  public:
    explicit Fuser(const Graph& graph)
        : graph_(graph), draft_(graph), group_of_(graph.node_count(), no_group) {
        for (const NodeId node : graph.nodes())
            by_operator_[static_cast<std::size_t>(graph.node(node).op)].push_back(node);
    }

    Result<void> apply(const FusionPattern& pattern);
    Fused finish() &&;

  private:
    using Nodes = std::set<NodeId>;

    void apply(const FusionPattern& pattern, std::span<const Formula> formulas);
    void try_at(const FusionPattern& pattern, std::span<const Formula> formulas, NodeId node);
    void apply_element_wise(const FusionPattern& pattern);
    bool is_free(NodeId node, const FusionPattern& pattern, NodeId root);
    bool can_join(NodeId node, const Shape& shape) const;
    bool fits(const FusionPattern& pattern, const Nodes& nodes) const;
    bool is_used_by_others(ValueId value, const Nodes& nodes) const;
    void grow_epilogue(const FusionPattern& pattern, Nodes& nodes, ValueId result) const;
    std::optional<ValueId> next_result(const FusionPattern& pattern, Nodes& nodes, ValueId result) const;
    Nodes grow_element_wise(const FusionPattern& pattern, NodeId root) const;
    void add(const Nodes& nodes, const FusionPattern* pattern);
    void refuse(const FusionPattern& pattern, NodeId node, std::string reason);

    const Graph& graph_;
    Draft draft_;
    std::vector<std::uint32_t> group_of_;  // by node
    std::array<std::vector<NodeId>, operator_count> by_operator_;
    Fused fused_;
};

void Fuser::refuse(const FusionPattern& pattern, NodeId node, std::string reason) {
    if (fused_.report.refused.size() < most_refusals)
        fused_.report.refused.push_back({pattern.name, graph_.label(node), std::move(reason)});
}

/// True if no group has the node; otherwise notes the group that has it.
bool Fuser::is_free(NodeId node, const FusionPattern& pattern, NodeId root) {
    const std::uint32_t taken = group_of_[node.index];
    if (taken == no_group) return true;
    refuse(pattern, root,
           fmt::format("node {} is in a group of \"{}\"", graph_.label(node),
                       printable(fused_.groups[taken].pattern->name)));
    return false;
}

/// True if growth may take the node: it is free, element-wise, and of this shape.
bool Fuser::can_join(NodeId node, const Shape& shape) const {
    const auto outputs = graph_.outputs(node);
    return group_of_[node.index] == no_group && is_elementwise(graph_, node) && outputs.size() == 1 &&
           std::ranges::equal(graph_.value(outputs[0]).type.shape, shape, provably_equal);
}

bool Fuser::fits(const FusionPattern& pattern, const Nodes& nodes) const {
    std::set<ValueId> inputs;
    for (const NodeId node : nodes) {
        for (const ValueId input : graph_.inputs(node)) {
            // A constant of one element stands in the kernel's text.
            const auto& constant = input ? graph_.value(input).constant : nullptr;
            const bool is_scalar = constant && constant->count() == 1;
            if (input && !is_scalar && !nodes.contains(graph_.value(input).producer)) inputs.insert(input);
        }
    }
    return nodes.size() <= pattern.most_nodes && inputs.size() <= pattern.most_inputs;
}

bool Fuser::is_used_by_others(ValueId value, const Nodes& nodes) const {
    if (draft_.value(value).outputs > 0) return true;
    return std::ranges::any_of(draft_.value(value).users, [&](NodeId user) { return !nodes.contains(user); });
}

/// Extends the nodes by element-wise ones up to the next value that alone leads on from
/// `result`; none if there is none. Between the two lie a few nodes where `result` is used more
/// than once, as in x * Sigmoid(x).
std::optional<ValueId> Fuser::next_result(const FusionPattern& pattern, Nodes& nodes, ValueId result) const {
    constexpr std::size_t most_between = 16;
    const Shape& shape = graph_.value(result).type.shape;
    std::set<ValueId> open{result};
    Nodes grown = nodes;
    for (std::size_t i = 0; i < most_between; ++i) {
        NodeId next;
        for (const ValueId value : open) {
            if (draft_.value(value).outputs > 0 || draft_.value(value).users.size() > most_between)
                return std::nullopt;
            for (const NodeId user : draft_.value(value).users) {
                if (!grown.contains(user)) next = std::min(next, user);
            }
        }
        if (!next || !can_join(next, shape)) return std::nullopt;
        if (graph_.node(next).op == Operator::dequantize_linear)
            return std::nullopt;  // for the product behind
        grown.insert(next);
        if (!fits(pattern, grown)) return std::nullopt;
        open.insert(graph_.outputs(next)[0]);
        std::erase_if(open, [&](ValueId value) {
            return value != graph_.outputs(next)[0] && !is_used_by_others(value, grown);
        });
        if (open.size() > 1) continue;
        nodes = std::move(grown);
        return graph_.outputs(next)[0];
    }
    return std::nullopt;
}

void Fuser::grow_epilogue(const FusionPattern& pattern, Nodes& nodes, ValueId result) const {
    while (const auto next = next_result(pattern, nodes, result)) result = *next;
}

/// The root and the element-wise nodes before it that lead to it alone.
Fuser::Nodes Fuser::grow_element_wise(const FusionPattern& pattern, NodeId root) const {
    const Shape& shape = graph_.value(graph_.outputs(root)[0]).type.shape;
    Nodes nodes{root};
    std::set<NodeId, std::greater<>>
        candidates;  // the last first, so that a node comes after those that use it
    const auto add_producers = [&](NodeId node) {
        for (const ValueId input : graph_.inputs(node)) {
            if (input && graph_.value(input).producer) candidates.insert(graph_.value(input).producer);
        }
    };
    add_producers(root);
    while (!candidates.empty()) {
        const NodeId node = *candidates.begin();
        candidates.erase(candidates.begin());
        if (!can_join(node, shape) || draft_.value(graph_.outputs(node)[0]).uses > pattern.most_nodes ||
            is_used_by_others(graph_.outputs(node)[0], nodes))
            continue;
        nodes.insert(node);
        if (fits(pattern, nodes))
            add_producers(node);
        else
            nodes.erase(node);
    }
    return nodes;
}

void Fuser::add(const Nodes& nodes, const FusionPattern* pattern) {
    Group group{.nodes = {nodes.begin(), nodes.end()}, .pattern = pattern};
    std::set<ValueId> known;
    for (const NodeId node : nodes) {
        group_of_[node.index] = static_cast<std::uint32_t>(fused_.groups.size());
        for (const ValueId input : graph_.inputs(node)) {
            if (input && !nodes.contains(graph_.value(input).producer) && known.insert(input).second)
                group.inputs.push_back(input);
        }
        for (const ValueId output : graph_.outputs(node)) {
            if (output && (is_used_by_others(output, nodes) || nodes.size() == 1))
                group.outputs.push_back(output);
        }
    }
    if (pattern) {
        PatternUse use{.pattern = pattern->name, .bits = pattern->bits};
        for (const NodeId node : nodes) use.nodes.push_back(graph_.label(node));
        fused_.report.used.push_back(std::move(use));
    }
    fused_.groups.push_back(std::move(group));
}

void Fuser::try_at(const FusionPattern& pattern, std::span<const Formula> formulas, NodeId node) {
    std::string near_miss;
    for (const Formula& formula : formulas) {
        if (formula.match.terms[formula.match.root].op != graph_.node(node).op) continue;
        MatchResult result = match_at(draft_, node, formula);
        if (!result.match) {
            if (!result.near_miss.empty()) near_miss = std::move(result.near_miss);
            continue;
        }
        Nodes nodes(result.match->nodes.begin(), result.match->nodes.end());
        if (!std::ranges::all_of(nodes, [&](NodeId taken) { return is_free(taken, pattern, node); })) return;
        if (pattern.growth == Growth::epilogue) grow_epilogue(pattern, nodes, graph_.outputs(node)[0]);
        return add(nodes, &pattern);
    }
    if (!near_miss.empty()) refuse(pattern, node, std::move(near_miss));
}

void Fuser::apply(const FusionPattern& pattern, std::span<const Formula> formulas) {
    std::set<NodeId> roots;
    for (const Formula& formula : formulas) {
        const Operator op = formula.match.terms[formula.match.root].op;
        const std::vector<NodeId>& nodes = by_operator_[static_cast<std::size_t>(op)];
        roots.insert(nodes.begin(), nodes.end());
    }
    for (const NodeId node : roots) try_at(pattern, formulas, node);
}

void Fuser::apply_element_wise(const FusionPattern& pattern) {
    for (std::uint32_t i = graph_.node_count(); i-- > 0;) {
        const NodeId node{i};
        if (graph_.outputs(node).size() != 1) continue;
        if (can_join(node, graph_.value(graph_.outputs(node)[0]).type.shape))
            add(grow_element_wise(pattern, node), &pattern);
    }
}

Result<void> Fuser::apply(const FusionPattern& pattern) {
    if (pattern.growth == Growth::element_wise) {
        apply_element_wise(pattern);
        return {};
    }
    std::vector<Formula> formulas;
    for (const std::string_view match : pattern.match)
        formulas.push_back(TRY(read_formula(match, pattern.where, pattern.name)));
    apply(pattern, formulas);
    return {};
}

Fused Fuser::finish() && {
    for (const NodeId node : graph_.nodes()) {
        if (group_of_[node.index] == no_group) add({node}, nullptr);
    }
    std::ranges::sort(fused_.groups, {}, [](const Group& group) { return group.nodes.back(); });
    return std::move(fused_);
}

}  // namespace

Result<Fused> fuse(const Graph& graph, const Pack& pack) {
    Fuser fuser(graph);
    for (const FusionPattern& pattern : pack.fusion) TRY(fuser.apply(pattern));
    return std::move(fuser).finish();
}

}  // namespace muster::graph
