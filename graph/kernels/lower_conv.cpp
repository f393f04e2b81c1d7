#include <algorithm>
#include <optional>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/conv_operands.hpp>
#include <muster/graph/kernels/product_blocks.hpp>
#include <muster/graph/kernels/quantized_sum.hpp>
#include <muster/graph/kernels/shared_tiles.hpp>
#include <muster/graph/kernels/tile.hpp>

namespace muster::graph {
namespace {

/// Writes the kernel of one convolution.
class ConvKernel {
  public:
    ConvKernel(GroupLowering& group, ConvSizes sizes, ConvOperands operands)
        : group_(group),
          sizes_(std::move(sizes)),
          operands_(std::move(operands)),
          tile_(choose_tile(sizes_.pixels(), sizes_.columns(), group.algorithm())),
          text_(static_cast<std::uint32_t>(tile_.columns)) {
        if (group.algorithm().kind != Algorithm::Kind::shared_tiles || !is_of_floats() ||
            operands_.quantized || sizes_.groups != 1)
            return;
        shared_.emplace(group.algorithm(), sizes_.pixels(), sizes_.columns(), blocks_of_sum());
        tile_.columns = group.algorithm().columns;
        text_ = KernelText(shared_->lanes());
    }
    const Tile& tile() const { return tile_; }
    void set_packed(PackedConstant weights, ElementType element) {
        operands_.packed_w = std::move(weights);
        operands_.w_element = element;
    }

    /// Packs the weights, four to a word.
    void pack_bytes(const ConvSizes& of_words) {
        set_packed(packed_bytes(*operands_.weights, of_words, tile_.columns), ElementType::i32);
    }

    void write() {
        x_ = text_.operand(operands_.x);
        w_ = text_.operand(operands_.packed_w ? Storage{.place = group_.pack(*operands_.packed_w),
                                                        .element = operands_.w_element}
                                              : operands_.w);
        std::optional<OperandId> bias;
        if (operands_.bias) bias = text_.operand(*operands_.bias);
        Elements elements(group_, text_, group_.output());
        merges_axes_ = is_pointwise() && is_merged(operands_.x) &&
                       std::ranges::all_of(elements.operands(), [&](OperandId operand) {
                           return is_merged(text_.storage(operand));
                       });
        if (shared_) return write_shared(bias, elements);
        begin();
        if (operands_.is_qlinear)
            qlinear_ = QuantizedSum::of_conv(group_, text_,
                                             fmt::format("min(m, {})", index_literal(sizes_.w[0] - 1)));
        if (dequantizes_loads()) declare_scale(group_, *operands_.quantized, text_);
        sum();
        text_.line("if channel >= {} {{ return; }}", index_literal(sizes_.columns()));
        if (bias) text_.line("let bias = {};", text_.load(*bias, offset_along(text_.storage(*bias), "m")));
        if (is_of_bytes()) {
            declare_correction(group_, *operands_.quantized, *operands_.weights, "m", text_);
            if (!operands_.is_qlinear) {
                declare_factor(group_, *operands_.quantized, *operands_.weights, "m", text_);
            }
        }
        for (std::int64_t t = 0; t < tile_.rows; ++t) {
            text_.line("if row_tile * {} + {}u < {} {{", index_literal(tile_.rows), t,
                       index_literal(sizes_.pixels()));
            finish(t, bias.has_value(), elements);
            text_.line("}");
        }
        group_.add(std::move(text_).finish(order().workgroups(sizes_.is_depthwise() ? 1 : sizes_.groups)));
    }

  private:
    bool is_of_bytes() const { return operands_.terms == ConvOperands::Terms::bytes; }
    bool is_of_floats() const { return operands_.terms == ConvOperands::Terms::floats; }
    ProductBlocks blocks_of_sum() const {
        return {.taps = sizes_.taps(),
                .row = rank() == 0 ? 1 : sizes_.w.back(),
                .channels = sizes_.channels_in()};
    }
    bool dequantizes_loads() const { return is_of_floats() && operands_.quantized; }
    std::int64_t blocks() const { return tiles(sizes_.columns(), tile_.columns); }
    TileOrder order() const {
        return {tiles(sizes_.pixels(), tile_.rows), blocks(),
                sizes_.taps() * sizes_.channels_in() * blocks() * tile_.columns * 4};
    }
    std::size_t rank() const { return sizes_.axes.size(); }
    bool is_pointwise() const {
        return std::ranges::all_of(sizes_.axes, [](const WindowAxis& axis) {
            return axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.pad_end == 0;
        });
    }
    /// True if the axes of the window lie in memory as one.
    static bool is_merged(const Storage& storage) {
        for (std::size_t i = 2; i + 1 < storage.sizes.size(); ++i)
            if (storage.strides[i] != storage.strides[i + 1] * storage.sizes[i + 1]) return false;
        return true;
    }

