// evaluate.hpp - the reference evaluator of graphs, plain and slow: it defines what each
// operator gives, bit for bit.
//
//     Result<std::vector<Tensor>> y = evaluate(graph, {x});    // outputs in the graph's order
//
// Order and precision, for all operators:
//   f16 is computed in f32 and rounded once, when an output is stored; so a chain inside one operator isn't rounded between.
//   Sums begin with 0 and add term by term, in the row-major order of the axes that are summed over: of a convolution the
//     kernel, then the input's channels; its bias is added last. Padding adds nothing (kernels may add 0 * weight, which differs
//     where a weight isn't finite). Products of a term are rounded before they are added.
//   exp, log, sin, cos, tanh, pow are those of foundation/math, so kernels in exact mode give the same bits; erf is
//     within 6 units in the last place. + - * / and sqrt round once. min and max return the number where one side is NaN.
//   Integers wrap; x / 0 = x; conversions of floats to integers truncate and clamp, NaN gives 0.
// Each operator's formula stands in the source of its group (elementwise.cpp, product.cpp, ...).
//
// Pure. Threads: any. Errors: invalid_argument (number, types or sizes of inputs), invalid_program
// (an index out of bounds, and what inference refuses for these sizes), limit_exceeded (an output of
// more than 2^31 elements).
#pragma once

#include <span>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/infer/infer.hpp>
#include <muster/graph/ir/graph.hpp>

namespace muster::graph {

/// `inputs`: one for each of the graph's, in its order; the same symbol must be the same size in all of them.
Result<std::vector<Tensor>> evaluate(const Graph& graph, std::span<const Tensor> inputs);

/// The outputs of one node. Preconditions: the operands are constants, and the
/// attributes those of the schema.
Result<std::vector<Tensor>> evaluate_node(Operator op, const Attributes& attributes,
                                          std::span<const Operand> operands, std::size_t output_count);

}  // namespace muster::graph
