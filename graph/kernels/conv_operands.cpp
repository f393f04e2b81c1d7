#include <cstring>
#include <span>

#include <muster/graph/kernels/conv_operands.hpp>
#include <muster/graph/kernels/product_blocks.hpp>

namespace muster::graph {
namespace {

/// The weights in the order that a workgroup reads them: [group][block of
/// channels][tap][input channel][channel in the block]. `put` writes one, from its channel of
/// output, its channel of input, and its tap.
template <class Put>
PackedConstant packed_weights(const ConvSizes& sizes, std::int64_t lanes, std::size_t width, Put&& put) {
    const std::int64_t groups = sizes.is_depthwise() ? 1 : sizes.groups, out = sizes.columns(),
                       in = sizes.channels_in(), taps = sizes.taps(), blocks = (out + lanes - 1) / lanes;
    PackedConstant result(static_cast<std::size_t>(groups * blocks * taps * in * lanes) * width);
    std::byte* to = result.data();
    for (std::int64_t block = 0; block < groups * blocks; ++block) {
        const std::int64_t first = block / blocks * out + block % blocks * lanes;
        const std::int64_t count = std::min(lanes, out - block % blocks * lanes);
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            for (std::int64_t c = 0; c < in; ++c, to += static_cast<std::size_t>(lanes) * width) {
                for (std::int64_t m = 0; m < count; ++m)
                    put(to + static_cast<std::size_t>(m) * width, first + m, c, tap);
            }
        }
    }
    return result;
}

/// True if a row of the window is worth being read as one run of memory: there are few channels,
/// and several taps in a row. It would move the blocks of a long sum.
bool folds_window(const ConvSizes& sizes) {
    constexpr std::int64_t most_channels = 8;
    return !sizes.axes.empty() && sizes.groups == 1 && sizes.channels_in() <= most_channels &&
           sizes.axes.back().kernel > 1 && sizes.axes.back().dilation == 1 &&
           ProductBlocks{.taps = sizes.taps(), .channels = sizes.channels_in()}.is_one();
}

}  // namespace

PackedConstant packed_floats(const Tensor& weights, const ConvSizes& sizes, std::int64_t lanes) {
    const auto width = static_cast<std::size_t>(stored_bytes(weights.element()));
    return packed_weights(
        sizes, lanes, width, [&](std::byte* to, std::int64_t m, std::int64_t c, std::int64_t tap) {
            const std::int64_t from = (m * sizes.channels_in() + c) * sizes.taps() + tap;
            std::memcpy(to, weights.bytes().data() + static_cast<std::size_t>(from) * width, width);
        });
}

PackedConstant packed_bytes(const QuantizedWeights& weights, const ConvSizes& sizes, std::int64_t lanes) {
    const std::int64_t channels = weights.sizes[1], taps = sizes.taps();
    return packed_weights(
        sizes, lanes, 4, [&](std::byte* to, std::int64_t m, std::int64_t c, std::int64_t tap) {
            for (std::int64_t i = 0; i < 4 && 4 * c + i < channels; ++i) {
                const std::int64_t from = (m * channels + 4 * c + i) * taps + tap;
                to[i] = static_cast<std::byte>(weights.numbers[static_cast<std::size_t>(from)]);
            }
        });
}

bool wants_copy(const ConvSizes& sizes, const ConvOperands& operands) {
    constexpr std::int64_t least_reads = 32;  // of an element, about
    return folds_window(sizes) ||
           (sizes.groups == 1 && sizes.channels_in() > 1 && operands.x.strides[1] != 1 &&
            sizes.taps() * sizes.columns() >= least_reads);
}

void copy_input(GroupLowering& group, ConvSizes& sizes, ConvOperands& operands) {
    Sizes padded = sizes.x;
    for (std::size_t i = 0; i < sizes.axes.size(); ++i)
        padded[i + 2] += sizes.axes[i].pad_begin + sizes.axes[i].pad_end;
    const ElementType element = operands.x.element;
    Storage to =
        Storage::channels_last(element, padded, group.scratch(product(padded) * stored_bytes(element)));

    KernelText text;
    const OperandId from = text.operand(operands.x), copy = text.operand(to);
    std::vector<std::string> indices;
    const std::vector<std::string> at = text.each_element(std::span(&copy, 1), copy, &indices);
    std::string inside = "true";
    for (std::size_t i = 0; i < sizes.axes.size(); ++i) {
        if (padded[i + 2] == sizes.x[i + 2]) continue;
        indices[i + 2] =
            text.let(fmt::format("{} - {}", indices[i + 2], index_literal(sizes.axes[i].pad_begin)));
        inside += fmt::format(" && {} < {}", indices[i + 2], index_literal(sizes.x[i + 2]));
    }
    const std::string offset = offset_of(indices, operands.x.strides, operands.x.offset);
    if (inside == "true") {
        text.store(copy, at[0], text.load(from, offset));
    } else {
        text.line("let inside = {};", inside);
        const std::string element_at =
            text.load(from, fmt::format("select({}, {}, inside)", index_literal(operands.x.offset), offset));
        text.store(copy, at[0], fmt::format("select(0.0f, {}, inside)", element_at));
    }
    group.add(std::move(text).finish());

    for (std::size_t i = 0; i < sizes.axes.size(); ++i) {
        sizes.axes[i].pad_begin = sizes.axes[i].pad_end = 0;
        sizes.axes[i].input = padded[i + 2];
    }
    if (folds_window(sizes)) {
        padded[1] = sizes.w[1] = sizes.channels_in() * sizes.axes.back().kernel;
        sizes.w.back() = sizes.axes.back().kernel = 1;
    }
    sizes.x = to.sizes = padded;
    operands.x = std::move(to);
}

}  // namespace muster::graph
