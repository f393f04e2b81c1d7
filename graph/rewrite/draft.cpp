#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/build/attribute_check.hpp>
#include <muster/graph/rewrite/draft.hpp>

namespace muster::graph {
namespace {

bool same_contents(const ValueFact& a, const ValueFact& b) {
    if (!a.contents || !b.contents) return !a.contents == !b.contents;
    return a.contents == b.contents || *a.contents == *b.contents;
}

bool same_fact(const ValueFact& a, const ValueFact& b) {
    return a.type == b.type && a.constant == b.constant && same_contents(a, b);
}

}  // namespace

Draft::Draft(const Graph& graph)
    : name_(graph.name()),
      values_(graph.value_count()),
      nodes_(graph.node_count()),
      inputs_(graph.inputs().begin(), graph.inputs().end()),
      outputs_(graph.outputs().begin(), graph.outputs().end()) {
    for (std::uint32_t i = 0; i < graph.value_count(); ++i) {
        const graph::Value& value = graph.value({i});
        values_[i].name = value.name;
        values_[i].producer = value.producer;
        values_[i].fact = value.constant ? ValueFact::of(value.constant) : ValueFact{.type = value.type};
    }
    for (const ValueId id : inputs_) values_[id.index].is_input = true;
    for (const ValueId id : outputs_) ++values_[id.index].outputs;
    for (const NodeId id : graph.nodes()) {
        const auto inputs = graph.inputs(id), outputs = graph.outputs(id);
        const auto said = graph.attributes(id).said();
        nodes_[id.index] = {.op = graph.node(id).op,
                            .name = graph.node(id).name,
                            .inputs = {inputs.begin(), inputs.end()},
                            .outputs = {outputs.begin(), outputs.end()},
                            .attributes = {said.begin(), said.end()}};
        link_before(id, {});
    }
}

/// Before no node: at the end. Counts the uses of its inputs.
void Draft::link_before(NodeId id, NodeId before) {
    Node& node = nodes_[id.index];
    node.next = before;
    node.previous = before ? nodes_[before.index].previous : last_;
    (node.previous ? nodes_[node.previous.index].next : first_) = id;
    (before ? nodes_[before.index].previous : last_) = id;
    ++node_count_;
    for (const ValueId input : node.inputs) {
        if (!input) continue;
        ++values_[input.index].uses;
        values_[input.index].users.push_back(id);
    }
}

void Draft::remove(NodeId id) {
    Node& node = nodes_[id.index];
    (node.previous ? nodes_[node.previous.index].next : first_) = node.next;
    (node.next ? nodes_[node.next.index].previous : last_) = node.previous;
    node.removed = true;
    --node_count_;
    for (const ValueId input : node.inputs) {
        if (input) --values_[input.index].uses;
    }
}

std::vector<NodeId> Draft::users_of(ValueId id) const {
    std::vector<NodeId> users = value(id).users;
    std::erase_if(users, [&](NodeId user) {
        return node(user).removed || std::ranges::find(node(user).inputs, id) == node(user).inputs.end();
    });
    std::ranges::sort(users);
    users.erase(std::ranges::unique(users).begin(), users.end());
    return users;
}

std::string Draft::label(NodeId id) const {
    const Node& it = node(id);
    if (!it.name.empty()) return fmt::format("\"{}\" ({})", printable(it.name), info(it.op).name);
    const auto present = std::ranges::find_if(it.outputs, [](ValueId output) { return bool(output); });
    if (present == it.outputs.end()) return fmt::format("without a name ({})", info(it.op).name);
    return fmt::format("that makes \"{}\" ({})", printable(value(*present).name), info(it.op).name);
}

Result<std::vector<ValueFact>> Draft::inferred(const Node& node) const {
    std::vector<Operand> operands;
    operands.reserve(node.inputs.size());
    for (const ValueId input : node.inputs)
        operands.push_back(input ? Operand{&fact(input), value(input).name} : Operand{});
    return infer(node.op, Attributes(info(node.op), node.attributes), operands, node.outputs.size());
}

Result<void> Draft::update(NodeId id) {
    if (!node(id).stale) return {};
    std::vector<ValueFact> facts =
        TRY(during([&] { return "inferring node " + label(id); }, inferred(node(id))));
    nodes_[id.index].stale = false;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        if (const ValueId output = node(id).outputs[i]) set_fact(output, std::move(facts[i]));
    }
    return {};
}

