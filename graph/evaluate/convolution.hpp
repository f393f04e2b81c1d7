// convolution.hpp - the sums of a convolution, over f32 and, quantised, over integers. Internal to
// graph/evaluate.
#pragma once

#include <muster/graph/evaluate/windows.hpp>

namespace muster::graph {

/// The sum for each output, of term(input, weight, output channel) in the order: the kernel,
/// then the group's channels.
template <class T, class Term>
std::vector<T> convolution(const Sizes& x, const Sizes& w, std::span<const WindowAxis> axes,
                           std::int64_t group, Term&& term) {
    const Sizes input = spatial(x);
    Sizes output;
    for (const WindowAxis& axis : axes) output.push_back(axis.output.number());
    const auto input_elements = static_cast<std::size_t>(product(input));
    const auto kernel_elements = static_cast<std::size_t>(product(spatial(w)));
    const std::int64_t channels_out = w[0], channels = w[1];
    std::vector<T> result;
    if (product(output) == 0) return result;
    for (std::int64_t n = 0; n < x[0]; ++n) {
        for (std::int64_t m = 0; m < channels_out; ++m) {
            const std::int64_t first = m / (channels_out / group) * channels;
            Sizes at(output.size());
            do {
                T sum = 0;
                for_window(axes, at, input, [&](std::size_t k, std::size_t i) {
                    for (std::int64_t c = 0; c < channels; ++c) {
                        sum = term(sum, static_cast<std::size_t>(n * x[1] + first + c) * input_elements + i,
                                   static_cast<std::size_t>(m * channels + c) * kernel_elements + k, m);
                    }
                });
                result.push_back(sum);
            } while (advance(at, output));
        }
    }
    return result;
}

}  // namespace muster::graph
