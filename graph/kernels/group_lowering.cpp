#include <algorithm>
#include <array>
#include <map>

#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/group_lowering.hpp>

namespace muster::graph {

NodeId anchor_of(const Graph& graph, std::span<const NodeId> nodes) {
    const auto is_other = [&](NodeId node) { return !is_elementwise(graph, node); };
    auto found =
        std::ranges::find_if(nodes, [&](NodeId node) { return info(graph.node(node).op).is_product; });
    if (found == nodes.end()) found = std::ranges::find_if(nodes, is_other);
    return found == nodes.end() ? NodeId() : *found;
}

GroupLowering::GroupLowering(const Graph& graph, const Group& group, const StorageOf& storage_of)
    : graph_(graph), group_(group), storage_of_(storage_of), anchor_(anchor_of(graph, group.nodes)) {}

Sizes GroupLowering::sizes(ValueId value) const { return *known_sizes(graph_.value(value).type.shape); }

const Tensor* GroupLowering::scalar(ValueId value) const {
    const Tensor* const tensor = constant(value);
    if (!tensor || tensor->count() != 1) return nullptr;
    if (is_float(tensor->element())) return tensor;
    const std::int64_t number = integers(*tensor)[0];
    return number >= INT32_MIN && number <= INT32_MAX ? tensor : nullptr;
}

std::string GroupLowering::first_element(ValueId value, KernelText& text) const {
    if (const Tensor* const tensor = scalar(value)) return literal(*tensor, text);
    const Storage from = storage(value);
    return text.load(text.operand(from), index_literal(from.offset));
}

PlanBuffer GroupLowering::pack(PackedConstant bytes) {
    kernels_.packed.push_back(std::move(bytes));
    return {PlanBufferKind::packed, static_cast<std::uint32_t>(kernels_.packed.size() - 1)};
}

PlanBuffer GroupLowering::scratch(std::int64_t bytes) {
    kernels_.scratch_bytes.push_back(bytes);
    return {PlanBufferKind::scratch, static_cast<std::uint32_t>(kernels_.scratch_bytes.size() - 1)};
}

Elements::Elements(const GroupLowering& group, KernelText& text, ValueId like) : group_(group), text_(text) {
    const Graph& graph = group.graph();
    const Sizes sizes = group.sizes(like);
    std::vector<ValueId> made;  // within the group
    if (group.anchor()) made.push_back(group.output());
    for (const NodeId node : group.nodes()) {
        if (node <= group.anchor() && group.anchor()) continue;
        for (const ValueId input : graph.inputs(node)) {
            if (!input || std::ranges::find(made, input) != made.end()) continue;
            if (std::ranges::find(inputs_, input, &Read::value) != inputs_.end() || group.scalar(input))
                continue;
            inputs_.push_back({input, text.operand(broadcast_to(group.storage(input), sizes))});
        }
        made.push_back(graph.outputs(node)[0]);
    }
    for (const ValueId output : group.outputs())
        if (std::ranges::find(made, output) != made.end())
            outputs_.push_back({output, text.operand(group.storage(output))});
    for (const Read& each : inputs_) operands_.push_back(each.operand);
    for (const Read& each : outputs_) operands_.push_back(each.operand);
}

void Elements::store(std::span<const std::string> offsets, const std::string& anchor) {
    const Graph& graph = group_.graph();
    std::map<ValueId, std::string> values;
    if (group_.anchor()) values[group_.output()] = text_.let(anchor);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        values[inputs_[i].value] = text_.let(text_.load(inputs_[i].operand, offsets[i]));
    const auto argument = [&](ValueId input) {
        const auto known = values.find(input);
        return known != values.end() ? known->second : text_.let(literal(*group_.scalar(input), text_));
    };
    for (const NodeId node : group_.nodes()) {
        if (node <= group_.anchor() && group_.anchor()) continue;
        std::vector<std::string> arguments;
        for (const ValueId input : graph.inputs(node))
            arguments.push_back(input ? argument(input) : std::string());
        values[graph.outputs(node)[0]] = text_.let(element_expression(graph, node, arguments, text_));
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i)
        text_.store(outputs_[i].operand, offsets[inputs_.size() + i], values[outputs_[i].value]);
}

void Elements::store_at(std::span<const std::string> indices, const std::string& anchor) {
    std::vector<std::string> offsets;
    for (const OperandId id : operands_) {
        const Storage& storage = text_.storage(id);
        offsets.push_back(text_.let(offset_of(indices, storage.strides, storage.offset)));
    }
    store(offsets, anchor);
}

KernelStep copy_kernel(const Storage& from, const Storage& to) {
    KernelText text(256);
    const OperandId x = text.operand(from), y = text.operand(to);
    const auto at = text.each_element(std::array{x, y}, y);
    text.store(y, at[1], text.load(x, at[0]));
    return std::move(text).finish();
}

Result<void> lower_elements(GroupLowering& group) {
    KernelText text(256);
    Elements elements(group, text, group.outputs()[0]);
    const auto offsets = text.each_element(elements.operands(), elements.inner());
    elements.store(offsets);
    group.add(std::move(text).finish());
    return {};
}

}  // namespace muster::graph
