#include <algorithm>
#include <cstring>
#include <optional>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/graph/infer/window.hpp>
#include <muster/foundation/graph/kernel/element_expression.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/quantized_sum.hpp>
#include <muster/graph/kernels/tile.hpp>

namespace muster::graph {
namespace {

/// The sizes of a convolution of one group.
struct ConvSizes {
    Sizes x, w, y;
    std::vector<WindowAxis> axes;
    std::int64_t groups = 1;
    std::int64_t channels_in() const { return w[1]; }            // of a group
    std::int64_t channels_out() const { return w[0] / groups; }  // of a group
    std::int64_t taps() const { return product({w.begin() + 2, w.end()}); }
    std::int64_t pixels() const { return y[0] * product({y.begin() + 2, y.end()}); }
    /// True if each channel of the output is made of one of the input, its own.
    bool is_depthwise() const { return channels_in() == 1 && channels_out() == 1 && groups > 1; }
    /// Those that one column of the kernel's tiles each makes.
    std::int64_t columns() const { return is_depthwise() ? groups : channels_out(); }
    bool has_padding() const {
        return std::ranges::any_of(
            axes, [](const WindowAxis& axis) { return axis.pad_begin > 0 || axis.pad_end > 0; });
    }
};

/// The weights in the order that a workgroup reads them: [group][block of channels][tap][input channel][channel in the block].
PackedConstant packed_weights(const Tensor& weights, const ConvSizes& sizes, std::int64_t lanes) {
    const std::int64_t groups = sizes.is_depthwise() ? 1 : sizes.groups, out = sizes.columns(),
                       in = sizes.channels_in(), taps = sizes.taps(), blocks = (out + lanes - 1) / lanes;
    const std::size_t width = static_cast<std::size_t>(stored_bytes(weights.element()));
    PackedConstant result(static_cast<std::size_t>(groups * blocks * taps * in * lanes) * width);
    std::byte* to = result.data();
    for (std::int64_t block = 0; block < groups * blocks; ++block) {
        const std::int64_t first = block / blocks * out + block % blocks * lanes;
        const std::int64_t count = std::min(lanes, out - block % blocks * lanes);
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            for (std::int64_t c = 0; c < in; ++c, to += static_cast<std::size_t>(lanes) * width) {
                for (std::int64_t m = 0; m < count; ++m) {
                    const std::int64_t from = ((first + m) * in + c) * taps + tap;
                    std::memcpy(to + static_cast<std::size_t>(m) * width,
                                weights.bytes().data() + static_cast<std::size_t>(from) * width, width);
                }
            }
        }
    }
    return result;
}

/// Writes the kernel of one convolution.
class ConvKernel {
  public:
    /// `weights`: the input that they are.
    ConvKernel(GroupLowering& group, ConvSizes sizes, std::size_t weights)
        : group_(group),
          sizes_(std::move(sizes)),
          weights_(weights),
          tile_(choose_tile(sizes_.pixels(), sizes_.columns())),
          text_(static_cast<std::uint32_t>(tile_.columns)) {}

    void write() {
        const bool of_floats = is_float(group_.element(group_.input(0)));
        const Tensor* const weights = of_floats ? group_.constant(group_.input(weights_)) : nullptr;
        x_ = text_.operand(group_.storage(group_.input(0)));
        if (weights) {
            Storage packed{.place = group_.pack(packed_weights(*weights, sizes_, tile_.columns)),
                           .element = weights->element()};
            w_ = text_.operand(packed);
        } else {
            w_ = text_.operand(group_.storage(group_.input(weights_)));
        }
        std::optional<OperandId> bias;
        const std::size_t bias_input = of_floats ? 2 : 8;
        if (group_.has(bias_input)) bias = text_.operand(group_.storage(group_.input(bias_input)));
        Elements elements(group_, text_, group_.output());
        begin(of_floats);
        if (!of_floats)
            quantized_ = QuantizedSum::of_conv(group_, text_,
                                               fmt::format("min(m, {})", index_literal(sizes_.w[0] - 1)));
        sum(weights != nullptr);
        text_.line("if channel >= {} {{ return; }}", index_literal(sizes_.columns()));
        if (bias) text_.line("let bias = {};", text_.load(*bias, offset_along(text_.storage(*bias), "m")));
        for (std::int64_t t = 0; t < tile_.rows; ++t) finish(t, bias.has_value(), elements);
        const auto tiles = (sizes_.pixels() + tile_.rows - 1) / tile_.rows;
        group_.add(
            std::move(text_).finish({static_cast<std::uint32_t>(tiles), static_cast<std::uint32_t>(blocks()),
                                     static_cast<std::uint32_t>(sizes_.is_depthwise() ? 1 : sizes_.groups)}));
    }

