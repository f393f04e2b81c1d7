// uniformity_graph.hpp - what depends on what, as far as uniformity goes. Internal to the analysis.
//
// Vertices 0 to node_count() - 1 are the program's nodes. A branch's vertex is its condition, a loop's is
// whether invocations stay together from turn to turn, a store's and a declaration's is what the variable
// then holds. Further vertices are joins.
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
    std::vector<std::pair<Vertex, UniformOver>> sources;  // uniform over less than the grid by themselves
    std::vector<Vertex> node_control, block_control;

    Vertex add() { return vertices++; }
    void edge(Vertex from, Vertex to) {
        if (from != no_vertex) edges.emplace_back(from, to);
    }
    /// The less uniform of both; no_vertex stands for what is uniform.
    Vertex join(Vertex a, Vertex b) {
        if (a == no_vertex || a == b) return b;
        if (b == no_vertex) return a;
        const Vertex made = add();
        edge(a, made);
        edge(b, made);
        return made;
    }
};

/// With `precise`, function variables are followed; empty where that takes more steps than the budget allows.
std::optional<Graph> make_graph(const Program& program, Returned returned, bool precise);

}  // namespace muster::uniformity
