#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/build/attribute_check.hpp>
#include <muster/graph/build/graph_builder.hpp>

namespace muster::graph {
namespace {

std::string label(const NodeSpec& spec) {
    const std::string_view op = info(spec.op).name;
    if (!spec.name.empty()) return fmt::format("adding node \"{}\" ({})", printable(spec.name), op);
    if (spec.outputs.empty()) return fmt::format("adding a node ({})", op);
    return fmt::format("adding the node that makes \"{}\" ({})", printable(spec.outputs[0]), op);
}

}  // namespace

GraphBuilder::GraphBuilder(std::string name) : data_(std::make_shared<GraphData>()) {
    data_->name = std::move(name);
}

void GraphBuilder::reserve(std::size_t values, std::size_t nodes) {
    data_->values.reserve(values);
    data_->nodes.reserve(nodes);
    data_->inputs_of_nodes.reserve(2 * nodes);
    data_->outputs_of_nodes.reserve(nodes);
    facts_.reserve(values);
    by_name_.reserve(values);
}

std::optional<ValueId> GraphBuilder::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

Result<void> GraphBuilder::check_name(std::string_view name) const {
    if (name.empty()) return fail(ErrorCode::invalid_program, "A value has no name.");
    if (!find(name)) return {};
    return fail(ErrorCode::conflict, fmt::format("Two values are called \"{}\".", printable(name)));
}

ValueId GraphBuilder::add(std::string name, ValueFact fact, NodeId producer) {
    const ValueId id{static_cast<std::uint32_t>(facts_.size())};
    by_name_.emplace(name, id);
    data_->values.push_back({std::move(name), fact.type, producer, fact.constant});
    facts_.push_back(std::move(fact));
    return id;
}

Result<ValueId> GraphBuilder::input(std::string name, TensorType type) {
    TRY(check_name(name));
    const auto adding = [&] { return fmt::format("adding input \"{}\"", printable(name)); };
    TRY(during(adding, check_rank(type.shape.size())));
    std::vector<std::int64_t> sizes;
    for (const Dimension& size : type.shape) {
        if (size.is_number()) sizes.push_back(size.number());
    }
    (void)TRY(during(adding, checked_element_count(sizes)));
    const ValueId id = add(std::move(name), {.type = std::move(type)}, {});
    data_->inputs.push_back(id);
    return id;
}

Result<ValueId> GraphBuilder::constant(std::string name, Tensor tensor) {
    TRY(check_name(name));
    TRY(during([&] { return fmt::format("adding constant \"{}\"", printable(name)); },
               check_rank(tensor.sizes().size())));
    return add(std::move(name), ValueFact::of(std::make_shared<const Tensor>(std::move(tensor))), {});
}

Result<void> GraphBuilder::check_node(const NodeSpec& spec) const {
    for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
        const std::string& name = spec.outputs[i];
        if (!name.empty()) {
            TRY(check_name(name));
            if (std::find(spec.outputs.begin(), spec.outputs.begin() + static_cast<std::ptrdiff_t>(i),
                          name) != spec.outputs.begin() + static_cast<std::ptrdiff_t>(i)) {
                return fail(ErrorCode::conflict,
                            fmt::format("Two values are called \"{}\".", printable(name)));
            }
        } else if (i >= info(spec.op).most_outputs() || !info(spec.op).output(i).optional) {
            return fail(ErrorCode::invalid_program, fmt::format("Output {} has no name.", i));
        }
    }
    for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
        if (!spec.inputs[i] || spec.inputs[i].index < facts_.size()) continue;
        return fail(ErrorCode::invalid_program, fmt::format("Input {} isn't a value of this graph.", i));
    }
    return {};
}

Result<std::vector<ValueFact>> GraphBuilder::inferred(const NodeSpec& spec) const {
    TRY(check_node(spec));
    TRY(check_attributes(info(spec.op), spec.attributes));
    std::vector<Operand> operands;
    operands.reserve(spec.inputs.size());
    for (const ValueId input : spec.inputs) {
        operands.push_back(input ? Operand{&facts_[input.index], data_->values[input.index].name}
                                 : Operand{});
    }
    return infer(spec.op, Attributes(info(spec.op), spec.attributes), operands, spec.outputs.size());
}

Result<std::vector<ValueId>> GraphBuilder::node(NodeSpec spec) {
    while (!spec.inputs.empty() && !spec.inputs.back()) spec.inputs.pop_back();
    while (spec.outputs.size() > 1 && spec.outputs.back().empty()) spec.outputs.pop_back();
    std::vector<ValueFact> facts = TRY(during([&] { return label(spec); }, inferred(spec)));
    make_canonical(info(spec.op), spec.attributes);
    const NodeId id{static_cast<std::uint32_t>(data_->nodes.size())};
    Node node{.op = spec.op, .name = std::move(spec.name)};
    const auto place = [](auto& arena, auto& items, std::uint32_t& first, std::uint32_t& count) {
        first = static_cast<std::uint32_t>(arena.size());
        count = static_cast<std::uint32_t>(items.size());
        arena.insert(arena.end(), std::make_move_iterator(items.begin()),
                     std::make_move_iterator(items.end()));
    };
    std::vector<ValueId> outputs;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        outputs.push_back(spec.outputs[i].empty() ? ValueId{}
                                                  : add(std::move(spec.outputs[i]), std::move(facts[i]), id));
    }
    std::vector<ValueId> placed = outputs;
    place(data_->inputs_of_nodes, spec.inputs, node.first_input, node.input_count);
    place(data_->outputs_of_nodes, placed, node.first_output, node.output_count);
    place(data_->attributes, spec.attributes, node.first_attribute, node.attribute_count);
    data_->nodes.push_back(std::move(node));
    return outputs;
}

Result<void> GraphBuilder::output(ValueId value) {
    if (!value || value.index >= facts_.size()) {
        return fail(ErrorCode::invalid_program, "An output isn't a value of this graph.");
    }
    data_->outputs.push_back(value);
    return {};
}

Result<Graph> GraphBuilder::finish() && {
    if (data_->outputs.empty()) {
        return fail(ErrorCode::invalid_program,
                    fmt::format("Graph \"{}\" has no outputs.", printable(data_->name)));
    }
    data_->by_name.reserve(data_->values.size());
    for (std::uint32_t i = 0; i < data_->values.size(); ++i)
        data_->by_name.emplace(data_->values[i].name, ValueId{i});
    return Graph(std::move(data_));
}

}  // namespace muster::graph
