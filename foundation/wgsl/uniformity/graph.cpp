#include <algorithm>

#include <muster/foundation/wgsl/uniformity/graph.hpp>

namespace muster::wgsl::uniformity {

Node Graph::join(std::initializer_list<Node> of) {
    Node only = no_node;
    bool differ = false;
    for (const Node each : of) {
        if (each == no_node) continue;
        differ = differ || (only != no_node && only != each);
        only = each;
    }
    if (!differ) return only;
    const Node made = add();
    for (const Node each : of) edge(made, each);
    return made;
}

Node Graph::branch(Node condition, Node before, SourceLocation where) {
    const Node made = add();
    edge(made, condition);
    branches_.emplace(made, Branch{before, where});
    return made;
}

SourceLocation Graph::decided_at(std::span<const Node> way) const {
    for (std::size_t i = 0; i < way.size(); ++i) {
        const auto found = branches_.find(way[i]);
        if (found == branches_.end()) continue;
        const std::span<const Node> rest = way.subspan(i + 1);
        if (std::ranges::find(rest, found->second.before) == rest.end()) return found->second.where;
    }
    return {};
}

Neighbours::Neighbours(const Graph& graph, Along along)
    : first_(graph.nodes() + 1), ends_(graph.edges().size()) {
    const auto start = [&](const std::pair<Node, Node>& edge) {
        return along == Along::edges ? edge.first : edge.second;
    };
    for (const auto& edge : graph.edges()) ++first_[start(edge) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const auto& edge : graph.edges())
        ends_[next[start(edge)]++] = along == Along::edges ? edge.second : edge.first;
}

Reached::Reached(const Neighbours& neighbours, std::span<const Node> starts)
    : before_(neighbours.nodes(), no_node) {
    std::vector<Node> queue;
    const auto reach = [&](Node node, Node from) {
        if (before_[node] != no_node) return;
        before_[node] = from;
        queue.push_back(node);
    };
    for (const Node each : starts) reach(each, each);
    for (std::size_t i = 0; i < queue.size(); ++i)
        for (const Node next : neighbours[queue[i]]) reach(next, queue[i]);
}

std::vector<Node> Reached::way_from(Node node) const {
    std::vector<Node> way{node};
    while (before_[way.back()] != way.back()) way.push_back(before_[way.back()]);
    return way;
}

}  // namespace muster::wgsl::uniformity
