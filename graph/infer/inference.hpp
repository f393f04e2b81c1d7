// inference.hpp - what the inference of one node has and makes. Internal to graph/infer.
#pragma once

#include <string>

#include <muster/graph/infer/infer.hpp>

namespace muster::graph {

class Inference {
  public:
    Inference(Operator op, const Attributes& attributes, std::span<const Operand> operands,
              std::size_t output_count)
        : op_(op), attributes_(attributes), operands_(operands), outputs_(output_count) {}

    Operator op() const { return op_; }
    const Attributes& attributes() const { return attributes_; }

    std::size_t input_count() const { return operands_.size(); }
    bool has(std::size_t input) const { return input < operands_.size() && operands_[input].fact; }
    const ValueFact& fact(std::size_t input) const { return *operands_[input].fact; }
    const Shape& shape(std::size_t input) const { return fact(input).type.shape; }
    std::size_t rank(std::size_t input) const { return shape(input).size(); }
    ElementType element(std::size_t input) const { return fact(input).type.element; }
    /// `Input "w" (W) is f32[64, 3]`, the start of a message.
    std::string describe(std::size_t input) const;
    /// The contents; null if they aren't known.
    const std::vector<Dimension>* contents(std::size_t input) const { return fact(input).contents.get(); }
    /// The contents as numbers. Errors: one isn't known.
    Result<std::vector<std::int64_t>> numbers(std::size_t input) const;

    std::size_t output_count() const { return outputs_.size(); }
    void set_shape(std::size_t output, Shape shape) {
        if (output < outputs_.size()) outputs_[output].type.shape = std::move(shape);
    }
    void set_element(std::size_t output, ElementType element) { outputs_[output].type.element = element; }
    const ValueFact& output(std::size_t at) const { return outputs_[at]; }
    void set_contents(std::vector<Dimension> contents, std::size_t output = 0) {
        outputs_[output].contents = std::make_shared<const std::vector<Dimension>>(std::move(contents));
    }
    std::vector<ValueFact> take() && { return std::move(outputs_); }

    // Checks that several operators share; they fail with a message that names the input.
    Result<void> expect_rank(std::size_t input, std::size_t rank) const;
    Result<void> expect_rank_of_at_least(std::size_t input, std::size_t rank) const;
    /// An input of rank 1 with a known length; returns the length.
    Result<std::size_t> known_length(std::size_t input) const;

  private:
    Operator op_;
    const Attributes& attributes_;
    std::span<const Operand> operands_;
    std::vector<ValueFact> outputs_;
};

std::unexpected<Error> wrong(std::string message, std::string fix = {});

/// An axis as an index from 0; negative ones count from the end. Errors: outside of [-rank, rank).
Result<std::size_t> axis_index(std::int64_t axis, std::size_t rank);
/// The same of several; sorted. Errors: one occurs twice.
Result<std::vector<std::size_t>> axis_indices(std::span<const std::int64_t> axes, std::size_t rank);
/// The shape that NumPy's broadcasting gives. Errors: two sizes that differ, and neither is 1.
Result<Shape> broadcast(const Shape& a, const Shape& b);
/// The dimension that both sides must have: what is known of it. Errors: provably different.
Result<Dimension> common(const Dimension& a, const Dimension& b);

// One function for each group of operators; operators.def says which has which.
#define MUSTER_OPERATOR(op, name, infer, ...) Result<void> infer_##infer(Inference& node);
#include <muster/graph/ir/operators.def>

/// Follows contents through the node, where its operator is one that computes shapes.
void infer_contents(Inference& node);

}  // namespace muster::graph
