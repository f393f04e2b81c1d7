#include <muster/foundation/semantics/semantics.hpp>
#include <muster/graph/evaluate/evaluation.hpp>
#include <muster/graph/evaluate/matrices.hpp>
#include <muster/graph/evaluate/sums.hpp>

namespace muster::graph {
namespace {

float multiply_add(float sum, float a, float b) { return sum + a * b; }
std::int64_t multiply_add(std::int64_t sum, std::int64_t a, std::int64_t b) {
    return semantics::add(sum, semantics::mul(a, b));
}

/// The sum of a(k) * b(k).
template <class T, class A, class B>
T sum_of_products(std::size_t depth, A&& a, B&& b) {
    if constexpr (std::is_same_v<T, float>)
        return product_sum(depth, [&](std::size_t k) { return a(k) * b(k); });
    T sum = 0;
    for (std::size_t k = 0; k < depth; ++k) sum = multiply_add(sum, a(k), b(k));
    return sum;
}

template <class T>
void matmul(Evaluation& node, const std::vector<T>& a, const std::vector<T>& b) {
    const Matrices shape(node.sizes(0), node.sizes(1));
    std::vector<T> result;
    shape.for_each([&](const Matrices::Element& element) {
        result.push_back(sum_of_products<T>(
            shape.depth, [&](std::size_t k) { return a[element.a(k)]; },
            [&](std::size_t k) { return b[element.b(k)]; }));
    });
    node.set(0, result);
}

/// alpha * sum + beta * C; integers with alpha and beta truncated.
template <class T>
void gemm(Evaluation& node, const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c) {
    const bool a_transposed = node.attributes().flag("transA"),
               b_transposed = node.attributes().flag("transB");
    const auto rows = static_cast<std::size_t>(node.output_sizes()[0]),
               columns = static_cast<std::size_t>(node.output_sizes()[1]);
    const auto depth = static_cast<std::size_t>(node.sizes(0)[a_transposed ? 0 : 1]);
    const T alpha = static_cast<T>(node.attributes().number("alpha")),
            beta = static_cast<T>(node.attributes().number("beta"));
    const auto at_c =
        node.has(2) ? broadcast_offsets(node.sizes(2), node.output_sizes()) : std::vector<std::size_t>{};
    std::vector<T> result;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            const T sum = sum_of_products<T>(
                depth, [&](std::size_t k) { return a[a_transposed ? k * rows + row : row * depth + k]; },
                [&](std::size_t k) { return b[b_transposed ? column * depth + k : k * columns + column]; });
            const T scaled = multiply_add(T{0}, alpha, sum);
            result.push_back(node.has(2) ? multiply_add(scaled, beta, c[at_c[result.size()]]) : scaled);
        }
    }
    node.set(0, result);
}

}  // namespace

Result<void> evaluate_product(Evaluation& node) {
    if (node.op() == Operator::matmul) {
        if (node.of_floats(0))
            matmul(node, node.floats(0), node.floats(1));
        else
            matmul(node, node.integers(0), node.integers(1));
        return {};
    }
    if (node.of_floats(0))
        gemm(node, node.floats(0), node.floats(1), node.has(2) ? node.floats(2) : Floats{});
    else
        gemm(node, node.integers(0), node.integers(1), node.has(2) ? node.integers(2) : Integers{});
    return {};
}

}  // namespace muster::graph
