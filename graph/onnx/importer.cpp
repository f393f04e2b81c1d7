#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/importer.hpp>

namespace muster::graph::onnx {
namespace {

constexpr std::int64_t onnx_bool = info(ElementType::boolean).onnx;

bool is_standard(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

/// Functions by domain, name and overload, in one text.
std::string key(std::string_view domain, std::string_view name, std::string_view overload) {
    return fmt::format("{}\n{}\n{}", is_standard(domain) ? "" : domain, name, overload);
}

std::unexpected<Error> wrong(std::string message) {
    return fail(ErrorCode::invalid_program, std::move(message));
}

template <class T>
FileTensor numbers(std::string name, std::vector<std::int64_t> sizes, const std::vector<T>& values) {
    return file_tensor(std::move(name), Tensor::of<T>(std::move(sizes), std::span<const T>(values)));
}

}  // namespace

Importer::Importer(const FileModel& model, const ImportOptions& options, std::filesystem::path folder)
    : model_(model),
      options_(options),
      tensors_(std::move(folder)),
      builder_(model.graph ? model.graph->name : ""),
      names_(builder_) {
    for (const OperatorInfo& row : operators()) operators_.emplace(row.name, row.op);
    for (const FileFunction& function : model.functions)
        functions_.emplace(key(function.domain, function.name, function.overload), &function);
}

Result<Graph> Importer::import() && {
    TRY(add_model());
    return std::move(builder_).finish();
}

Result<void> Importer::add_model() {
    if (!model_.graph) return wrong("It has no graph.");
    if (model_.ir_version > newest_onnx_ir) {
        return fail(ErrorCode::unsupported,
                    fmt::format("It is of version {} of the format, and versions up to {} are read.",
                                model_.ir_version, newest_onnx_ir));
    }
    const FileGraph& graph = *model_.graph;
    TRY(check_lists());
    top_.opsets = model_.opsets;
    const std::size_t values = graph.inputs.size() + graph.initializers.size() + graph.nodes.size();
    builder_.reserve(values, graph.nodes.size());
    names_.reserve(values);
    top_.names.reserve(values);
    for (const FileValue& input : graph.inputs) names_.keep(input.name);
    for (const FileTensor& tensor : graph.initializers) names_.keep(tensor.name);
    for (const FileNode& node : graph.nodes) {
        for (const std::string& output : node.outputs) names_.keep(output);
    }
    std::vector<std::string_view> outputs;
    for (const FileValue& output : graph.outputs) outputs.push_back(output.name);
    graph_outputs_.insert(outputs.begin(), outputs.end());
    TRY(bind_initializers(graph, top_));
    TRY(add_inputs());
    TRY(add_nodes(graph.nodes, outputs, top_));
    return add_outputs();
}

Result<void> Importer::check_lists() const {
    std::size_t most = model_.opsets.size();
    for (const FileFunction& function : model_.functions) most = std::max(most, function.opsets.size());
    if (most <= max_listed) return {};
    return fail(ErrorCode::limit_exceeded,
                fmt::format("It imports {} opsets, more than {}.", most, max_listed));
}

Result<void> Importer::add_inputs() {
    for (const FileValue& input : model_.graph->inputs) {
        if (!input.shape) continue;
        for (const FileDimension& dimension : *input.shape) symbols_.insert(dimension.name);
    }
    for (const auto& [name, tensor] : options_.constants) {
        const auto is_it = [&](const FileValue& input) { return input.name == name; };
        if (std::ranges::none_of(model_.graph->inputs, is_it)) {
            return fail(
                ErrorCode::not_found,
                fmt::format("The model has no input \"{}\" that could be a constant.", printable(name)));
        }
    }
    for (const FileValue& input : model_.graph->inputs) {
        const auto given =
            std::ranges::find(options_.constants, input.name, &std::pair<std::string, Tensor>::first);
        if (given != options_.constants.end()) {
            const FileTensor& tensor = own_tensors_.emplace_back(file_tensor(input.name, given->second));
            top_.names.insert_or_assign(input.name, Bound{{}, &tensor});
        } else if (const auto found = top_.names.find(input.name);
                   found == top_.names.end() || !found->second.tensor) {  // else an initialiser is its value
            const TensorType type =
                TRY(during([&] { return fmt::format("reading the input \"{}\"", printable(input.name)); },
                           type_of(input)));
            const ValueId value = TRY(builder_.input(input.name, type));
            TRY(count_facts(value));
            TRY(bind(top_, input.name, {value}));
        }
    }
    return {};
}

Result<void> Importer::add_outputs() {
    for (const FileValue& output : model_.graph->outputs) {
        const auto found = top_.names.find(output.name);
        if (found == top_.names.end()) {
            return wrong(fmt::format("Nothing makes the output \"{}\".", printable(output.name)));
        }
        const ValueId value = TRY(made(output.name, found->second));
        const TensorType& type = builder_.fact(value).type;
        if (output.other_kind.empty() && output.type != 0 && output.type != info(type.element).onnx) {
            return wrong(fmt::format("The output \"{}\" is {}, and the file says that it has elements of {}.",
                                     printable(output.name), to_string(type), type_name(output.type)));
        }
        TRY(builder_.output(value));
    }
    return {};
}

Result<TensorType> Importer::type_of(const FileValue& value) {
    if (!value.other_kind.empty()) {
        return fail(ErrorCode::unsupported,
                    fmt::format("It is {}, and graphs here have tensors alone.", value.other_kind));
    }
    TensorType type{.element = TRY(element_type(value.type))};
    if (!value.shape) {
        return fail(ErrorCode::unsupported, "The file doesn't say its number of axes, which must be known.",
                    "state its shape in the model; sizes may be names");
    }
    for (std::size_t i = 0; i < value.shape->size(); ++i)
        type.shape.push_back(TRY(dimension_of((*value.shape)[i], value, i)));
    return type;
}

/// A text of numbers and names with * between them is a product; others are names as they are.
Dimension product_of(std::string_view text) {
    Dimension product(1);
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('*'), rest.size());
        const std::string_view part = rest.substr(0, end);
        const bool number = !part.empty() && part.size() < 18 &&
                            std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
        const bool word = !part.empty() && std::ranges::all_of(part, [](char c) {
            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                   c == '.';
        });
        if (!word || end + 1 == rest.size()) return Dimension::symbol(std::string(text));
        product = product *
                  (number ? Dimension(std::stoll(std::string(part))) : Dimension::symbol(std::string(part)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return product.is_unknown() || product.is_number() ? Dimension::symbol(std::string(text)) : product;
}

Result<Dimension> Importer::dimension_of(const FileDimension& from, const FileValue& value, std::size_t at) {
    // Some exporters write -1 where a size isn't known.
    if (from.number && *from.number >= 0) return Dimension(*from.number);
    if (from.number && *from.number < -1) return wrong(fmt::format("Its size {} is {}.", at, *from.number));
    if (from.name.size() > max_symbol_bytes || value.name.size() > max_symbol_bytes) {
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("The name of its size {} has more than {} bytes.", at, max_symbol_bytes));
    }
    if (!from.name.empty()) return product_of(from.name);
    std::string symbol = fmt::format("{}.{}", value.name, at);
    while (symbols_.contains(symbol)) symbol += '.';
    return Dimension::symbol(std::move(symbol));
}

Result<void> Importer::bind(Scope& scope, std::string_view name, Bound bound) {
    if (scope.names.emplace(name, bound).second) return {};
    return fail(ErrorCode::conflict, fmt::format("Two values are called \"{}\".", printable(name)));
}

Result<void> Importer::bind_initializers(const FileGraph& graph, Scope& scope) {
    if (!graph.sparse_initializers.empty()) {
        return fail(ErrorCode::unsupported,
                    fmt::format("The initialiser \"{}\" is sparse, which isn't supported.",
                                printable(graph.sparse_initializers[0])),
                    "store it densely");
    }
    for (const FileTensor& tensor : graph.initializers) TRY(bind(scope, tensor.name, {{}, &tensor}));
    return {};
}

std::string Importer::name_of(std::string_view name, const Scope& scope) {
    if (const auto called = scope.called.find(name); called != scope.called.end()) return called->second;
    if (&scope == &top_) return std::string(name);
    return names_.fresh(scope.prefix + std::string(name));
}

Result<ValueId> Importer::made(const std::string& name, Bound& bound) {
    if (bound.value || !bound.tensor) return bound.value;
    Tensor tensor = TRY(during([&] { return fmt::format("reading the constant \"{}\"", printable(name)); },
                               tensors_.read(*bound.tensor)));
    bound.value = TRY(builder_.constant(name, std::move(tensor)));
    TRY(count_facts(bound.value));
    return bound.value;
}

Result<ValueId> Importer::value_of(std::string_view name, const FileNode& node, Scope& scope) {
    if (name.empty()) return ValueId{};
    for (Scope* at = &scope; at; at = at->outside) {
        const auto found = at->names.find(name);
        if (found == at->names.end()) continue;
        if (found->second.value) return found->second.value;
        return made(name_of(name, *at), found->second);
    }
    return wrong(
        fmt::format("Node {} reads \"{}\", which nothing before it makes.", label(node), printable(name)));
}

const FileFunction* Importer::function_of(const FileNode& node) const {
    if (functions_.empty()) return nullptr;
    const auto found = functions_.find(key(node.domain, node.op, node.overload));
    return found == functions_.end() ? nullptr : found->second;
}

Result<int> Importer::opset_of(const Scope& scope) const {
    for (const Opsets opsets : {scope.opsets, Opsets(model_.opsets)}) {
        for (const FileOpset& opset : opsets) {
            if (!is_standard(opset.domain)) continue;
            if (opset.version >= oldest_opset && opset.version <= newest_opset)
                return static_cast<int>(opset.version);
            return fail(ErrorCode::unsupported,
                        fmt::format("It uses opset {} of ONNX's operators, and opsets {} to {} are imported.",
                                    opset.version, oldest_opset, newest_opset),
                        "convert it with onnx.version_converter, or export it with another opset");
        }
    }
    return wrong("It doesn't say which opset of ONNX's operators it uses.");
}

Result<void> Importer::add_nodes(std::span<const FileNode> nodes,
                                 const std::vector<std::string_view>& outputs, Scope& scope) {
    NodeOrder order = TRY(node_order(nodes));
    order.read.insert(outputs.begin(), outputs.end());
    for (const std::uint32_t node : order.nodes) TRY(add_node(nodes[node], order.read, scope));
    return {};
}

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
                for (const std::string& text : value) bytes += text.size() + sizeof(text);
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

Result<void> Importer::count_facts(ValueId value) {
    const auto bytes_of_sizes = [](std::span<const Dimension> sizes) {
        std::size_t bytes = sizes.size() * sizeof(Dimension);
        for (const Dimension& size : sizes) {
            for (const std::string& symbol : size.symbols()) bytes += sizeof(symbol) + symbol.size();
        }
        return bytes;
    };
    const ValueFact& fact = builder_.fact(value);
    fact_bytes_ += bytes_of_sizes(fact.type.shape) + (fact.contents ? bytes_of_sizes(*fact.contents) : 0);
    if (fact_bytes_ <= max_fact_bytes) return {};
    return fail(ErrorCode::limit_exceeded,
                fmt::format("The shapes of its values, and their contents, take more than {} bytes.",
                            max_fact_bytes));
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
        return fail(
            ErrorCode::unsupported,
            fmt::format("Node {}: {} is no operator that graphs here have.", label(node), printable(node.op)),
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
                    "export the model so that its shapes are known, or simplify it with constants folded");
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
