// window.hpp - the windows of convolutions and pools: kernel, stride, dilation and
// padding of each spatial axis.
//
// Padding is explicit here, whatever auto_pad says. Threads: pure.
#pragma once

#include <optional>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/attribute.hpp>
#include <muster/graph/ir/shape.hpp>

namespace muster::graph {

struct WindowAxis {
    std::int64_t kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
    std::int64_t output_padding = 0;  // ConvTranspose
    Dimension input, output;
    std::int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

/// The window of a convolution or pool over the spatial axes `input`, with this kernel; outputs' sizes are
/// unknown where the input's are and the window doesn't keep them. Errors: invalid_program (numbers of
/// attributes that don't fit the rank, or that aren't positive; a window larger than the padded input).
Result<std::vector<WindowAxis>> window_of(const Attributes& attributes, std::span<const Dimension> input,
                                          std::span<const std::int64_t> kernel, bool ceil_mode);
/// The window of ConvTranspose. Errors: those of window_of().
Result<std::vector<WindowAxis>> transposed_window_of(const Attributes& attributes,
                                                     std::span<const Dimension> input,
                                                     std::span<const std::int64_t> kernel);

}  // namespace muster::graph