  private:
    std::int64_t blocks() const { return (sizes_.columns() + tile_.columns - 1) / tile_.columns; }
    std::size_t rank() const { return sizes_.axes.size(); }

    /// Declares the tile's pixels and the invocation's channel.
    void begin(bool of_floats) {
        text_.line("let channel = group.y * {} + lane;", index_literal(tile_.columns));
        if (sizes_.is_depthwise())
            text_.line("let m = channel;");
        else
            text_.line("let m = group.z * {} + channel;", index_literal(sizes_.channels_out()));
        for (std::int64_t t = 0; t < tile_.rows; ++t) {
            text_.line("let p{0} = min(group.x * {1} + {0}u, {2});", t, index_literal(tile_.rows),
                       index_literal(sizes_.pixels() - 1));
            std::string rest = fmt::format("p{}", t);
            for (std::size_t i = rank(); i-- > 0;) {
                if (sizes_.axes[i].output == Dimension(1)) {
                    text_.line("let o{}_{} = 0u;", t, i);
                    continue;
                }
                const std::string size = index_literal(sizes_.axes[i].output.number());
                text_.line("let o{}_{} = {} % {};", t, i, rest, size);
                rest = text_.let(fmt::format("{} / {}", rest, size));
            }
            text_.line("let n{} = {};", t, rest);
            text_.line("var sum{} = {};", t, of_floats ? "0.0f" : "0");
        }
    }

    /// The loops over the kernel and, innermost, the group's input channels.
    void sum(bool is_packed) {
        const Storage& x = text_.storage(x_);
        if (sizes_.is_depthwise())
            text_.line("let first_channel = min(channel, {});", index_literal(sizes_.groups - 1));
        else
            text_.line("let first_channel = group.z * {};", index_literal(sizes_.channels_in()));
        for (std::size_t i = 0; i < rank(); ++i)
            text_.line("for (var k{0} = 0u; k{0} < {1}; k{0}++) {{", i, index_literal(sizes_.axes[i].kernel));
        std::string tap = "k0";
        for (std::size_t i = 1; i < rank(); ++i)
            tap = fmt::format("({} * {} + k{})", tap, index_literal(sizes_.axes[i].kernel), i);
        if (rank() == 0) tap = "0u";
        for (std::int64_t t = 0; t < tile_.rows; ++t) position(t, x);
        const std::string channels = index_literal(sizes_.channels_in());
        weights_at(is_packed, tap);
        text_.line("for (var c = 0u; c < {}; c++) {{", channels);
        std::string w = text_.load(
            w_, fmt::format("w0 + c * {}", index_literal(is_packed ? tile_.columns : weight_strides()[1])));
        if (quantized_) w = fmt::format("{} - {}", w, quantized_->w_zero);
        text_.line("let w = {};", w);
        for (std::int64_t t = 0; t < tile_.rows; ++t) {
            std::string value = text_.load(x_, offset_of(std::vector<std::string>{"c"}, {x.strides[1]}, 0)
                                                   .append(fmt::format(" + at{}", t)));
            if (quantized_) value = fmt::format("({} - {})", value, quantized_->x_zero);
            if (selects(x))
                value = fmt::format("select({}, {}, is_inside{})", quantized_ ? "0" : "0.0f", value, t);
            text_.line("sum{0} = sum{0} + {1} * w;", t, value);
        }
        text_.line("}");
        for (std::size_t i = 0; i < rank(); ++i) text_.line("}");
    }

