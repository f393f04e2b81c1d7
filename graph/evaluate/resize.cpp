#include <muster/foundation/base/try.hpp>
#include <muster/graph/evaluate/copy.hpp>
#include <muster/graph/infer/resize.hpp>

namespace muster::graph {
namespace {

using AxisTaps = std::vector<std::vector<ResizeTap>>;

AxisTaps taps_of(const Attributes& attributes, const ResizeAxis& axis) {
    AxisTaps taps;
    for (std::int64_t at = 0; at < axis.output; ++at) taps.push_back(resize_taps(attributes, axis, at));
    return taps;
}

/// One axis resized: each element the sum of weight * element, in the order of the taps, in f32.
Floats resized_along(std::size_t axis, const Floats& x, Sizes& sizes, const AxisTaps& taps) {
    const Sizes strides = row_major_strides(sizes);
    sizes[axis] = static_cast<std::int64_t>(taps.size());
    Floats result(static_cast<std::size_t>(product(sizes)));
    Sizes index(sizes.size());
    for (float& element : result) {
        Sizes from = index;
        for (const ResizeTap& tap : taps[static_cast<std::size_t>(index[axis])]) {
            from[axis] = tap.index;
            element += tap.weight * x[static_cast<std::size_t>(offset_of(from, strides))];
        }
        advance(index, sizes);
    }
    return result;
}

}  // namespace

/// The nearest element copied; or axis by axis, the first one first.
Result<void> evaluate_resize(Evaluation& node) {
    Sizes sizes = node.sizes(0);
    const auto axes = TRY(resize_axes(node.attributes(), sizes, node.has(2) ? &node.input(2) : nullptr,
                                      node.has(3) ? &node.input(3) : nullptr));
    std::vector<AxisTaps> taps;
    for (const ResizeAxis& axis : axes) taps.push_back(taps_of(node.attributes(), axis));
    if (node.attributes().text("mode") == "nearest") {
        const Sizes strides = row_major_strides(sizes);
        copy_elements(node, 0, node.input(0), [&](const Sizes& index) {
            std::int64_t offset = 0;
            for (std::size_t i = 0; i < index.size(); ++i)
                offset += taps[i][static_cast<std::size_t>(index[i])][0].index * strides[i];
            return offset;
        });
        return {};
    }
    Floats x = node.floats(0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i].scale != 1 || axes[i].input != axes[i].output) x = resized_along(i, x, sizes, taps[i]);
    }
    node.set(0, x);
    return {};
}

}  // namespace muster::graph
