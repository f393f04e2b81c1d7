// partition.hpp - which parts of a graph backends with a compiler of their own take
// (driver/contract/graph_compiler.hpp); the rest are groups for kernels.
//
//     Partition cut = TRY(partition(session, graph, groups, options, Preprocess::now));
//     Plan plan = TRY(make_plan(graph, cut.groups, cut.outside()));
//
// The backends are asked in the order of their ranks, those alone that the session routes to; each takes the
// largest connected parts of the nodes that it accepts, such that no path leads out of a part and back into
// it. Where none has such a compiler nothing is probed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/graph/ir/graph.hpp>
#include <muster/graph/pack/lower_group.hpp>

namespace muster::graph {

/// A part that a backend takes.
struct OutsidePart {
    std::string backend;
    ArtifactFile program;  // stands for it, with its code if it was preprocessed
};

struct Partition {
    std::vector<Group> groups;                 // in an order in which each has its inputs
    std::map<std::size_t, OutsidePart> parts;  // by the numbers of groups
    std::vector<std::string> notes;            // parts that a backend accepted and couldn't compile
    std::set<std::size_t> outside() const;
};

enum class Preprocess : std::uint8_t { now, never };

/// Errors: those of making a part of nodes. That a backend fails is a note.
Result<Partition> partition(Session& session, const Graph& graph, std::vector<Group> groups,
                            const CompileOptions& options, Preprocess preprocess);

}  // namespace muster::graph
