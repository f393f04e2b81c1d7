// constant_inputs.hpp - the inputs of nodes whose contents kernels are made for: shapes, axes, bounds.
#pragma once

#include <set>

#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

/// The graph's inputs that inputs which must be constant (Port::constant) are computed from, by name.
std::set<ValueId> inputs_that_decide_kernels(const Graph& graph);

}  // namespace muster::graph
