#include <muster/foundation/base/try.hpp>
#include <muster/graph/evaluate/convolution.hpp>

namespace muster::graph {
namespace {

/// Adds the bias of each channel to a tensor [N, C, ...].
void add_bias(const Evaluation& node, Floats& values) {
    if (!node.has(2)) return;
    const Floats bias = node.floats(2);
    const auto plane = static_cast<std::size_t>(product(spatial(node.output_sizes())));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += bias[i / plane % bias.size()];
}

/// The position of the input that reaches `output` through position `k` of the
/// kernel; false if there is none.
bool source(const WindowAxis& axis, std::int64_t output, std::int64_t k, std::int64_t& input) {
    const std::int64_t at = output + axis.pad_begin - k * axis.dilation;
    input = at / axis.stride;
    return at >= 0 && at % axis.stride == 0 && input < axis.input.number();
}

struct Transposed {
    Sizes x, w, input, kernel, output;
    std::vector<WindowAxis> axes;
    std::int64_t group;

    /// One output's sum: over the positions of the kernel that an input reaches, then
    /// the group's input channels.
    float sum(const Floats& xs, const Floats& ws, std::int64_t n, std::int64_t m, const Sizes& at) const {
        const std::int64_t channels = x[1] / group, first = m / w[1] * channels;
        ProductSum sums;
        const TapBlocks blocks{static_cast<std::size_t>(product(kernel)),
                               static_cast<std::size_t>(kernel.empty() ? 1 : kernel.back()),
                               static_cast<std::size_t>(channels)};
        Sizes k(kernel.size());
        std::int64_t at_kernel = 0;
        do {
            std::int64_t at_input = 0;
            bool reached = true;
            for (std::size_t i = 0; i < k.size(); ++i) {
                std::int64_t here = 0;
                reached = reached && source(axes[i], at[i], k[i], here);
                at_input = at_input * input[i] + here;
            }
            for (std::int64_t c = first; reached && c < first + channels; ++c) {
                sums.block(
                    blocks.block(static_cast<std::size_t>(at_kernel), static_cast<std::size_t>(c - first))) +=
                    xs[static_cast<std::size_t>((n * x[1] + c) * product(input) + at_input)] *
                    ws[static_cast<std::size_t>((c * w[1] + m % w[1]) * product(kernel) + at_kernel)];
            }
            ++at_kernel;
        } while (advance(k, kernel));
        return std::move(sums).total();
    }
};

}  // namespace

Result<void> evaluate_conv(Evaluation& node) {
    const Sizes x = node.sizes(0), w = node.sizes(1);
    const auto axes = TRY(window_axes(node, spatial(x), spatial(w)));
    const Floats xs = node.floats(0), ws = node.floats(1);
    Floats result = convolution<float>(
        x, w, axes, node.attributes().integer("group"),
        [&](float sum, std::size_t i, std::size_t k, std::int64_t) { return sum + xs[i] * ws[k]; });
    add_bias(node, result);
    node.set(0, result);
    return {};
}

Result<void> evaluate_conv_transpose(Evaluation& node) {
    Transposed it{.x = node.sizes(0),
                  .w = node.sizes(1),
                  .input = spatial(node.sizes(0)),
                  .kernel = spatial(node.sizes(1)),
                  .output = spatial(node.output_sizes()),
                  .group = node.attributes().integer("group")};
    it.axes = TRY(window_axes(node, it.input, it.kernel));
    const Floats xs = node.floats(0), ws = node.floats(1);
    Floats result;
    for (std::int64_t n = 0; n < it.x[0]; ++n) {
        for (std::int64_t m = 0; m < node.output_sizes()[1] && product(it.output) > 0; ++m) {
            Sizes at(it.output.size());
            do result.push_back(it.sum(xs, ws, n, m, at));
            while (advance(at, it.output));
        }
    }
    add_bias(node, result);
    node.set(0, result);
    return {};
}

}  // namespace muster::graph
