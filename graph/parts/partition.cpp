#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include <muster/driver/contract/graph_compiler.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/parts/graph_part.hpp>
#include <muster/graph/parts/partition.hpp>
#include <muster/graph/plan/plan.hpp>

namespace muster::graph {
namespace {

/// A backend with a compiler of its own, on the device that its parts are routed to.
struct Compiler {
    std::shared_ptr<Backend> backend;
    GraphCompiler* compiler = nullptr;
    Execute where;
};

/// False if the backend's record, or its plugin's, says that it lacks the operation
/// of parts. Opens no plugin.
bool may_have_parts(Fleet& fleet, std::size_t which) {
    const FleetEntry& entry = fleet.entry(which);
    const auto has = [&](const OpSet& ops) {
        return std::ranges::find(ops.extensions, graph_extension(entry.id)) != ops.extensions.end();
    };
    if (!entry.load) return has(entry.supported_ops);
    const Result<OpSet>* const loaded = fleet.loaded(which);
    return loaded == nullptr || (*loaded && has(**loaded));
}

Result<std::vector<Compiler>> compilers(Session& session, const CompileOptions& options) {
    std::vector<Compiler> found;
    Fleet& fleet = session.fleet();
    for (std::size_t i = 0; i < fleet.size(); ++i) {
        if (!may_have_parts(fleet, i)) continue;
        const std::string& id = fleet.entry(i).id;
        const Route route = session.route(TRY(part_program(id, 1, 1, {})), options);
        if (!route.execute() || route.execute()->backend != id) continue;
        const auto backend = fleet.backend(i);
        if (!backend) continue;
        if (GraphCompiler* const compiler = (*backend)->graph_compiler())
            found.push_back({*backend, compiler, *route.execute()});
    }
    return found;
}

class Partitioner {
  public:
    Partitioner(const Graph& graph, std::vector<Group> groups, std::vector<Compiler> compilers,
                const CompileOptions& options)
        : graph_(graph),
          groups_(std::move(groups)),
          compilers_(std::move(compilers)),
          options_(options),
          takers_(graph.node_count()),
          levels_(graph.node_count()),
          parts_(graph.node_count()) {
        std::iota(parts_.begin(), parts_.end(), 0u);
    }

    Result<Partition> cut(Preprocess preprocess) && {
        TRY(ask());
        find_levels();
        join();
        std::vector<Piece> pieces = this->pieces();
        for (Piece& piece : pieces)
            if (piece.taker > 0) TRY(give(piece, preprocess));
        return ordered(std::move(pieces));
    }

  private:
    /// Nodes that are computed together: a part, or what is left of a group.
    struct Piece {
        std::uint32_t level = 0, taker = 0;  // 0: kernels, else a compiler's number from 1
        std::vector<Group> groups;           // those that it is, or of a part those that it would be
        std::optional<OutsidePart> part = {};
        std::uint32_t last() const {
            std::uint32_t last = 0;
            for (const Group& group : groups) last = std::max(last, group.nodes.back().index);
            return last;
        }
    };

    /// Asks each compiler about each node that none before it takes.
    Result<void> ask() {
        std::vector<Group> singles;
        for (const NodeId node : graph_.nodes()) singles.push_back({.nodes = {node}});
        for (const Group& alone : with_ends(graph_, std::move(singles))) {
            const NodeId node = alone.nodes.front();
            const auto is_empty = [&](ValueId value) {
                return element_count(graph_.value(value).type.shape) == Dimension(0);
            };
            if (std::ranges::any_of(alone.inputs, is_empty) || std::ranges::any_of(alone.outputs, is_empty))
                continue;
            const GraphPart part = TRY(graph_part(graph_, alone));
            for (std::size_t i = 0; i < compilers_.size() && takers_[node.index] == 0; ++i)
                if (takes(*compilers_[i].compiler, part))
                    takers_[node.index] = static_cast<std::uint32_t>(i + 1);
        }
        return {};
    }

    static bool takes(const GraphCompiler& compiler, const GraphPart& node) {
        const Result<std::string> objection = guarded(
            "GraphCompiler::objection", [&]() -> Result<std::string> { return compiler.objection(node); });
        return objection && objection->empty();
    }

    /// A node's level: how often the taker changes on the way to it, at most. Nodes of one level and taker
    /// have no path between them that leads through others.
    void find_levels() {
        for (const NodeId node : graph_.nodes()) {
            for (const ValueId input : graph_.inputs(node)) {
                const NodeId from = input ? graph_.value(input).producer : NodeId();
                if (!from) continue;
                const std::uint32_t changes = takers_[from.index] == takers_[node.index] ? 0 : 1;
                levels_[node.index] = std::max(levels_[node.index], levels_[from.index] + changes);
            }
        }
    }

    std::uint32_t root(std::uint32_t node) {
        while (parts_[node] != node) node = parts_[node] = parts_[parts_[node]];
        return node;
    }

    /// Joins connected nodes of one level and taker; those that read one value count as connected.
    void join() {
        std::map<std::tuple<ValueId, std::uint32_t, std::uint32_t>, std::uint32_t> readers;
        for (const NodeId node : graph_.nodes()) {
            const std::uint32_t taker = takers_[node.index], level = levels_[node.index];
            if (taker == 0) continue;
            for (const ValueId input : graph_.inputs(node)) {
                if (!input || graph_.value(input).constant) continue;
                const NodeId from = graph_.value(input).producer;
                if (from && takers_[from.index] == taker && levels_[from.index] == level)
                    parts_[root(node.index)] = root(from.index);
                const auto [other, is_new] = readers.emplace(std::tuple{input, taker, level}, node.index);
                if (!is_new) parts_[root(node.index)] = root(other->second);
            }
        }
    }

