#include <algorithm>
#include <array>
#include <vector>

#include <muster/graph/kernels/constant_inputs.hpp>

namespace muster::graph {

namespace {

struct ConstantInputs {
    Operator op;
    std::uint32_t inputs;  // as bits
};
// clang-format off
constexpr std::array rows{
    ConstantInputs{Operator::range, 0b111}, ConstantInputs{Operator::constant_of_shape, 0b1},
    ConstantInputs{Operator::reshape, 0b10}, ConstantInputs{Operator::expand, 0b10}, ConstantInputs{Operator::tile, 0b10}, ConstantInputs{Operator::squeeze, 0b10},
    ConstantInputs{Operator::unsqueeze, 0b10}, ConstantInputs{Operator::split, 0b10}, ConstantInputs{Operator::slice, 0b11110}, ConstantInputs{Operator::pad, 0b1010},
    ConstantInputs{Operator::trilu, 0b10}, ConstantInputs{Operator::resize, 0b1110}, ConstantInputs{Operator::top_k, 0b10}, ConstantInputs{Operator::one_hot, 0b10},
    ConstantInputs{Operator::cum_sum, 0b10}, ConstantInputs{Operator::reduce_mean, 0b10}, ConstantInputs{Operator::reduce_sum, 0b10},
    ConstantInputs{Operator::reduce_max, 0b10}, ConstantInputs{Operator::reduce_min, 0b10}, ConstantInputs{Operator::reduce_l2, 0b10},
};
// clang-format on

}  // namespace

bool must_be_constant(Operator op, std::size_t input) {
    const auto row = std::ranges::find(rows, op, &ConstantInputs::op);
    return row != rows.end() && (row->inputs >> input & 1u);
}

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
            if (value && (needed || must_be_constant(graph.node(node).op, input)))
                decides[value.index] = true;
        }
    }
    std::set<ValueId> inputs;
    for (const ValueId input : graph.inputs())
        if (decides[input.index]) inputs.insert(input);
    return inputs;
}

}  // namespace muster::graph
