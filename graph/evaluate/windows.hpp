// windows.hpp - walks the windows of convolutions and pools. Internal to graph/evaluate.
#pragma once

#include <span>

#include <muster/graph/evaluate/evaluation.hpp>
#include <muster/graph/infer/window.hpp>

namespace muster::graph {

/// The spatial sizes of a tensor [N, C, ...].
inline Sizes spatial(const Sizes& sizes) { return {sizes.begin() + 2, sizes.end()}; }

inline Result<std::vector<WindowAxis>> window_axes(const Evaluation& node, const Sizes& input,
                                                   const Sizes& kernel) {
    const std::vector<Dimension> dimensions(input.begin(), input.end());
    if (node.op() == Operator::conv_transpose)
        return transposed_window_of(node.attributes(), dimensions, kernel);
    const bool pools = node.op() == Operator::max_pool || node.op() == Operator::average_pool;
    return window_of(node.attributes(), dimensions, kernel, pools && node.attributes().flag("ceil_mode"));
}

/// Calls step(kernel index as an offset, input offset) for each position of the window at `output`, in the
/// kernel's row-major order; positions in the padding are left out.
template <class Step>
void for_window(std::span<const WindowAxis> axes, const Sizes& output, const Sizes& input, Step&& step) {
    Sizes kernel;
    for (const WindowAxis& axis : axes) kernel.push_back(axis.kernel);
    Sizes index(axes.size());
    std::size_t at_kernel = 0;
    do {
        std::int64_t at_input = 0;
        bool inside = true;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::int64_t at =
                output[i] * axes[i].stride - axes[i].pad_begin + index[i] * axes[i].dilation;
            inside = inside && at >= 0 && at < input[i];
            at_input = at_input * input[i] + at;
        }
        if (inside) step(at_kernel, static_cast<std::size_t>(at_input));
        ++at_kernel;
    } while (advance(index, kernel));
}

}  // namespace muster::graph
