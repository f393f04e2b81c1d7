// order.hpp - the order in which a graph's nodes can be added, and which names they
// read. Internal to graph/onnx.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <muster/graph/onnx/model.hpp>

namespace muster::graph::onnx {

struct NodeOrder {
    std::vector<std::uint32_t> nodes;  // each behind those whose outputs it reads; else as in the file
    std::unordered_set<std::string_view> read;  // the names that they read, within branches too
};

/// Precondition: the nodes live as long as the result. Errors: invalid_program (two nodes make one name, or
/// nodes read each other's outputs in a circle).
Result<NodeOrder> node_order(std::span<const FileNode> nodes);

}  // namespace muster::graph::onnx
