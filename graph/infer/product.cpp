#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

Result<void> infer_gemm(Inference& node) {
    TRY(node.expect_rank(0, 2));
    TRY(node.expect_rank(1, 2));
    const bool a_transposed = node.attributes().flag("transA"),
               b_transposed = node.attributes().flag("transB");
    const Shape &a = node.shape(0), &b = node.shape(1);
    if (provably_different(a[a_transposed ? 0 : 1], b[b_transposed ? 1 : 0])) {
        return wrong(fmt::format("{}, and {} stands beside it: the sizes to sum over, {} and {}, differ.",
                                 node.describe(0), to_string(b), to_string(a[a_transposed ? 0 : 1]),
                                 to_string(b[b_transposed ? 1 : 0])));
    }
    const Shape result{a[a_transposed ? 1 : 0], b[b_transposed ? 0 : 1]};
    if (node.has(2)) {
        const Shape joint = TRY(broadcast(result, node.shape(2)));
        if (joint.size() != 2 || provably_different(joint[0], result[0]) ||
            provably_different(joint[1], result[1])) {
            return wrong(
                fmt::format("{}, and can't be broadcast to {}.", node.describe(2), to_string(result)));
        }
    }
    node.set_shape(0, result);
    return {};
}

}  // namespace

Result<void> infer_product(Inference& node) {
    if (node.op() == Operator::gemm) return infer_gemm(node);
    const std::size_t second = node.op() == Operator::qlinear_matmul ? 3 : 1;
    TRY(node.expect_rank_of_at_least(0, 1));
    TRY(node.expect_rank_of_at_least(second, 1));
    Shape a = node.shape(0), b = node.shape(second);
    const bool a_is_row = a.size() == 1, b_is_column = b.size() == 1;
    if (a_is_row) a.insert(a.begin(), 1);
    if (b_is_column) b.push_back(1);
    if (provably_different(a.back(), b[b.size() - 2])) {
        return wrong(fmt::format("{}, and {} stands beside it: the sizes to sum over, {} and {}, differ.",
                                 node.describe(0), to_string(node.shape(second)), to_string(a.back()),
                                 to_string(b[b.size() - 2])));
    }
    Shape result = TRY(broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}));
    if (!a_is_row) result.push_back(a[a.size() - 2]);
    if (!b_is_column) result.push_back(b.back());
    node.set_shape(0, std::move(result));
    return {};
}

}  // namespace muster::graph