    /// The groups, cut where levels or parts differ; those of a part together.
    std::vector<Piece> pieces() {
        std::vector<Piece> pieces;
        std::map<std::uint32_t, std::size_t> by_part;
        for (const Group& group : groups_) {
            std::map<std::tuple<std::uint32_t, std::uint32_t>, std::vector<NodeId>> cut;
            for (const NodeId node : group.nodes) {
                const std::uint32_t part = takers_[node.index] == 0 ? UINT32_MAX : root(node.index);
                cut[{levels_[node.index], part}].push_back(node);
            }
            for (auto& [key, nodes] : cut) {
                const auto [level, part] = key;
                const bool is_whole = cut.size() == 1;
                Group own = is_whole ? group : Group{.nodes = std::move(nodes)};
                const auto known = by_part.find(part);
                if (part != UINT32_MAX && known != by_part.end()) {
                    pieces[known->second].groups.push_back(std::move(own));
                    continue;
                }
                if (part != UINT32_MAX) by_part.emplace(part, pieces.size());
                const std::uint32_t taker = takers_[own.nodes.front().index];
                pieces.push_back({.level = level, .taker = taker, .groups = {std::move(own)}});
            }
        }
        return pieces;
    }

    /// All nodes of a part as one group.
    Group whole(const Piece& piece) const {
        Group all;
        for (const Group& group : piece.groups)
            all.nodes.insert(all.nodes.end(), group.nodes.begin(), group.nodes.end());
        std::ranges::sort(all.nodes);
        return with_ends(graph_, {all}).front();
    }

    /// Makes the piece its taker's, or leaves it to kernels with a note.
    Result<void> give(Piece& piece, Preprocess preprocess) {
        Group all = whole(piece);
        auto part = compiled(compilers_[piece.taker - 1], all, preprocess);
        if (part) {
            piece.part = *std::move(part);
            piece.groups = {std::move(all)};
            return {};
        }
        std::vector<std::string> labels;
        for (const NodeId node : all.nodes) labels.push_back(graph_.label(node));
        const Compiler& compiler = compilers_[piece.taker - 1];
        notes_.push_back(fmt::format("{} accepts {} {}, and can't compile them: {} They run as kernels.",
                                     compiler.where.id(), labels.size() == 1 ? "node" : "nodes",
                                     fmt::join(labels, ", "), part.error().message));
        return {};
    }

    Result<OutsidePart> compiled(const Compiler& compiler, const Group& all, Preprocess preprocess) const {
        const auto inputs = static_cast<std::size_t>(std::ranges::count_if(
            all.inputs, [&](ValueId input) { return graph_.value(input).constant == nullptr; }));
        const std::size_t ends = inputs + all.outputs.size(),
                          most = compiler.where.device.limits.max_storage_bindings;
        if (ends > most)
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("They have {} inputs and outputs, and it binds at most {}.", ends, most));
        OutsidePart part{
            .backend = std::string(compiler.backend->id()),
            .program = {TRY(part_program(compiler.backend->id(), inputs, all.outputs.size(), {})), {}}};
        if (preprocess == Preprocess::never) return part;
        const GraphPart text = TRY(graph_part(graph_, all));
        CompiledPart made = TRY(guarded("GraphCompiler::preprocess",
                                        [&] { return compiler.compiler->preprocess(text, options_); }));
        part.program.program =
            TRY(part_program(compiler.backend->id(), inputs, all.outputs.size(), made.bytes));
        part.program.codes.push_back(
            part_artifact(part.program.program, compiler.where, std::move(made), options_));
        return part;
    }

    Result<Partition> ordered(std::vector<Piece> pieces) {
        std::ranges::sort(pieces, {}, [](const Piece& piece) {
            return std::tuple{piece.level, piece.last()};
        });
        Partition result{.notes = std::move(notes_)};
        for (Piece& piece : pieces) {
            if (piece.part) {
                result.parts.emplace(result.groups.size(), *std::move(piece.part));
                result.groups.push_back(std::move(piece.groups.front()));
                continue;
            }
            const std::vector<Group> own =
                lowerable_groups(graph_, with_ends_of_new(std::move(piece.groups)));
            result.groups.insert(result.groups.end(), own.begin(), own.end());
        }
        return result;
    }

    /// Gives groups that were cut their ends.
    std::vector<Group> with_ends_of_new(std::vector<Group> groups) const {
        for (Group& group : groups)
            if (group.outputs.empty()) group = with_ends(graph_, {std::move(group)}).front();
        return groups;
    }

    const Graph& graph_;
    std::vector<Group> groups_;
    std::vector<Compiler> compilers_;
    const CompileOptions& options_;
    std::vector<std::uint32_t> takers_, levels_;  // of the nodes
    std::vector<std::uint32_t> parts_;            // another node of the same part, or itself
    std::vector<std::string> notes_;
};

}  // namespace

std::set<std::size_t> Partition::outside() const {
    std::set<std::size_t> numbers;
    for (const auto& [which, part] : parts) numbers.insert(which);
    return numbers;
}

Result<Partition> partition(Session& session, const Graph& graph, std::vector<Group> groups,
                            const CompileOptions& options, Preprocess preprocess) {
    std::vector<Compiler> found = TRY(compilers(session, options));
    if (found.empty()) return Partition{.groups = std::move(groups)};
    return Partitioner(graph, std::move(groups), std::move(found), options).cut(preprocess);
}

}  // namespace muster::graph