    /// Declares the tile's pixels and the invocation's channel.
    void begin() {
        order().declare(text_);
        text_.line("let channel = column_tile * {} + lane;", index_literal(tile_.columns));
        if (sizes_.is_depthwise())
            text_.line("let m = channel;");
        else
            text_.line("let m = group.z * {} + channel;", index_literal(sizes_.channels_out()));
        for (std::int64_t t = 0; t < tile_.rows; ++t) {
            text_.line("let p{0} = min(row_tile * {1} + {0}u, {2});", t, index_literal(tile_.rows),
                       index_literal(sizes_.pixels() - 1));
            pixel(t, fmt::format("p{}", t));
            text_.line("var sum{} = {};", t, is_of_floats() ? "0.0f" : "0");
        }
    }

    /// Declares n<t> and o<t>_<axis>: where the pixel of this number is.
    void pixel(std::int64_t t, std::string number) {
        std::int64_t left = sizes_.pixels();  // numbers are below it
        for (std::size_t i = rank(); i-- > 0;) {
            std::int64_t size = sizes_.axes[i].output.number();
            if (merges_axes_) size = i + 1 == rank() ? sizes_.pixels() / sizes_.y[0] : 1;
            left /= size;
            if (size == 1) {
                text_.line("let o{}_{} = 0u;", t, i);
            } else if (left == 1) {
                text_.line("let o{}_{} = {};", t, i, number);
                number = "0u";
            } else {
                text_.line("let o{}_{} = {} % {};", t, i, number, index_literal(size));
                number = text_.let(fmt::format("{} / {}", number, index_literal(size)));
            }
        }
        text_.line("let n{} = {};", t, number);
    }

    /// The kernel with tiles in workgroup memory.
    void write_shared(std::optional<OperandId> bias, Elements& elements) {
        const std::string channels = index_literal(sizes_.channels_in());
        const Storage& x = text_.storage(x_);
        shared_->sum(
            text_,
            {.declare_row =
                 [&](std::size_t which, const std::string& row) {
                     pixel(static_cast<std::int64_t>(which),
                           fmt::format("min({}, {})", row, index_literal(sizes_.pixels() - 1)));
                 },
             .a = [&](std::size_t which, const std::string& term) { return load_shared(which, term, x); },
             .b =
                 [&](const std::string& term, const std::string& column, const std::string& lane) {
                     if (operands_.packed_w) return text_.load(w_, shared_->packed_offset(term, lane));
                     std::vector<std::string> indices{
                         fmt::format("min({}, {})", column, index_literal(sizes_.w[0] - 1)),
                         fmt::format("{} % {}", term, channels)};
                     for (std::string& each : taps(fmt::format("({} / {})", term, channels)))
                         indices.push_back(std::move(each));
                     return text_.load(w_, offset_of(indices, weight_strides(), text_.storage(w_).offset));
                 }});
        shared_->each_result(text_, [&](const SharedTiles::Result& result) {
            const auto t = static_cast<std::int64_t>(result.number);
            text_.line("let m = {};", result.column);
            pixel(t, result.row);
            if (bias)
                text_.line("let bias = {};", text_.load(*bias, offset_along(text_.storage(*bias), "m")));
            finish(t, bias.has_value(), elements);
        });
        group_.add(std::move(text_).finish(shared_->workgroups(1)));
    }

    /// A tap's index on each axis of the window.
    std::vector<std::string> taps(std::string tap) {
        std::vector<std::string> indices(rank(), "0u");
        for (std::size_t i = rank(); i-- > 0;) {
            const std::string size = index_literal(sizes_.axes[i].kernel);
            indices[i] = i == 0 ? tap : text_.let(fmt::format("{} % {}", tap, size));
            if (i > 0) tap = text_.let(fmt::format("{} / {}", tap, size));
        }
        return indices;
    }

