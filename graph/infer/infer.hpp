// infer.hpp - types and shapes of a node's outputs, from its inputs' types and, where shapes
// depend on them, contents.
//
//     const Operand operands[]{{&x, "x"}, {&shape, "shape"}};
//     Result<std::vector<ValueFact>> y = infer(Operator::reshape, attributes, operands, 1);
//
// Contents of small integer tensors are followed, as dimensions: with an input x of [N, 3, 4], the
// chain Shape(x) -> Gather (0) -> Unsqueeze -> Concat with [12] has the contents [N, 12], so that a
// Reshape by it has that shape. Sizes that depend on contents which aren't known are unknown
// dimensions; a rank that does is an error.
//
// Pure. Threads: any. Errors: invalid_program; they name tensors, and the caller adds the node.
// limit_exceeded: a tensor of more than max_elements elements.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/attribute.hpp>
#include <muster/graph/ir/operator.hpp>
#include <muster/graph/ir/shape.hpp>
#include <muster/graph/ir/tensor.hpp>

namespace muster::graph {

/// Most elements of a tensor whose contents are followed.
inline constexpr std::int64_t max_contents = 1024;

/// Errors: limit_exceeded (more axes than max_rank).
Result<void> check_rank(std::size_t rank);

/// The facts that are known of a value.
struct ValueFact {
    TensorType type;
    std::shared_ptr<const Tensor> constant = {};  // null: not a constant
    std::shared_ptr<const std::vector<Dimension>> contents =
        {};  // of an integer or bool tensor; null: not known

    /// The fact of a constant; small integers' contents are known.
    static ValueFact of(std::shared_ptr<const Tensor> tensor);
};

/// An input of a node; absent if it has no fact. The name is for messages.
struct Operand {
    const ValueFact* fact = nullptr;
    std::string_view name = {};
};

/// Checks number and types of the operands and the number of outputs, and returns the outputs' facts.
/// Precondition: the attributes are those of the schema (GraphBuilder checks them).
Result<std::vector<ValueFact>> infer(Operator op, const Attributes& attributes,
                                     std::span<const Operand> operands, std::size_t output_count);

}  // namespace muster::graph
