// bfs.cpp - breadth-first search: which vertices a member writes depends on the graph's edges, so a dispatch
// can't be cut. It runs on one member, or is refused with the reason.
#include "shared.hpp"

int main(int argc, char** argv) {
    constexpr std::uint32_t count = 1000;
    return compare_with_one_device(argc, argv, [](muster::ClusterSession& cluster) {
        const auto search = cluster.prepare(kernel_of("bfs/bfs.wgsl")).value();
        std::vector<std::uint32_t> first{0}, targets;  // two edges from each vertex, as in a binary tree
        for (std::uint32_t v = 0; v < count; ++v) {
            for (const std::uint32_t child : {2 * v + 1, 2 * v + 2})
                if (child < count) targets.push_back(child);
            first.push_back(static_cast<std::uint32_t>(targets.size()));
        }
        const auto edges = cluster.buffer(first).value(), ends = cluster.buffer(targets).value();
        const auto distances = cluster.zeros<std::uint32_t>(count).value(),
                   deepest = cluster.zeros<std::uint32_t>(1).value();
        const std::vector<muster::ClusterArgument> arguments{{"source", 0u},
                                                             {"first", edges},
                                                             {"targets", ends},
                                                             {"distances", distances},
                                                             {"deepest", deepest}};
        const std::string plan = cluster.explain(search, arguments, muster::Invocations{count}).value();
        if (cluster.members().size() > 1 && cluster.rank() == 0) std::cout << plan << "\n";
        cluster.dispatch(search, arguments, muster::Invocations{count}).value().wait().value();
        return distances.read_all<std::uint32_t>().value();
    });
}