    /// The input's element for a term of a pixel's sum: terms are taps, and in each the channels.
    std::string load_shared(std::size_t which, const std::string& term, const Storage& x) {
        const std::string channels = index_literal(sizes_.channels_in());
        const auto t = static_cast<std::int64_t>(which);
        position(t, x, taps(text_.let(fmt::format("{} / {}", term, channels))));
        const std::string value = text_.load(
            x_, fmt::format("({} % {}) * {} + at{}", term, channels, index_literal(x.strides[1]), t));
        return selects(x) ? fmt::format("select(0.0f, {}, is_inside{})", value, t) : value;
    }

    /// The loops over the kernel and, innermost, the group's input channels.
    void sum() {
        const Storage& x = text_.storage(x_);
        // A depthwise convolution reads each invocation's own channel: beyond the last one it
        // reads what isn't stored.
        const std::string first_channel =
            sizes_.is_depthwise() ? "channel"
                                  : fmt::format("group.z * {}", index_literal(sizes_.channels_in()));
        text_.line("let first = {} * {};", first_channel, index_literal(x.strides[1]));
        const ProductBlocks blocks = blocks_of_sum();
        if (is_of_floats() && blocks.count() > 1) return sum_blocks(blocks);
        std::vector<std::string> k;
        for (std::size_t i = 0; i < rank(); ++i) {
            k.push_back(fmt::format("k{}", i));
            text_.line("for (var {0} = 0u; {0} < {1}; {0}++) {{", k[i], index_literal(sizes_.axes[i].kernel));
        }
        std::string tap = rank() == 0 ? "0u" : "k0";
        for (std::size_t i = 1; i < rank(); ++i)
            tap = fmt::format("({} * {} + k{})", tap, index_literal(sizes_.axes[i].kernel), i);
        add_tap(tap, k, "0u", "");
        for (std::size_t i = 0; i < rank(); ++i) text_.line("}");
    }

    /// The same by blocks.
    void sum_blocks(const ProductBlocks& blocks) {
        tree_of_sums(text_, "sum", tile_.rows)
            .write(text_, "block", blocks.count(), "", [&](const std::string& block, const std::string& end) {
                if (blocks.has_rows()) {
                    const std::string row =
                        text_.let(fmt::format("{} * {}", block, index_literal(blocks.row)));
                    each_of_block(text_, row, blocks.row, blocks.taps, "tap",
                                  [&] { add_tap("tap", taps("tap"), "0u", end); });
                    return;
                }
                const std::string of_tap = index_literal(blocks.of_tap());
                const std::string tap = text_.let(fmt::format("{} / {}", block, of_tap)),
                                  first =
                                      text_.let(fmt::format("{} % {} * {}u", block, of_tap, product_block));
                add_tap(tap, taps(tap), first, end);
            });
    }

    /// Adds to all sums with this end what one tap gives, with the indices k: the products of its channels, or of
    /// the block of channels that begins at `first`.
    void add_tap(const std::string& tap, std::span<const std::string> k, const std::string& first,
                 const std::string& end) {
        const bool is_packed = operands_.packed_w.has_value();
        const Storage& x = text_.storage(x_);
        for (std::int64_t t = 0; t < tile_.rows; ++t) position(t, x, k);
        weights_at(is_packed, tap, k);
        const std::int64_t channels = sizes_.channels_in();
        each_of_block(text_, first, is_of_floats() ? product_block : channels, channels, "c",
                      [&] { add_channel(is_packed, x, end); });
    }