    const Sizes& weight_strides() const { return text_.storage(w_).strides; }
    void weights_at(bool is_packed, const std::string& tap) {
        if (is_packed) {
            const std::string block = sizes_.is_depthwise()
                                          ? "group.y"
                                          : fmt::format("(group.z * {} + group.y)", index_literal(blocks()));
            text_.line("let w0 = ({} * {} + {}) * {} + lane;", block, index_literal(sizes_.taps()), tap,
                       index_literal(sizes_.channels_in() * tile_.columns));
            return;
        }
        std::vector<std::string> indices{fmt::format("min(m, {})", index_literal(sizes_.w[0] - 1)), "0u"};
        for (std::size_t i = 0; i < rank(); ++i) indices.push_back(fmt::format("k{}", i));
        text_.line("let w0 = {};", offset_of(indices, weight_strides(), text_.storage(w_).offset));
    }

    /// True if elements in the padding are replaced by 0 as they are read; otherwise they are read where the buffer has zeros.
    bool selects(const Storage& x) const {
        return sizes_.has_padding() && (quantized_ || x.strides[1] != 1 || x.zero_count < sizes_.x[1]);
    }

    /// Declares at<t>: the offset of the pixel's input at this tap, for channel 0 of the group.
    void position(std::int64_t t, const Storage& x) {
        std::vector<std::string> indices{fmt::format("n{}", t), "first_channel"};
        std::string inside;
        for (std::size_t i = 0; i < rank(); ++i) {
            const WindowAxis& axis = sizes_.axes[i];
            const bool is_padded = axis.pad_begin > 0 || axis.pad_end > 0;
            // Wraps below 0, so that one comparison tells both ends.
            text_.line("let i{0}_{1} = o{0}_{1} * {2} + k{1} * {3} - {4};", t, i, index_literal(axis.stride),
                       index_literal(axis.dilation), index_literal(axis.pad_begin));
            indices.push_back(fmt::format("i{}_{}", t, i));
            if (!is_padded) continue;
            inside += fmt::format("{}i{}_{} < {}", inside.empty() ? "" : " && ", t, i,
                                  index_literal(axis.input.number()));
        }
        const std::string offset = offset_of(indices, x.strides, x.offset);
        if (inside.empty()) {
            text_.line("let at{} = {};", t, offset);
            return;
        }
        text_.line("let is_inside{} = {};", t, inside);
        const std::string elsewhere = selects(x)
                                          ? index_literal(x.offset)
                                          : fmt::format("{} + first_channel", index_literal(x.zero_at));
        text_.line("let at{0} = select({1}, {2}, is_inside{0});", t, elsewhere, offset);
    }

    /// Stores a pixel, unless the tile reaches beyond the last.
    void finish(std::int64_t t, bool has_bias, Elements& elements) {
        text_.line("if group.x * {} + {}u < {} {{", index_literal(tile_.rows), t,
                   index_literal(sizes_.pixels()));
        std::string value = fmt::format("sum{}", t);
        if (has_bias) value += " + bias";
        if (quantized_) value = quantized_->finished(value, text_);
        std::vector<std::string> indices{fmt::format("n{}", t), "m"};
        for (std::size_t i = 0; i < rank(); ++i) indices.push_back(fmt::format("o{}_{}", t, i));
        elements.store_at(indices, rounded(group_.element(group_.output()), value));
        text_.line("}");
    }

    GroupLowering& group_;
    ConvSizes sizes_;
    std::size_t weights_;
    Tile tile_;
    KernelText text_;
    OperandId x_, w_;
    std::optional<QuantizedSum> quantized_;
};

}  // namespace

Result<void> lower_conv(GroupLowering& group) {
    const std::size_t weights = group.op() == Operator::conv ? 1 : 3;
    ConvSizes sizes{.x = group.sizes(group.input(0)),
                    .w = group.sizes(group.input(weights)),
                    .y = group.sizes(group.output())};
    sizes.groups = group.attributes().integer("group");
    const std::vector<Dimension> input(sizes.x.begin() + 2, sizes.x.end());
    sizes.axes = TRY(window_of(group.attributes(), input, std::span(sizes.w).subspan(2), false));
    ConvKernel(group, std::move(sizes), weights).write();
    return {};
}

}  // namespace muster::graph