void Draft::make_users_stale(ValueId id) {
    for (const NodeId user : value(id).users) nodes_[user.index].stale = true;
}

void Draft::set_fact(ValueId id, ValueFact fact) {
    if (same_fact(fact, values_[id.index].fact)) return;
    values_[id.index].fact = std::move(fact);
    make_users_stale(id);
}

std::string Draft::fresh_name(ValueId like) {
    if (names_.empty()) {
        for (const Value& value : values_) names_.insert(value.name);
    }
    const std::string& base = value(like).name;
    const std::string_view stem = std::string_view(base).substr(0, base.find('~'));
    for (;;) {
        std::string name = fmt::format("{}~{}", stem, ++fresh_names_);
        if (names_.insert(name).second) return name;
    }
}

ValueId Draft::add_constant(Tensor tensor, ValueId like) {
    const ValueId id{static_cast<std::uint32_t>(values_.size())};
    std::string name = fresh_name(like);
    values_.push_back(
        {.name = std::move(name), .fact = ValueFact::of(std::make_shared<const Tensor>(std::move(tensor)))});
    return id;
}

Result<ValueId> Draft::add_node(NodeSpec spec, NodeId before, ValueId like) {
    while (!spec.inputs.empty() && !spec.inputs.back()) spec.inputs.pop_back();
    const ValueId output{static_cast<std::uint32_t>(values_.size())};
    const NodeId id{static_cast<std::uint32_t>(nodes_.size())};
    Node node{.op = spec.op,
              .name = std::move(spec.name),
              .inputs = std::move(spec.inputs),
              .outputs = {output},
              .attributes = std::move(spec.attributes),
              .stale = false};
    const auto adding = [&] { return fmt::format("adding a node ({})", info(node.op).name); };
    TRY(during(adding, check_attributes(info(node.op), node.attributes)));
    make_canonical(info(node.op), node.attributes);
    std::vector<ValueFact> facts = TRY(during(adding, inferred(node)));
    std::string name = fresh_name(like);
    values_.push_back({.name = std::move(name), .fact = std::move(facts[0]), .producer = id});
    nodes_.push_back(std::move(node));
    link_before(id, before);
    return output;
}

void Draft::replace_uses(ValueId old, ValueId by) {
    for (const NodeId user : value(old).users) {
        Node& node = nodes_[user.index];
        if (node.removed) continue;
        for (ValueId& input : node.inputs) {
            if (input != old) continue;
            input = by;
            node.stale = true;
            --values_[old.index].uses;
            ++values_[by.index].uses;
            values_[by.index].users.push_back(user);
        }
    }
    values_[old.index].users.clear();
}

void Draft::set_input(NodeId id, std::size_t at, ValueId by) {
    ValueId& input = nodes_[id.index].inputs[at];
    --values_[input.index].uses;
    ++values_[by.index].uses;
    values_[by.index].users.push_back(id);
    nodes_[id.index].stale = true;
    input = by;
}

bool Draft::can_replace(ValueId old, ValueId by) const {
    return value(old).outputs == 0 || (value(by).producer && value(by).outputs == 0) ||
           (fact(by).constant && !value(by).is_input);
}

void Draft::replace(ValueId old, ValueId by) {
    Value& out = values_[old.index];
    if (out.outputs > 0 && !value(by).producer) {  // a constant's name stays; the output becomes another one
        const NodeId producer = out.producer;
        set_fact(old, fact(by));
        release_producer(old);
        remove_unused(producer);
        return;
    }
    replace_uses(old, by);
    if (out.outputs > 0) {
        std::swap(out.name, values_[by.index].name);
        values_[by.index].outputs = std::exchange(out.outputs, 0);
        std::ranges::replace(outputs_, old, by);
    }
    remove_unused(out.producer);
}