    /// Adds the products of the channel c.
    void add_channel(bool is_packed, const Storage& x, const std::string& end) {
        std::string w = text_.load(
            w_, fmt::format("w0 + c * {}", index_literal(is_packed ? tile_.columns : weight_strides()[1])));
        const bool is_generic = qlinear_ && !is_of_bytes();
        if (is_generic) w = fmt::format("{} - {}", w, qlinear_->w_zero);
        text_.line("let w = {};", is_of_bytes() ? fmt::format("u32({})", w) : w);
        for (std::int64_t t = 0; t < tile_.rows; ++t) {
            std::string value = text_.load(x_, offset_of(std::vector<std::string>{"c"}, {x.strides[1]}, 0)
                                                   .append(fmt::format(" + (at{} + first)", t)));
            if (is_generic) value = fmt::format("({} - {})", value, qlinear_->x_zero);
            if (dequantizes_loads()) value = fmt::format("(f32({} - x_zero) * x_scale)", value);
            if (selects(x))
                value = fmt::format("select({}, {}, is_inside{})", is_of_floats() ? "0.0f" : "0", value, t);
            if (is_of_bytes())
                text_.line("sum{0} = sum{0} + dot4I8Packed(u32({1}), w);", t, value);
            else
                text_.line("sum{0}{1} = sum{0}{1} + {2} * w;", t, end, value);
        }
    }

    const Sizes& weight_strides() const { return text_.storage(w_).strides; }
    void weights_at(bool is_packed, const std::string& tap, std::span<const std::string> k) {
        if (is_packed) {
            const std::string block =
                sizes_.is_depthwise() ? "column_tile"
                                      : fmt::format("(group.z * {} + column_tile)", index_literal(blocks()));
            text_.line("let w0 = ({} * {} + {}) * {} + lane;", block, index_literal(sizes_.taps()), tap,
                       index_literal(sizes_.channels_in() * tile_.columns));
            return;
        }
        std::vector<std::string> indices{fmt::format("min(m, {})", index_literal(sizes_.w[0] - 1)), "0u"};
        indices.insert(indices.end(), k.begin(), k.end());
        text_.line("let w0 = {};", offset_of(indices, weight_strides(), text_.storage(w_).offset));
    }

    /// True if elements in the padding are replaced by 0 as they are read; otherwise they are read
    /// where the buffer has zeros.
    bool selects(const Storage& x) const {
        const bool has_zeros = x.strides[1] == 1 && x.zero_count >= sizes_.x[1];
        const bool zero_is_0 = is_of_bytes() || (is_of_floats() && !operands_.quantized);
        return sizes_.has_padding() && !(has_zeros && zero_is_0);
    }

