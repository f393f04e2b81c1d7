// Branches and calls, which become several nodes.
#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/importer.hpp>

namespace muster::graph::onnx {
namespace {

constexpr std::int64_t onnx_bool = info(ElementType::boolean).onnx;

std::size_t bytes_of(const FileNode& node);

/// About the bytes that a copy of what an attribute says takes, or that are read for it; tensors are shared.
std::size_t bytes_of(const FileAttribute& attribute) {
    return std::visit(
        [](const auto& value) -> std::size_t {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, FileTensor>)
                return value.sizes.size() * sizeof(std::int64_t) +
                       (value.type == onnx_bool ? value.bytes.count : 0);
            if constexpr (std::is_same_v<T, std::string>) return value.size();
            if constexpr (std::is_same_v<T, std::vector<std::string>>) {
                std::size_t bytes = 0;
                for (const std::string& text : value) bytes += text.size() + sizeof(std::string);
                return bytes;
            }
            if constexpr (std::is_same_v<T, std::vector<std::int64_t>> ||
                          std::is_same_v<T, std::vector<float>>)
                return value.size() * sizeof(value[0]);
            if constexpr (std::is_same_v<T, std::shared_ptr<const FileGraph>>) {
                std::size_t bytes = 0;
                for (const FileNode& node : value->nodes) bytes += bytes_of(node);
                return bytes;
            }
            return 0;
        },
        attribute.value);
}

std::size_t bytes_of(const FileNode& node) {
    std::size_t bytes = 1 + node.name.size() + node.inputs.size();
    for (const std::string& output : node.outputs) bytes += output.size();
    for (const FileAttribute& attribute : node.attributes)
        bytes += attribute.name.size() + bytes_of(attribute);
    return bytes;
}

}  // namespace

Result<void> Importer::count_inlined(const FileNode& node, const Scope& scope) {
    inlined_bytes_ += bytes_of(node) + scope.prefix.size() * node.outputs.size();
    if (scope.call) {
        for (const FileAttribute* attribute : scope.call->attributes) inlined_bytes_ += bytes_of(*attribute);
    }
    if (++inlined_nodes_ > max_inlined_nodes) {
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("Calls of functions and branches add more than {} nodes.", max_inlined_nodes));
    }
    if (inlined_bytes_ <= max_inlined_bytes) return {};
    return fail(ErrorCode::limit_exceeded,
                fmt::format("Calls of functions and branches add more than {} bytes of names and attributes.",
                            max_inlined_bytes));
}

/// The branch that a known condition chooses.
Result<void> Importer::add_branch(const FileNode& node, Scope& scope) {
    if (node.inputs.size() != 1)
        return wrong(fmt::format("Node {} has {} inputs, and takes 1.", label(node), node.inputs.size()));
    const ValueId condition = TRY(value_of(node.inputs[0], node, scope));
    const std::vector<Dimension>* contents = condition ? builder_.fact(condition).contents.get() : nullptr;
    if (!contents || contents->size() != 1 || !contents->front().is_number()) {
        return fail(ErrorCode::unsupported,
                    fmt::format("Node {} has a condition, \"{}\", that isn't known before the model runs.",
                                label(node), printable(node.inputs[0])),
                    "give the inputs and sizes that it depends on: ImportOptions::constants and sizes, or "
                    "--constant NAME=VALUE");
    }
    const std::string_view chosen = contents->front().number() != 0 ? "then_branch" : "else_branch";
    for (const auto& [name, attribute] : attributes_of(node, scope)) {
        const auto* branch = std::get_if<std::shared_ptr<const FileGraph>>(&attribute->value);
        if (name != chosen || !branch) continue;
        Scope inside{.outside = &scope, .call = scope.call, .opsets = scope.opsets};
        inlined_nodes_ += (*branch)->initializers.size() + (*branch)->outputs.size();  // each is bound
        TRY(bind_initializers(**branch, inside));
        std::vector<std::string_view> outputs;
        for (const FileValue& output : (*branch)->outputs) outputs.push_back(output.name);
        return add_body((*branch)->nodes, std::move(outputs), node, inside, scope);
    }
    return wrong(fmt::format("Node {} has no {}.", label(node), chosen));
}

Result<void> Importer::add_call(const FileNode& node, const FileFunction& function, Scope& scope) {
    Call call{&function, scope.call, {}};
    for (const Call* at = scope.call; at; at = at->caller) {
        if (at->function == &function)
            return wrong(fmt::format("Node {} calls a function within itself.", label(node)));
    }
    std::vector<FileAttribute> renamed;
    const auto given = attributes_of(node, scope);
    renamed.reserve(given.size());  // the call points to them
    for (const auto& [name, attribute] : given)
        call.attributes.push_back(&renamed.emplace_back(std::string(name), "", attribute->value));
    for (const FileAttribute& otherwise : function.defaults) {
        const auto is_it = [&](const FileAttribute* attribute) { return attribute->name == otherwise.name; };
        if (std::ranges::none_of(call.attributes, is_it)) call.attributes.push_back(&otherwise);
    }
    if (node.inputs.size() > function.inputs.size()) {
        return wrong(fmt::format("Node {} has {} inputs, and the function takes {}.", label(node),
                                 node.inputs.size(), function.inputs.size()));
    }
    inlined_nodes_ += function.inputs.size() + function.outputs.size();  // each is bound
    Scope inside{.call = &call, .opsets = function.opsets};
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
        const std::string_view name = i < node.inputs.size() ? std::string_view(node.inputs[i]) : "";
        TRY(bind(inside, function.inputs[i], {TRY(value_of(name, node, scope))}));
    }
    return add_body(function.nodes, {function.outputs.begin(), function.outputs.end()}, node, inside, scope);
}

/// Adds the nodes of a branch or function for `node`, whose outputs are the names `outputs` inside.
Result<void> Importer::add_body(std::span<const FileNode> nodes, std::vector<std::string_view> outputs,
                                const FileNode& node, Scope& inside, Scope& scope) {
    if (node.outputs.size() > outputs.size() || node.outputs.empty()) {
        return wrong(fmt::format("Node {} has {} outputs, and what it stands for has {}.", label(node),
                                 node.outputs.size(), outputs.size()));
    }
    inside.depth = scope.depth + 1;
    if (inside.depth > max_nesting) {
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("Node {}: calls and branches lie within each other more than {} deep.",
                                label(node), max_nesting));
    }
    inside.prefix = (node.name.empty() ? node.outputs[0] : node.name) + "/";
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (!node.outputs[i].empty()) inside.called.emplace(outputs[i], name_of(node.outputs[i], scope));
    }
    TRY(during([&] { return fmt::format("expanding node {}", label(node)); },
               add_nodes(nodes, outputs, inside)));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const std::string& output = node.outputs[i];
        if (output.empty()) continue;
        ValueId value = TRY(value_of(outputs[i], node, inside));
        if (!value) return wrong(fmt::format("Output {} of node {} is absent.", i, label(node)));
        // An output of the graph keeps its name.
        if (&scope == &top_ && graph_outputs_.contains(output) && builder_.name(value) != output) {
            value = TRY(builder_.node({Operator::identity, node.name, {value}, {output}}))[0];
        }
        TRY(bind(scope, output, {value}));
    }
    return {};
}

}  // namespace muster::graph::onnx
