#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/kernels/lower.hpp>
#include <muster/graph/plan/plan.hpp>
#include <muster/graph/plan/storage_plan.hpp>

namespace muster::graph {
namespace {

/// Most elements of a tensor: kernels count them with 32 bits.
constexpr std::int64_t most_elements = std::int64_t{1} << 31;

Result<void> check_sizes(const Graph& graph) {
    for (std::uint32_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value({i});
        const Dimension count = element_count(value.type.shape);
        const std::string what =
            fmt::format("Tensor \"{}\" is {}", printable(value.name), to_string(value.type));
        if (!known_sizes(value.type.shape) || !count.is_number()) {
            return fail(ErrorCode::unsupported,
                        value.producer ? fmt::format("{}: its size depends on data that node {} computes.",
                                                     what, graph.label(value.producer))
                                       : what + ": its sizes must be numbers.",
                        "give inputs that decide sizes as constants");
        }
        if (count.number() >= most_elements)
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("{}: kernels compute up to 2^31 elements.", what));
    }
    return {};
}

std::string names_of(const Graph& graph, const NodeGroup& group) {
    std::string names = graph.label(group.nodes[0]);
    for (std::size_t i = 1; i < group.nodes.size(); ++i) names += ", " + graph.label(group.nodes[i]);
    return names;
}

}  // namespace

std::vector<NodeGroup> single_nodes(const Graph& graph) {
    std::vector<NodeGroup> groups;
    for (const NodeId node : graph.nodes()) {
        NodeGroup group{.nodes = {node}};
        for (const ValueId output : graph.outputs(node))
            if (output) group.outputs.push_back(output);
        groups.push_back(std::move(group));
    }
    return groups;
}

Result<Plan> make_plan(const Graph& graph, std::vector<NodeGroup> groups) {
    TRY(check_sizes(graph));
    const StoragePlan storages = TRY(StoragePlan::of(graph, groups));
    Plan plan{.graph = graph};
    plan.slot_bytes.assign(storages.slot_bytes().begin(), storages.slot_bytes().end());
    std::set<std::uint32_t> constants;
    for (NodeGroup& group : groups) {
        const bool is_there =
            std::ranges::all_of(group.outputs, [&](ValueId value) { return storages.is_view(value); });
        GroupKernels kernels;
        if (!is_there) {
            kernels = TRY(during([&] { return "lowering node " + names_of(graph, group); },
                                 lower_group(graph, group.nodes, group.outputs,
                                             [&](ValueId value) { return storages.storage(value); })));
        }
        for (const KernelStep& step : kernels.steps)
            for (const KernelBinding& binding : step.bindings)
                if (binding.place.kind == PlaceKind::constant) constants.insert(binding.place.index);
        plan.groups.push_back({std::move(group), std::move(kernels)});
    }
    for (const ValueId input : graph.inputs()) plan.inputs.push_back(storages.storage(input));
    for (const ValueId output : graph.outputs()) {
        plan.outputs.push_back(storages.storage(output));
        if (graph.value(output).constant) constants.insert(output.index);
    }
    for (const std::uint32_t index : constants) plan.constants.push_back({index});
    return plan;
}

}  // namespace muster::graph
