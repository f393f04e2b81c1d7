#include <muster/foundation/base/try.hpp>
#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/evaluation.hpp>
#include <muster/graph/evaluate/sums.hpp>
#include <muster/graph/infer/einsum.hpp>

namespace muster::graph {
namespace {

float multiplied(float a, float b) { return a * b; }
std::int64_t multiplied(std::int64_t a, std::int64_t b) { return semantics::mul(a, b); }

/// The sum of term(), called so many times.
template <class Term>
float sum_of(float, std::size_t count, Term&& term) {
    return product_sum(count, [&](std::size_t) { return term(); });
}
template <class Term>
std::int64_t sum_of(std::int64_t, std::size_t count, Term&& term) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum = semantics::add(sum, term());
    return sum;
}

/// How far one step along each label goes in an input; 0 where its size is 1 or it hasn't the label.
Sizes steps_of(const std::vector<std::size_t>& labels, const Sizes& sizes, std::size_t label_count) {
    Sizes steps(label_count, 0);
    const Sizes strides = row_major_strides(sizes);
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
        if (sizes[axis] != 1) steps[labels[axis]] += strides[axis];
    }
    return steps;
}

/// Each element the sum, over the labels that the result hasn't, in their order, the last one fastest, of the
/// inputs' products, the first input's element times the second's, and so on.
template <class T, class Read>
void einsum(Evaluation& node, const EinsumPlan& plan, Read read) {
    Sizes sizes(plan.label_count, 1);
    std::vector<Sizes> steps;
    std::vector<std::vector<T>> inputs;
    for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
        const Sizes of = node.sizes(i);
        for (std::size_t axis = 0; axis < of.size(); ++axis) {
            std::int64_t& size = sizes[plan.inputs[i][axis]];
            if (size == 1) size = of[axis];
        }
        steps.push_back(steps_of(plan.inputs[i], of, plan.label_count));
        inputs.push_back(read(i));
    }
    Sizes outer(plan.label_count, 1), summed = sizes;
    for (const std::size_t label : plan.output) summed[label] = 1;
    Sizes result_sizes;
    for (const std::size_t label : plan.output) result_sizes.push_back(sizes[label]);
    const auto count = static_cast<std::size_t>(product(summed));
    std::vector<T> result(static_cast<std::size_t>(product(result_sizes)));
    Sizes at(plan.output.size());
    for (T& element : result) {
        Sizes index(plan.label_count, 0);
        element = sum_of(T{}, count, [&] {
            T product = 1;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                std::int64_t offset = offset_of(index, steps[i]);
                for (std::size_t k = 0; k < at.size(); ++k) offset += at[k] * steps[i][plan.output[k]];
                const T value = inputs[i][static_cast<std::size_t>(offset)];
                product = i == 0 ? value : multiplied(product, value);
            }
            advance(index, summed);
            return product;
        });
        advance(at, result_sizes);
    }
    node.set(0, result);
}

}  // namespace

Result<void> evaluate_einsum(Evaluation& node) {
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < node.input_count(); ++i) ranks.push_back(node.sizes(i).size());
    const EinsumPlan plan = TRY(einsum_plan(node.attributes().text("equation"), ranks));
    if (node.of_floats(0))
        einsum<float>(node, plan, [&](std::size_t i) { return node.floats(i); });
    else
        einsum<std::int64_t>(node, plan, [&](std::size_t i) { return node.integers(i); });
    return {};
}

}  // namespace muster::graph
