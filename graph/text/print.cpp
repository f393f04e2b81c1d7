#include <fmt/format.h>

#include <muster/graph/text/graph_text.hpp>
#include <muster/graph/text/literals.hpp>

namespace muster::graph {
namespace {

std::string print_node(const Graph& graph, NodeId id) {
    const auto name_of = [&](ValueId value) { return value ? print_name(graph.value(value).name) : "_"; };
    const auto type_of = [&](ValueId value) { return value ? print_type(graph.value(value).type) : "_"; };
    const auto list = [](const auto& items, auto&& print) {
        std::string text;
        for (const auto& item : items) {
            if (!text.empty()) text += ", ";
            text += print(item);
        }
        return text;
    };
    std::string text = fmt::format("{} = {}({})", list(graph.outputs(id), name_of),
                                   info(graph.node(id).op).name, list(graph.inputs(id), name_of));
    const std::string attributes = list(graph.attributes(id).said(), [](const NamedAttribute& attribute) {
        return attribute.name + " = " + print_attribute(attribute.value);
    });
    if (!attributes.empty()) text += fmt::format(" {{{}}}", attributes);
    if (!graph.node(id).name.empty()) text += " @ " + print_string(graph.node(id).name);
    return text + ": " + list(graph.outputs(id), type_of);
}

}  // namespace

std::string print_graph(const Graph& graph) {
    std::string text = fmt::format("graph {} {{\n", print_string(graph.name()));
    NodeId printed;
    for (std::uint32_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value({i});
        if (value.producer) {
            if (value.producer != printed) text += "    " + print_node(graph, value.producer) + '\n';
            printed = value.producer;
        } else if (value.constant) {
            text +=
                fmt::format("    constant {}: {}\n", print_name(value.name), print_tensor(*value.constant));
        } else {
            text += fmt::format("    input {}: {}\n", print_name(value.name), print_type(value.type));
        }
    }
    for (const ValueId output : graph.outputs())
        text += fmt::format("    output {}\n", print_name(graph.value(output).name));
    return text + "}\n";
}

}  // namespace muster::graph
