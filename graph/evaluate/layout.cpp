#include <muster/foundation/base/try.hpp>
#include <muster/graph/evaluate/copy.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

void transpose(Evaluation& node) {
    const std::span<const std::int64_t> perm = node.attributes().integers("perm");
    const Sizes strides = row_major_strides(node.sizes(0));
    copy_elements(node, 0, node.input(0), [&](const Sizes& index) {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < index.size(); ++i) {
            offset +=
                index[i] * strides[perm.empty() ? index.size() - 1 - i : static_cast<std::size_t>(perm[i])];
        }
        return offset;
    });
}

/// Elements below (upper = 1) or above the k-th diagonal become 0.
void trilu(Evaluation& node) {
    const std::int64_t k = node.has(1) ? node.integers(1)[0] : 0;
    const bool upper = node.attributes().flag("upper");
    const Sizes strides = row_major_strides(node.sizes(0));
    copy_elements(node, 0, node.input(0), [&](const Sizes& index) {
        const std::int64_t diagonal = index.back() - index[index.size() - 2];
        return (upper ? diagonal >= k : diagonal <= k) ? offset_of(index, strides) : -1;
    });
}

void depth_to_space(Evaluation& node) {
    const std::int64_t block = node.attributes().integer("blocksize"), channels = node.output_sizes()[1];
    const bool depth_first = node.attributes().text("mode") == "DCR";
    const Sizes strides = row_major_strides(node.sizes(0));
    copy_elements(node, 0, node.input(0), [&](const Sizes& index) {
        const std::int64_t in_block = index[2] % block * block + index[3] % block;
        const std::int64_t channel =
            depth_first ? in_block * channels + index[1] : index[1] * block * block + in_block;
        return offset_of({index[0], channel, index[2] / block, index[3] / block}, strides);
    });
}

/// The same bytes, in another shape.
Result<void> reshape(Evaluation& node) {
    const std::span<const std::byte> bytes = node.input(0).bytes();
    node.set(0, Tensor::own(node.output_element(), node.output_sizes(), {bytes.begin(), bytes.end()}));
    return {};
}

}  // namespace

Result<void> evaluate_layout(Evaluation& node) {
    const Operator op = node.op();
    if (op == Operator::transpose)
        transpose(node);
    else if (op == Operator::trilu)
        trilu(node);
    else if (op == Operator::depth_to_space)
        depth_to_space(node);
    else if (op == Operator::reshape || op == Operator::flatten || op == Operator::squeeze ||
             op == Operator::unsqueeze)
        return reshape(node);
    else
        return no_evaluation(node);
    return {};
}

}  // namespace muster::graph
