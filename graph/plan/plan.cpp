#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/lower.hpp>
#include <muster/graph/pack/pack.hpp>
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

std::string names_of(const Graph& graph, const Group& group) {
    std::string names = graph.label(group.nodes[0]);
    for (std::size_t i = 1; i < group.nodes.size(); ++i) names += ", " + graph.label(group.nodes[i]);
    return names;
}

/// The group with its inputs and outputs.
Group with_ends(const Graph& graph, Group group, const std::vector<std::vector<NodeId>>& users,
                const std::vector<bool>& is_output) {
    const std::set<NodeId> own(group.nodes.begin(), group.nodes.end());
    std::set<ValueId> known;
    for (const NodeId node : group.nodes) {
        for (const ValueId input : graph.inputs(node))
            if (input && !own.contains(graph.value(input).producer) && known.insert(input).second)
                group.inputs.push_back(input);
        for (const ValueId output : graph.outputs(node)) {
            if (!output) continue;
            const auto& used = users[output.index];
            const bool is_needed =
                is_output[output.index] || own.size() == 1 ||
                std::ranges::any_of(used, [&](NodeId user) { return !own.contains(user); });
            if (is_needed) group.outputs.push_back(output);
        }
    }
    return group;
}

/// True if the group has one anchor, before which there are at most the nodes that dequantise its operands.
bool is_lowerable(const Graph& graph, const Group& group) {
    const NodeId anchor = anchor_of(graph, group.nodes);
    return std::ranges::all_of(group.nodes, [&](NodeId node) {
        if (!anchor || node == anchor) return true;
        if (node > anchor) return is_elementwise(graph, node);
        return graph.node(node).op == Operator::dequantize_linear &&
               std::ranges::find(graph.inputs(anchor), graph.outputs(node)[0]) != graph.inputs(anchor).end();
    });
}

PlannedGroup outside_group(const Graph& graph, Group group, const StoragePlan& storages) {
    PlannedGroup planned{.is_outside = true};
    for (const ValueId input : group.inputs)
        if (!graph.value(input).constant) planned.inputs.push_back(storages.storage(input));
    for (const ValueId output : group.outputs) planned.outputs.push_back(storages.storage(output));
    planned.group = std::move(group);
    return planned;
}

struct Uses {
    std::vector<bool> is_output;
    std::vector<std::vector<NodeId>> users;

    explicit Uses(const Graph& graph) : is_output(graph.value_count()), users(graph.value_count()) {
        for (const ValueId value : graph.outputs()) is_output[value.index] = true;
        for (const NodeId node : graph.nodes())
            for (const ValueId input : graph.inputs(node))
                if (input) users[input.index].push_back(node);
    }
};

}  // namespace

std::vector<Group> with_ends(const Graph& graph, std::vector<Group> groups) {
    const Uses uses(graph);
    for (Group& group : groups) group = with_ends(graph, std::move(group), uses.users, uses.is_output);
    return groups;
}

std::vector<Group> lowerable_groups(const Graph& graph, std::span<const Group> groups) {
    const Uses uses(graph);
    std::vector<Group> result;
    for (const Group& group : groups) {
        const auto is_anchor = [&](NodeId node) { return !is_elementwise(graph, node); };
        if (is_lowerable(graph, group) || (group.pattern && group.pattern->lower)) {
            result.push_back(group);
            continue;
        }
        const std::size_t first = result.size();
        for (const NodeId node : group.nodes) {
            if (result.size() == first || is_anchor(node)) result.push_back({.pattern = group.pattern});
            result.back().nodes.push_back(node);
        }
        for (std::size_t i = first; i < result.size(); ++i)
            result[i] = with_ends(graph, std::move(result[i]), uses.users, uses.is_output);
    }
    return result;
}

Result<Plan> make_plan(const Graph& graph, std::vector<Group> groups, const std::set<std::size_t>& outside) {
    TRY(check_sizes(graph));
    const StoragePlan storages = TRY(StoragePlan::of(graph, groups, outside));
    Plan plan{.graph = graph};
    plan.slot_bytes.assign(storages.slot_bytes().begin(), storages.slot_bytes().end());
    std::set<std::uint32_t> constants;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        Group& group = groups[i];
        if (outside.contains(i)) {
            plan.groups.push_back(outside_group(graph, std::move(group), storages));
            continue;
        }
        const bool is_there =
            std::ranges::all_of(group.outputs, [&](ValueId value) { return storages.is_view(value); });
        GroupKernels kernels;
        if (!is_there) {
            kernels = TRY(
                during([&] { return "lowering node " + names_of(graph, group); },
                       lower_group(graph, group, [&](ValueId value) { return storages.storage(value); })));
        }
        for (const KernelStep& step : kernels.steps)
            for (const KernelBinding& binding : step.bindings)
                if (binding.place.kind == PlanBufferKind::constant) constants.insert(binding.place.index);
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
