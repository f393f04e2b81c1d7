#include <algorithm>
#include <numeric>
#include <queue>
#include <unordered_map>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/order.hpp>

namespace muster::graph::onnx {
namespace {

constexpr std::size_t most_named = 8;  // nodes of a circle, in a message

using Names = std::unordered_set<std::string_view>;

const FileGraph* branch(const FileAttribute& attribute) {
    const auto* graph = std::get_if<std::shared_ptr<const FileGraph>>(&attribute.value);
    return graph ? graph->get() : nullptr;
}

void add_reads(const FileNode& node, Names& names);

/// The names that a graph within a node reads from outside.
void add_reads_from_outside(const FileGraph& graph, Names& names) {
    Names read, own;
    for (const FileNode& node : graph.nodes) {
        add_reads(node, read);
        own.insert(node.outputs.begin(), node.outputs.end());
    }
    for (const FileValue& output : graph.outputs) read.insert(output.name);
    for (const FileValue& input : graph.inputs) own.insert(input.name);
    for (const FileTensor& tensor : graph.initializers) own.insert(tensor.name);
    for (const std::string_view name : read) {
        if (!own.contains(name)) names.insert(name);
    }
}

/// Calls `use` for each name that a node reads; a name may come twice.
template <class Use>
void for_reads(const FileNode& node, Use use) {
    for (const std::string& input : node.inputs) {
        if (!input.empty()) use(std::string_view(input));
    }
    for (const FileAttribute& attribute : node.attributes) {
        const FileGraph* graph = branch(attribute);
        if (!graph) continue;
        Names names;
        add_reads_from_outside(*graph, names);
        std::ranges::for_each(names, use);
    }
}

void add_reads(const FileNode& node, Names& names) {
    for_reads(node, [&](std::string_view name) { names.insert(name); });
}

/// The nodes of one graph that each node needs.
class Dependencies {
  public:
    explicit Dependencies(std::span<const FileNode> nodes) : nodes_(nodes) {}

    Result<NodeOrder> order() {
        TRY(find_producers());
        NodeOrder order;
        order.nodes.resize(nodes_.size());
        std::iota(order.nodes.begin(), order.nodes.end(), 0u);
        if (find_reads(order.read)) return order;
        find_readers();
        order.nodes.clear();
        place(order.nodes);
        if (order.nodes.size() < nodes_.size()) return circle();
        return order;
    }

  private:
    Result<void> find_producers() {
        producers_.reserve(nodes_.size());
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            for (const std::string& output : nodes_[i].outputs) {
                if (output.empty()) continue;
                const auto [found, added] = producers_.emplace(output, i);
                if (added) continue;
                return fail(ErrorCode::invalid_program,
                            fmt::format("Two nodes make \"{}\": {} and {}.", printable(output),
                                        label(nodes_[found->second]), label(nodes_[i])));
            }
        }
        return {};
    }

    /// True if the nodes are in order already.
    bool find_reads(Names& read) const {
        bool ordered = true;
        read.reserve(nodes_.size());
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            for_reads(nodes_[i], [&](std::string_view name) {
                read.insert(name);
                const auto producer = producers_.find(name);
                ordered = ordered && (producer == producers_.end() || producer->second < i);
            });
        }
        return ordered;
    }

    void find_readers() {
        readers_.resize(nodes_.size());
        needs_.resize(nodes_.size());
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            for_reads(nodes_[i], [&](std::string_view name) {
                const auto producer = producers_.find(name);
                if (producer == producers_.end()) return;
                readers_[producer->second].push_back(i);
                ++needs_[i];
            });
        }
    }

    /// Each as soon as nothing is needed any more; of those that are ready, the first in the file.
    void place(std::vector<std::uint32_t>& placed) {
        std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (needs_[i] == 0) ready.push(i);
        }
        while (!ready.empty()) {
            const std::uint32_t next = ready.top();
            ready.pop();
            placed.push_back(next);
            for (const std::uint32_t reader : readers_[next]) {
                if (--needs_[reader] == 0) ready.push(reader);
            }
        }
    }

    /// Goes from a node that is left to one that it waits for, until one comes again.
    std::unexpected<Error> circle() const {
        std::vector<std::uint32_t> waits_for(nodes_.size());
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (needs_[i] == 0) continue;
            for (const std::uint32_t reader : readers_[i]) waits_for[reader] = i;
        }
        std::vector<bool> seen(nodes_.size());
        std::uint32_t at = 0;
        while (needs_[at] == 0) ++at;
        for (; !seen[at]; at = waits_for[at]) seen[at] = true;
        std::vector<std::string> labels{label(nodes_[at])};
        std::size_t count = 1;
        for (std::uint32_t next = waits_for[at]; next != at; next = waits_for[next], ++count) {
            if (count < most_named) labels.push_back(label(nodes_[next]));
        }
        if (count == 1) {
            return fail(ErrorCode::invalid_program, fmt::format("Node {} reads its own output.", labels[0]));
        }
        return fail(ErrorCode::invalid_program,
                    fmt::format("{} nodes read each other's outputs in a circle: {}{}.", count,
                                fmt::join(labels, " reads from "),
                                count > most_named ? ", and so on" : " reads from the first"));
    }

    std::span<const FileNode> nodes_;
    std::unordered_map<std::string_view, std::uint32_t> producers_;
    std::vector<std::vector<std::uint32_t>> readers_;
    std::vector<std::uint32_t> needs_;  // how many values it waits for
};

}  // namespace

std::string label(const FileNode& node) {
    if (!node.name.empty()) return fmt::format("\"{}\" ({})", printable(node.name), printable(node.op));
    for (const std::string& output : node.outputs) {
        if (!output.empty())
            return fmt::format("that makes \"{}\" ({})", printable(output), printable(node.op));
    }
    return fmt::format("without outputs ({})", printable(node.op));
}

Result<NodeOrder> node_order(std::span<const FileNode> nodes) { return Dependencies(nodes).order(); }

}  // namespace muster::graph::onnx
