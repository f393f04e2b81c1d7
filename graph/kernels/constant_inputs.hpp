// constant_inputs.hpp - the inputs of nodes whose contents kernels are made for: shapes, axes, bounds.
#pragma once

#include <set>

#include <muster/foundation/graph/ir/graph.hpp>

namespace muster::graph {

/// True if lowering needs a constant there. It then depends on the contents which kernels there are.
bool must_be_constant(Operator op, std::size_t input);
/// The graph's inputs that such inputs are computed from, by name.
std::set<ValueId> inputs_that_decide_kernels(const Graph& graph);

}  // namespace muster::graph
