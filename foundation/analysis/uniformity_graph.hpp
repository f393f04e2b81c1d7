// uniformity_graph.hpp - the dependencies that decide uniformity, as a graph. Internal to the analysis.
//
// Vertices 0 to node_count() - 1 are the program's nodes. A branch's vertex stands for its condition, a
// loop's for whether invocations stay together from one iteration to the next, a store's or declaration's for
// the value that the variable then holds. Further vertices are joins.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::uniformity {

using Vertex = std::uint32_t;
inline constexpr Vertex no_vertex = UINT32_MAX;

struct Graph {
    std::uint32_t vertices = 0;
    std::vector<std::pair<Vertex, Vertex>> edges;         // the second is no more uniform than the first
    std::vector<std::pair<Vertex, UniformOver>> sources;  // non-uniform by themselves
    std::vector<Vertex> node_control, block_control;

    Vertex add() { return vertices++; }
    void edge(Vertex from, Vertex to) {
        if (from != no_vertex) edges.emplace_back(from, to);
    }
    /// Returns a vertex as non-uniform as the less uniform of both; no_vertex means uniform.
    Vertex join(Vertex a, Vertex b) {
        if (a == no_vertex || a == b) return b;
        if (b == no_vertex) return a;
        const Vertex made = add();
        edge(a, made);
        edge(b, made);
        return made;
    }
};

/// If `precise`, follows function variables; returns nothing if that exceeds the budget.
std::optional<Graph> make_graph(const Program& program, Returned returned, bool precise);

}  // namespace muster::uniformity
