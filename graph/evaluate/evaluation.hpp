// evaluation.hpp - the evaluation of one node: its inputs' values, widened, and its outputs. Internal to
// graph/evaluate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/attribute.hpp>
#include <muster/graph/ir/operator.hpp>
#include <muster/graph/ir/sizes.hpp>
#include <muster/graph/ir/tensor.hpp>

namespace muster::graph {

using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

class Evaluation {
  public:
    /// `inputs`: null where absent. `types`: the outputs', with sizes that are numbers.
    Evaluation(Operator op, const Attributes& attributes, std::span<const Tensor* const> inputs,
               std::vector<TensorType> types);

    Operator op() const { return op_; }
    const Attributes& attributes() const { return attributes_; }
    std::size_t input_count() const { return inputs_.size(); }
    bool has(std::size_t input) const { return input < inputs_.size() && inputs_[input]; }
    const Tensor& input(std::size_t at) const { return *inputs_[at]; }
    Sizes sizes(std::size_t input) const {
        return {inputs_[input]->sizes().begin(), inputs_[input]->sizes().end()};
    }
    Floats floats(std::size_t input) const { return graph::floats(*inputs_[input]); }
    Integers integers(std::size_t input) const { return graph::integers(*inputs_[input]); }
    /// True if the input has floats.
    bool of_floats(std::size_t input) const { return is_float(inputs_[input]->element()); }

    std::size_t output_count() const { return outputs_.size(); }
    const Sizes& output_sizes(std::size_t at = 0) const { return sizes_[at]; }
    std::size_t output_elements(std::size_t at = 0) const;
    ElementType output_element(std::size_t at = 0) const { return types_[at].element; }
    /// Stores an output: rounds to f16, wraps integers. Ignored if there is no such output.
    void set(std::size_t output, const Floats& values);
    void set(std::size_t output, const Integers& values);
    void set(std::size_t output, Tensor tensor) {
        if (output < outputs_.size()) outputs_[output] = std::move(tensor);
    }
    std::vector<Tensor> take() && { return std::move(outputs_); }

  private:
    Operator op_;
    const Attributes& attributes_;
    std::span<const Tensor* const> inputs_;
    std::vector<TensorType> types_;
    std::vector<Sizes> sizes_;
    std::vector<Tensor> outputs_;
};

/// A tensor of the values, rounded or wrapped to the element type.
Tensor stored(ElementType element, Sizes sizes, const Floats& values);
Tensor stored(ElementType element, Sizes sizes, const Integers& values);

/// The greater and the smaller of two floats: a NaN if one of them is a NaN, unlike those of
/// kernels, which give the number.
float greater_or_nan(float a, float b);
float smaller_or_nan(float a, float b);
/// The order of searches: a NaN is the largest.
template <class T>
bool is_below(T a, T b) {
    return a < b || (b != b && a == a);
}

/// A float as an integer of `to` or, for the narrow types, of i32: truncated and clamped, NaN gives 0; as
/// bool, whether it isn't 0.
std::int64_t truncated(float x, ElementType to);

// Row-major indices.
/// Advances to the next index; false behind the last, where it is all 0 again.
bool advance(Sizes& index, const Sizes& sizes);
std::int64_t offset_of(const Sizes& index, const Sizes& strides);
/// For each element of a tensor of `to`, the element of one of `from` that broadcasting gives it.
std::vector<std::size_t> broadcast_offsets(const Sizes& from, const Sizes& to);

/// The error of an operator that the function for its group doesn't know.
std::unexpected<Error> no_evaluation(const Evaluation& node);

// One function for each group of operators; operators.def says which has which.
#define MUSTER_OPERATOR(op, name, infer, evaluate, ...) Result<void> evaluate_##evaluate(Evaluation& node);
#include <muster/graph/ir/operators.def>

}  // namespace muster::graph
