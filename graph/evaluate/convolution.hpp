// convolution.hpp - the sums of a convolution, over f32 and, quantised, over integers. Internal to
// graph/evaluate.
#pragma once

#include <type_traits>

#include <muster/graph/evaluate/sums.hpp>
#include <muster/graph/evaluate/windows.hpp>

namespace muster::graph {

/// A sum of integers, which has no order.
template <class T>
struct ExactSum {
    T sum = 0;
    T& block(std::size_t) { return sum; }
    T total() const { return sum; }
};

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
    const TapBlocks blocks{kernel_elements, static_cast<std::size_t>(w.size() > 2 ? w.back() : 1),
                           static_cast<std::size_t>(channels)};
    std::vector<T> result;
    if (product(output) == 0) return result;
    for (std::int64_t n = 0; n < x[0]; ++n) {
        for (std::int64_t m = 0; m < channels_out; ++m) {
            const std::int64_t first = m / (channels_out / group) * channels;
            Sizes at(output.size());
            do {
                std::conditional_t<std::is_same_v<T, float>, ProductSum, ExactSum<T>> sums;
                for_window(axes, at, input, [&](std::size_t k, std::size_t i) {
                    for (std::int64_t c = 0; c < channels; ++c) {
                        T& sum = sums.block(blocks.block(k, static_cast<std::size_t>(c)));
                        sum = term(sum, static_cast<std::size_t>(n * x[1] + first + c) * input_elements + i,
                                   static_cast<std::size_t>(m * channels + c) * kernel_elements + k, m);
                    }
                });
                result.push_back(std::move(sums).total());
            } while (advance(at, output));
        }
    }
    return result;
}

}  // namespace muster::graph
