#include <vector>

#include <muster/graph/kernels/constant_inputs.hpp>

namespace muster::graph {

std::set<ValueId> inputs_that_decide_kernels(const Graph& graph) {
    std::vector<bool> decides(graph.value_count());
    for (std::uint32_t i = graph.node_count(); i-- > 0;) {
        const NodeId node{i};
        bool needed = false;
        for (const ValueId output : graph.outputs(node)) needed = needed || (output && decides[output.index]);
        // A shape is known without what the tensor holds.
        if (graph.node(node).op == Operator::shape) continue;
        for (std::size_t input = 0; input < graph.inputs(node).size(); ++input) {
            const ValueId value = graph.inputs(node)[input];
            if (value && (needed || info(graph.node(node).op).input(input).constant))
                decides[value.index] = true;
        }
    }
    std::set<ValueId> inputs;
    for (const ValueId input : graph.inputs())
        if (decides[input.index]) inputs.insert(input);
    return inputs;
}

}  // namespace muster::graph
