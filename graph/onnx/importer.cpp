#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/importer.hpp>

namespace muster::graph::onnx {
namespace {

/// Functions by domain, name and overload, in one text.
std::string key(std::string_view domain, std::string_view name, std::string_view overload) {
    return fmt::format("{}\n{}\n{}", is_standard(domain) ? "" : domain, name, overload);
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

Result<std::vector<Value>> Importer::inputs() && {
    if (!model_.graph) return wrong("It has no graph.");
    TRY(bind_initializers(*model_.graph, top_));
    TRY(add_inputs());
    std::vector<Value> values;
    for (const FileValue& input : model_.graph->inputs) {
        const Bound& bound = top_.names.at(input.name);
        if (!bound.tensor) values.push_back({.name = input.name, .type = builder_.fact(bound.value).type});
    }
    return values;
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
            TRY(check_constant(input, given->second));
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
    return check_sizes();
}

Result<void> Importer::check_constant(const FileValue& input, const Tensor& given) {
    if (!input.shape) return {};  // the file doesn't say, and the constant does
    const TensorType type = TRY(during(
        [&] { return fmt::format("reading the input \"{}\"", printable(input.name)); }, type_of(input)));
    const auto fits = [](const Dimension& declared, std::int64_t size) {
        return !provably_different(declared, Dimension(size));
    };
    if (given.element() == type.element && std::ranges::equal(type.shape, given.sizes(), fits)) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("The input \"{}\" is {}, and the constant for it is {}.", printable(input.name),
                            to_string(type), to_string(given.type())));
}

Result<void> Importer::check_sizes() const {
    for (const auto& each : options_.sizes) {
        const std::string& name = each.first;
        if (used_sizes_.contains(name)) continue;
        return fail(ErrorCode::not_found,
                    fmt::format("No input of the model has a size \"{}\" that is open.", printable(name)));
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

Result<Dimension> Importer::dimension_of(const FileDimension& from, const FileValue& value, std::size_t at) {
    // Some exporters write -1 where a size isn't known.
    if (from.number && *from.number >= 0) return Dimension(*from.number);
    if (from.number && *from.number < -1) return wrong(fmt::format("Its size {} is {}.", at, *from.number));
    if (from.name.size() > max_symbol_bytes || value.name.size() > max_symbol_bytes) {
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("The name of its size {} has more than {} bytes.", at, max_symbol_bytes));
    }
    // Some call every size that isn't known "?".
    if (!from.name.empty() && from.name != "?") return with_given_sizes(product_of(from.name));
    std::string symbol = fmt::format("{}.{}", value.name, at);
    while (symbols_.contains(symbol)) symbol += '.';
    return with_given_sizes(Dimension::symbol(std::move(symbol)));
}

Dimension Importer::with_given_sizes(const Dimension& dimension) {
    if (options_.sizes.empty()) return dimension;
    Dimension product(dimension.factor());
    for (const std::string& symbol : dimension.symbols()) {
        const auto given =
            std::ranges::find(options_.sizes, symbol, &std::pair<std::string, std::int64_t>::first);
        const bool is_given = given != options_.sizes.end();
        if (is_given) used_sizes_.insert(given->first);
        product = product * (is_given ? Dimension(given->second) : Dimension::symbol(symbol));
    }
    return product;
}

Result<void> Importer::count_facts(ValueId value) {
    const auto bytes_of_sizes = [](std::span<const Dimension> sizes) {
        std::size_t bytes = sizes.size() * sizeof(Dimension);
        for (const Dimension& size : sizes) {
            for (const std::string& symbol : size.symbols()) bytes += sizeof(std::string) + symbol.size();
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

}  // namespace muster::graph::onnx