void Draft::adopt(ValueId old, ValueId by) {
    const NodeId producer = value(by).producer, former = value(old).producer;
    nodes_[producer.index].outputs[0] = old;
    release_producer(old);
    values_[old.index].producer = producer;
    set_fact(old, std::move(values_[by.index].fact));
    remove_unused(former);
}

/// Takes an output from its node.
void Draft::release_producer(ValueId output) {
    const NodeId producer = std::exchange(values_[output.index].producer, {});
    std::ranges::replace(nodes_[producer.index].outputs, output, ValueId{});
}

void Draft::make_constant(ValueId output, Tensor tensor) {
    const NodeId producer = value(output).producer;
    set_fact(output, ValueFact::of(std::make_shared<const Tensor>(std::move(tensor))));
    release_producer(output);
    remove_unused(producer);
}

std::size_t Draft::remove_unused(NodeId id) {
    std::size_t count = 0;
    std::vector<NodeId> pending{id};
    while (!pending.empty()) {
        const NodeId at = pending.back();
        pending.pop_back();
        const auto used = [&](ValueId output) { return output && is_used(output); };
        if (node(at).removed || std::ranges::any_of(node(at).outputs, used)) continue;
        remove(at);
        ++count;
        for (const ValueId input : node(at).inputs) {
            if (input && value(input).producer && !is_used(input)) pending.push_back(value(input).producer);
        }
    }
    return count;
}

namespace {

/// Adds a draft's values and nodes to a builder as they are wanted.
class Finisher {
  public:
    Finisher(std::string name, std::size_t values) : builder_(std::move(name)), ids_(values) {}

    Result<void> input(ValueId id, Draft::Value& value) {
        ids_[id.index] = TRY(builder_.input(std::move(value.name), std::move(value.fact.type)));
        return {};
    }
    Result<ValueId> use(ValueId id, std::deque<Draft::Value>& values) {
        if (!id) return id;
        ValueId& known = ids_[id.index];
        Draft::Value& value = values[id.index];
        if (!known) known = TRY(builder_.constant(std::move(value.name), *value.fact.constant));
        return known;
    }
    Result<void> node(Draft::Node& node, std::deque<Draft::Value>& values) {
        NodeSpec spec{.op = node.op, .name = std::move(node.name), .attributes = std::move(node.attributes)};
        for (const ValueId input : node.inputs) spec.inputs.push_back(TRY(use(input, values)));
        for (const ValueId output : node.outputs)
            spec.outputs.push_back(output ? std::move(values[output.index].name) : "");
        const std::vector<ValueId> outputs = TRY(builder_.node(std::move(spec)));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (node.outputs[i]) ids_[node.outputs[i].index] = outputs[i];
        }
        return {};
    }
    GraphBuilder builder_;

  private:
    std::vector<ValueId> ids_;  // in the builder, of the draft's values
};

/// True if a node's first output, which it must have, was taken from it.
bool lacks_an_output(const Draft::Node& node) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (!node.outputs[i] && !info(node.op).output(i).optional) return true;
    }
    return false;
}

}  // namespace

Result<Graph> Draft::finish() && {
    for (Node& node : nodes_) {  // outputs that became constants, of nodes that have others
        if (node.removed || !lacks_an_output(node)) continue;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] || info(node.op).output(i).optional) continue;
            node.outputs[i] = {static_cast<std::uint32_t>(values_.size())};
            std::string name =
                fresh_name(*std::ranges::find_if(node.outputs, [](ValueId id) { return bool(id); }));
            values_.push_back({.name = std::move(name)});
        }
    }
    Finisher finisher(std::move(name_), values_.size());
    for (const ValueId id : inputs_) TRY(finisher.input(id, values_[id.index]));
    for (NodeId at = first_; at; at = next(at)) TRY(finisher.node(nodes_[at.index], values_));
    for (const ValueId id : outputs_) TRY(finisher.builder_.output(TRY(finisher.use(id, values_))));
    return std::move(finisher.builder_).finish();
}

}  // namespace muster::graph