    /// Declares at<t>: the offset of the pixel's input at the tap with these indices, for channel 0.
    void position(std::int64_t t, const Storage& x, std::span<const std::string> tap) {
        std::vector<std::string> indices{fmt::format("n{}", t), "0u"};
        std::string inside;
        for (std::size_t i = 0; i < rank(); ++i) {
            const WindowAxis& axis = sizes_.axes[i];
            const bool is_padded = axis.pad_begin > 0 || axis.pad_end > 0;
            // Wraps below 0, so that one comparison tells both ends.
            text_.line("let i{0}_{1} = o{0}_{1} * {2} + {3} * {4} - {5};", t, i, index_literal(axis.stride),
                       tap[i], index_literal(axis.dilation), index_literal(axis.pad_begin));
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
        text_.line("let at{0} = select({1}, {2}, is_inside{0});", t, index_literal(selects(x) ? x.offset : 0),
                   offset);
    }

    /// Stores a pixel.
    void finish(std::int64_t t, bool has_bias, Elements& elements) {
        std::string value = fmt::format("sum{}", t);
        if (is_of_bytes()) value = fmt::format("({} - correction)", value);
        if (is_of_bytes() && !qlinear_) value = fmt::format("f32{} * factor", value);
        if (has_bias) value += " + bias";
        if (qlinear_) value = qlinear_->finished(value, text_);
        std::vector<std::string> indices{fmt::format("n{}", t), "m"};
        for (std::size_t i = 0; i < rank(); ++i) indices.push_back(fmt::format("o{}_{}", t, i));
        elements.store_at(indices, rounded(group_.element(group_.output()), value));
    }

    GroupLowering& group_;
    ConvSizes sizes_;
    ConvOperands operands_;
    Tile tile_;
    bool merges_axes_ = false;  // a pixel has one index, along the last axis
    KernelText text_;
    std::optional<SharedTiles> shared_;
    OperandId x_, w_;
    std::optional<QuantizedSum> qlinear_;
};

/// True if products of bytes compute it: channels are next to each other, and there are enough of them.
bool fits_bytes(const ConvSizes& sizes) { return sizes.groups == 1 && sizes.channels_in() >= 3; }

void write_bytes(GroupLowering& group, ConvSizes sizes, ConvOperands operands) {
    operands.terms = ConvOperands::Terms::bytes;
    operands.x = pack_activations(group, *operands.quantized, 1, true, sizes.has_padding());
    sizes.x[1] = sizes.w[1] = operands.x.sizes[1];
    const ConvSizes of_words = sizes;
    ConvKernel kernel(group, std::move(sizes), std::move(operands));
    kernel.pack_bytes(of_words);
    kernel.write();
}

/// The operands of QLinearConv's activations and weights; none of the latter if they aren't constants.
void find_qlinear(GroupLowering& group, ConvOperands& operands) {
    operands.quantized = QuantizedActivations{group.storage(group.input(0)), group.input(1), group.input(2)};
    const Tensor* const weights = group.constant(group.input(3));
    const Tensor* const zero = group.constant(group.input(5));
    if (!weights || !zero) return;
    QuantizedWeights found{.sizes = {weights->sizes().begin(), weights->sizes().end()}};
    const auto channels = static_cast<std::size_t>(found.sizes[0]);
    const std::vector<std::int64_t> numbers = integers(*weights), zeros = integers(*zero);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        found.numbers.push_back(static_cast<std::int32_t>(
            numbers[i] - zeros[zeros.size() == 1 ? 0 : i / (numbers.size() / channels)]));
    found.scales.resize(channels);  // QuantizedSum has them
    operands.weights = std::move(found);
}

}  // namespace

Result<void> lower_conv(GroupLowering& group) {
    if (group.algorithm().kind == Algorithm::Kind::winograd) return lower_winograd(group);
    const bool is_qlinear = group.op() == Operator::qlinear_conv;
    const std::size_t weights = is_qlinear ? 3 : 1, bias = is_qlinear ? 8 : 2;
    ConvSizes sizes{.x = group.sizes(group.input(0)),
                    .w = group.sizes(group.input(weights)),
                    .y = group.sizes(group.output())};
    sizes.groups = group.attributes().integer("group");
    const std::vector<Dimension> input(sizes.x.begin() + 2, sizes.x.end());
    sizes.axes = TRY(window_of(group.attributes(), input, std::span(sizes.w).subspan(2), false));
    ConvOperands operands{.is_qlinear = is_qlinear};
    if (group.has(bias)) operands.bias = group.storage(group.input(bias));
    if (is_qlinear) {
        find_qlinear(group, operands);
        if (operands.weights && operands.weights->fit_bytes() && fits_bytes(sizes)) {
            write_bytes(group, std::move(sizes), std::move(operands));
            return {};
        }
        operands.terms = ConvOperands::Terms::integers;
        operands.quantized = {};
        operands.x = group.storage(group.input(0));
        operands.w = group.storage(group.input(weights));
        ConvKernel(group, std::move(sizes), std::move(operands)).write();
        return {};
    }
    const auto x_from = dequantized(group, 0), w_from = dequantized(group, 1);
    std::optional<Tensor> constant;
    if (const Tensor* const tensor = group.constant(group.input(1))) constant = *tensor;
    if (x_from && w_from) {
        operands.quantized = activations_of(group, *x_from);
        operands.weights = weights_of(group, *w_from, 0);
        if (!operands.quantized || !operands.weights)
            return fail(ErrorCode::unsupported,
                        "Its quantised operands have no scale for all elements or each channel.");
        if (operands.weights->fit_bytes() && fits_bytes(sizes)) {
            write_bytes(group, std::move(sizes), std::move(operands));
            return {};
        }
        constant = operands.weights->floats();
        operands.x = operands.quantized->bytes;
    } else {
        operands.x = group.storage(group.input(0));
    }
    if (!constant) operands.w = group.storage(group.input(1));
    if (constant && fits_depthwise(sizes, operands)) {
        write_depthwise(group, sizes, operands, *constant);
        return {};
    }
    const ConvSizes of_weights = sizes;
    if (constant && !operands.quantized && wants_copy(sizes, operands)) copy_input(group, sizes, operands);
    ConvKernel kernel(group, std::move(sizes), std::move(operands));
    if (constant)
        kernel.set_packed(packed_floats(*constant, of_weights, kernel.tile().columns), constant->element());
    kernel.write();
    return {};
}

}  // namespace muster::graph
