// The nodes of a graph, branch or function's body.
#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/importer.hpp>

namespace muster::graph::onnx {
namespace {

template <class T>
FileTensor numbers(std::string name, std::vector<std::int64_t> sizes, const std::vector<T>& values) {
    return file_tensor(std::move(name), Tensor::of<T>(std::move(sizes), std::span<const T>(values)));
}

}  // namespace

Result<void> Importer::add_nodes(std::span<const FileNode> nodes,
                                 const std::vector<std::string_view>& outputs, Scope& scope) {
    NodeOrder order = TRY(node_order(nodes));
    order.read.insert(outputs.begin(), outputs.end());
    for (const std::uint32_t node : order.nodes) TRY(add_node(nodes[node], order.read, scope));
    return {};
}

Result<void> Importer::add_node(const FileNode& node, const std::unordered_set<std::string_view>& read,
                                Scope& scope) {
    if (node.attributes.size() > max_listed) {
        return fail(ErrorCode::limit_exceeded, fmt::format("Node {} has {} attributes, more than {}.",
                                                           label(node), node.attributes.size(), max_listed));
    }
    if (scope.depth > 0) TRY(count_inlined(node, scope));
    if (const FileFunction* function = function_of(node)) return add_call(node, *function, scope);
    if (!is_standard(node.domain)) {
        return fail(
            ErrorCode::unsupported,
            fmt::format(
                "Node {} has the operator {} of the domain {}, and only ONNX's own domain is supported.",
                label(node), printable(node.op), printable(node.domain)),
            "export the model without it, or with it as a model-local function");
    }
    const int opset = TRY(opset_of(scope));
    if (node.op == "Constant") return add_constant(node, scope);
    if (node.op == "If") return add_branch(node, scope);
    return add_operator(node, opset, read, scope);
}

std::vector<std::pair<std::string_view, const FileAttribute*>> Importer::attributes_of(const FileNode& node,
                                                                                       const Scope& scope) {
    std::vector<std::pair<std::string_view, const FileAttribute*>> attributes;
    for (const FileAttribute& attribute : node.attributes) {
        const FileAttribute* found = &attribute;
        if (!attribute.refers_to.empty()) {
            found = nullptr;
            if (!scope.call) continue;
            for (const FileAttribute* given : scope.call->attributes) {
                if (given->name == attribute.refers_to) found = given;
            }
        }
        if (found) attributes.emplace_back(attribute.name, found);
    }
    return attributes;
}

Result<Attribute> Importer::attribute_of(const FileAttribute& from) {
    const auto refused = [&](std::string_view kind) {
        return fail(ErrorCode::unsupported, fmt::format("Its attribute {} is {}, which isn't supported.",
                                                        printable(from.name), kind));
    };
    if (const auto* other = std::get_if<OtherKind>(&from.value)) return refused(other->name);
    if (std::holds_alternative<std::shared_ptr<const FileGraph>>(from.value)) return refused("a graph");
    if (const auto* tensor = std::get_if<FileTensor>(&from.value)) {
        return Attribute(
            TRY(during([&] { return fmt::format("reading its attribute {}", printable(from.name)); },
                       tensors_.read(*tensor))));
    }
    return std::visit(
        [](const auto& value) -> Attribute {
            if constexpr (std::is_constructible_v<Attribute, decltype(value)>) return value;
            return {};
        },
        from.value);
}

Result<void> Importer::add_operator(const FileNode& node, int opset,
                                    const std::unordered_set<std::string_view>& read, Scope& scope) {
    const auto known = operators_.find(node.op);
    const OperatorInfo* schema = known == operators_.end() ? nullptr : &info(known->second);
    if (!schema && !becomes_others(node.op)) {
        return fail(ErrorCode::unsupported,
                    fmt::format("Node {}: {} isn't an operator that graphs here have.", label(node),
                                printable(node.op)),
                    "use one of those that docs/models.md lists, or a model-local function of them");
    }
    if (schema && opset < schema->since) {
        return wrong(fmt::format("Node {}: {} is an operator since opset {}, and the model uses opset {}.",
                                 label(node), schema->name, schema->since, opset));
    }
    Draft draft{.builder = builder_, .names = names_, .op = node.op, .opset = opset, .name = node.name};
    for (const std::string& input : node.inputs) draft.inputs.push_back(TRY(value_of(input, node, scope)));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const std::string& output = node.outputs[i];
        const bool unread = schema && i > 0 && !read.contains(output) &&
                            (i >= schema->most_outputs() || schema->output(i).optional);
        draft.outputs.push_back(output.empty() || unread ? "" : name_of(output, scope));
    }
    while (draft.outputs.size() > 1 && draft.outputs.back().empty()) draft.outputs.pop_back();
    const std::vector<std::string> outputs = draft.outputs;
    const auto importing = [&] { return fmt::format("importing node {}", label(node)); };
    for (const auto& [name, attribute] : attributes_of(node, scope)) {
        draft.attributes.push_back({std::string(name), TRY(during(importing, attribute_of(*attribute)))});
    }
    if (draft.has(0) && !draft.outputs.empty() && !draft.outputs[0].empty())
        TRY(during(importing, rewrite(draft)));
    const auto op = operators_.find(draft.op);
    if (op == operators_.end())
        return wrong(fmt::format("Node {} has no first input, or no output.", label(node)));
    (void)TRY(builder_.node({op->second, std::move(draft.name), std::move(draft.inputs),
                             std::move(draft.outputs), std::move(draft.attributes)}));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].empty()) continue;
        const ValueId value = *builder_.find(outputs[i]);
        TRY(count_facts(value));
        TRY(bind(scope, node.outputs[i], {value}));
    }
    return {};
}

Result<void> Importer::add_constant(const FileNode& node, Scope& scope) {
    const auto attributes = attributes_of(node, scope);
    if (attributes.size() != 1 || node.outputs.size() != 1) {
        return wrong(fmt::format("Node {} has {} attributes and {} outputs, and must have one of each.",
                                 label(node), attributes.size(), node.outputs.size()));
    }
    const auto& [name, attribute] = attributes[0];
    const std::string& output = node.outputs[0];
    const auto keep = [&](FileTensor tensor) {
        return bind(scope, output, {{}, &own_tensors_.emplace_back(std::move(tensor))});
    };
    if (const auto* tensor = std::get_if<FileTensor>(&attribute->value); tensor && name == "value")
        return bind(scope, output, {{}, tensor});
    if (const auto* value = std::get_if<std::int64_t>(&attribute->value); value && name == "value_int")
        return keep(numbers<std::int64_t>(output, {}, {*value}));
    if (const auto* value = std::get_if<float>(&attribute->value); value && name == "value_float")
        return keep(numbers<float>(output, {}, {*value}));
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute->value);
        list && name == "value_ints")
        return keep(numbers(output, {static_cast<std::int64_t>(list->size())}, *list));
    if (const auto* list = std::get_if<std::vector<float>>(&attribute->value); list && name == "value_floats")
        return keep(numbers(output, {static_cast<std::int64_t>(list->size())}, *list));
    return fail(ErrorCode::unsupported,
                fmt::format("Node {} says its value as {}, and only a tensor or numbers are supported.",
                            label(node), printable(name)));
}

}  // namespace muster::graph::onnx
