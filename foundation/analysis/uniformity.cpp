#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/analysis/uniformity_graph.hpp>
#include <muster/foundation/base/enum_name.hpp>

namespace muster {
namespace {

using uniformity::Graph;
using uniformity::Vertex;

// The edges, grouped by their start.
struct Successors {
    explicit Successors(const Graph& graph) : first(graph.vertices + 1), to(graph.edges.size()) {
        for (const auto& edge : graph.edges) ++first[edge.first + 1];
        for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        for (const auto& edge : graph.edges) to[next[edge.first]++] = edge.second;
    }
    std::vector<std::uint32_t> first;
    std::vector<Vertex> to;
};

// Lowers the uniformity of everything that a source of this level reaches. Breadth first, so that a cause is
// explained by a shortest chain.
void spread(const Graph& graph, const Successors& successors, UniformOver level,
            std::vector<UniformOver>& levels, std::vector<Vertex>& raised_by) {
    std::vector<Vertex> queue;
    const auto raise = [&](Vertex vertex, Vertex by) {
        if (levels[vertex] >= level) return;
        levels[vertex] = level;
        raised_by[vertex] = by;
        queue.push_back(vertex);
    };
    for (const auto& [vertex, of] : graph.sources)
        if (of == level) raise(vertex, vertex);
    for (std::size_t i = 0; i < queue.size(); ++i)
        for (std::uint32_t e = successors.first[queue[i]]; e < successors.first[queue[i] + 1]; ++e)
            raise(successors.to[e], queue[i]);
}

}  // namespace

std::string_view name(UniformOver uniform) { return enum_name(uniform); }

std::optional<NodeId> Uniformity::source_of(NodeId value, UniformOver wanted) const {
    if (of(value) <= wanted) return {};
    Vertex at = value.index;
    while (raised_by_[at] != at) at = raised_by_[at];
    return NodeId{at};
}

std::optional<Uniformity::Cause> Uniformity::cause_of_control(NodeId placed, UniformOver wanted) const {
    if (of_control(placed) <= wanted) return {};
    Cause cause;
    Vertex at = node_control_[placed.index];
    for (;; at = raised_by_[at]) {
        const bool branch = at < is_branch_.size() && is_branch_[at];
        if (branch && !cause.branch) cause.branch = NodeId{at};
        if (raised_by_[at] == at) break;
    }
    cause.source = NodeId{at};
    return cause;
}

Uniformity analyse(const Program& program, Returned returned) {
    std::optional<Graph> made = uniformity::make_graph(program, returned, true);
    const Graph graph = made ? *std::move(made) : *uniformity::make_graph(program, returned, false);
    Uniformity result;
    result.level_.assign(graph.vertices, UniformOver::grid);
    result.raised_by_.assign(graph.vertices, uniformity::no_vertex);
    const Successors successors(graph);
    for (const UniformOver level : {UniformOver::nothing, UniformOver::subgroup, UniformOver::workgroup})
        spread(graph, successors, level, result.level_, result.raised_by_);
    result.node_control_ = graph.node_control;
    result.block_control_ = graph.block_control;
    result.is_branch_.resize(program.node_count());
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        const Op op = program.node(NodeId{i}).op;
        result.is_branch_[i] = op == Op::if_ || op == Op::switch_ || op == Op::break_if;
    }
    return result;
}

}  // namespace muster
