#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::graph {
namespace {

bool same_value(const Value& a, const Value& b) {
    if (a.type != b.type || a.producer != b.producer || !a.constant != !b.constant) return false;
    return !a.constant || *a.constant == *b.constant;
}

bool same_node(const Graph& a, const Graph& b, NodeId id) {
    return a.node(id).op == b.node(id).op && std::ranges::equal(a.inputs(id), b.inputs(id)) &&
           std::ranges::equal(a.outputs(id), b.outputs(id)) &&
           std::ranges::equal(a.attributes(id).said(), b.attributes(id).said());
}

}  // namespace

std::optional<ValueId> Graph::find(std::string_view value_name) const {
    const auto found = data_->by_name.find(value_name);
    return found == data_->by_name.end() ? std::nullopt : std::optional(found->second);
}

std::string Graph::label(NodeId id) const {
    const Node& it = node(id);
    if (!it.name.empty()) return fmt::format("\"{}\" ({})", printable(it.name), info(it.op).name);
    const auto present = std::ranges::find_if(outputs(id), [](ValueId output) { return bool(output); });
    return fmt::format("that makes \"{}\" ({})", printable(value(*present).name), info(it.op).name);
}

bool same_structure(const Graph& a, const Graph& b) {
    if (a.value_count() != b.value_count() || a.node_count() != b.node_count()) return false;
    if (!std::ranges::equal(a.inputs(), b.inputs()) || !std::ranges::equal(a.outputs(), b.outputs()))
        return false;
    for (std::uint32_t i = 0; i < a.value_count(); ++i) {
        if (!same_value(a.value({i}), b.value({i}))) return false;
    }
    return std::ranges::all_of(a.nodes(), [&](NodeId id) { return same_node(a, b, id); });
}

}  // namespace muster::graph
