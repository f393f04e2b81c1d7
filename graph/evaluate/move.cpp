#include <numeric>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/evaluate/copy.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/infer/slice.hpp>

namespace muster::graph {
namespace {

Result<void> concat(Evaluation& node) {
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.output_sizes().size()));
    const Sizes& sizes = node.output_sizes();
    const std::size_t width = bytes_of(node.output_element());
    std::vector<std::byte> bytes(node.output_elements() * width);
    const Sizes strides = row_major_strides(sizes);
    Sizes offset(sizes.size());
    for (std::size_t input = 0; input < node.input_count(); ++input) {
        const Sizes here = node.sizes(input);
        Sizes index(here.size());
        for (std::size_t i = 0; i < static_cast<std::size_t>(node.input(input).count());
             ++i, advance(index, here)) {
            const auto to = static_cast<std::size_t>(offset_of(index, strides) + offset_of(offset, strides));
            std::memcpy(bytes.data() + to * width, node.input(input).bytes().data() + i * width, width);
        }
        offset[axis] += here[axis];
    }
    node.set(0, Tensor::own(node.output_element(), sizes, std::move(bytes)));
    return {};
}

Result<void> split(Evaluation& node) {
    const std::size_t axis = TRY(axis_index(node.attributes().integer("axis"), node.sizes(0).size()));
    const Sizes strides = row_major_strides(node.sizes(0));
    std::int64_t begin = 0;
    for (std::size_t output = 0; output < node.output_count(); ++output) {
        copy_elements(node, output, node.input(0),
                      [&](const Sizes& index) { return offset_of(index, strides) + begin * strides[axis]; });
        begin += node.output_sizes(output)[axis];
    }
    return {};
}

Result<void> slice(Evaluation& node) {
    const Sizes sizes = node.sizes(0), strides = row_major_strides(sizes);
    const Integers starts = node.integers(1), ends = node.integers(2);
    Integers axes(starts.size()), steps(starts.size(), 1);
    std::iota(axes.begin(), axes.end(), 0);
    if (node.has(3)) axes = node.integers(3);
    if (node.has(4)) steps = node.integers(4);
    std::vector<SliceAxis> taken(sizes.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t axis = TRY(axis_index(axes[i], sizes.size()));
        taken[axis] = slice_axis(sizes[axis], starts[i], ends[i], steps[i]);
    }
    copy_elements(node, 0, node.input(0), [&](const Sizes& index) {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < index.size(); ++i)
            offset += (taken[i].start + index[i] * taken[i].step) * strides[i];
        return offset;
    });
    return {};
}

/// The position of the input that a position of the padded axis shows; -1: the constant.
std::int64_t padded_source(std::string_view mode, std::int64_t at, std::int64_t size) {
    if (at >= 0 && at < size) return at;
    if (mode == "constant") return -1;
    if (mode == "edge") return at < 0 ? 0 : size - 1;
    if (mode == "wrap") return (at % size + size) % size;
    return at < 0 ? -at : 2 * (size - 1) - at;
}

Result<void> pad(Evaluation& node) {
    const Sizes sizes = node.sizes(0), strides = row_major_strides(sizes);
    const Integers pads = node.integers(1);
    Integers axes(sizes.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (node.has(3)) axes = node.integers(3);
    Sizes begin(sizes.size());
    for (std::size_t i = 0; i < axes.size(); ++i) begin[TRY(axis_index(axes[i], sizes.size()))] = pads[i];
    const auto source = [&](const Sizes& index) {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < index.size(); ++i) {
            const std::int64_t at =
                padded_source(node.attributes().text("mode"), index[i] - begin[i], sizes[i]);
            if (at < 0) return std::int64_t{-1};
            offset += at * strides[i];
        }
        return offset;
    };
    copy_elements(node, 0, node.input(0), source, node.has(2) ? &node.input(2) : nullptr);
    return {};
}

void expand(Evaluation& node) {
    const auto offsets = broadcast_offsets(node.sizes(0), node.output_sizes());
    std::size_t at = 0;
    copy_elements(node, 0, node.input(0),
                  [&](const Sizes&) { return static_cast<std::int64_t>(offsets[at++]); });
}

void tile(Evaluation& node) {
    const Sizes sizes = node.sizes(0), strides = row_major_strides(sizes);
    copy_elements(node, 0, node.input(0), [&](const Sizes& index) {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] % sizes[i] * strides[i];
        return offset;
    });
}

}  // namespace

Result<void> evaluate_move(Evaluation& node) {
    const Operator op = node.op();
    if (op == Operator::concat) return concat(node);
    if (op == Operator::split) return split(node);
    if (op == Operator::slice) return slice(node);
    if (op == Operator::pad) return pad(node);
    if (op == Operator::expand)
        expand(node);
    else if (op == Operator::tile)
        tile(node);
    else
        return no_evaluation(node);
    return {};
}

}  // namespace muster::graph
