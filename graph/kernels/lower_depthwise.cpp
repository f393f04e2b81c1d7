#include <algorithm>

#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/conv_operands.hpp>
#include <muster/graph/kernels/tile.hpp>

namespace muster::graph {
namespace {

/// Writes a depthwise convolution with packed weights. An invocation has one channel, and sums a run of
/// pixels along the last axis, so that an element that several of their windows have is read once. Each sum
/// has its terms in the order of any convolution's.
class DepthwiseKernel {
  public:
    DepthwiseKernel(GroupLowering& group, const ConvSizes& sizes, const ConvOperands& operands)
        : group_(group),
          sizes_(sizes),
          last_(sizes.axes.back()),
          run_(run_length(last_.output.number())),
          columns_(choose_tile(sizes.pixels(), sizes.columns(), group.algorithm()).columns),
          text_(static_cast<std::uint32_t>(columns_)),
          x_(text_.operand(operands.x)) {}

    void write(const ConvOperands& operands, const Tensor& weights) {
        w_ = text_.operand(
            {.place = group_.pack(packed_floats(weights, sizes_, columns_)), .element = weights.element()});
        std::optional<OperandId> bias;
        if (operands.bias) bias = text_.operand(*operands.bias);
        Elements elements(group_, text_, group_.output());
        const std::int64_t runs = tiles(last_.output.number(), run_);
        const TileOrder order(sizes_.pixels() / last_.output.number() * runs,
                              tiles(sizes_.columns(), columns_), sizes_.taps() * sizes_.columns() * 4);
        order.declare(text_);
        text_.line("let m = column_tile * {} + lane;", index_literal(columns_));
        declare_run(runs);
        const std::int64_t rows = sizes_.taps() / last_.kernel;
        for (std::int64_t row = 0; row < rows; ++row) add_row(row);
        text_.line("if m >= {} {{ return; }}", index_literal(sizes_.columns()));
        if (bias) text_.line("let bias = {};", text_.load(*bias, offset_along(text_.storage(*bias), "m")));
        for (std::int64_t t = 0; t < run_; ++t) {
            // The last run begins within the one before it, where the axis isn't a multiple of runs.
            text_.line("if first + {}u >= run * {} {{", t, index_literal(run_));
            at_.back() = text_.let(fmt::format("first + {}u", t));
            elements.store_at(at_, rounded(group_.element(group_.output()),
                                           fmt::format("sum{}{}", t, bias ? " + bias" : "")));
            text_.line("}");
        }
        group_.add(std::move(text_).finish(order.workgroups(1)));
    }

  private:
    /// How many pixels an invocation sums: of the lengths whose runs cover the axis with the
    /// least waste, the longest.
    static std::int64_t run_length(std::int64_t count) {
        constexpr std::int64_t least = 4, most = 8;
        std::int64_t best = std::min(count, most);
        for (std::int64_t run = best; run >= std::min(count, least); --run)
            if (tiles(count, run) * run < tiles(count, best) * best) best = run;
        return best;
    }

    std::size_t outer_rank() const { return sizes_.axes.size() - 1; }

    /// Declares where the run is, and its sums.
    void declare_run(std::int64_t runs) {
        at_.assign(sizes_.axes.size() + 2, "m");
        text_.line("let run = row_tile % {};", index_literal(runs));
        std::string number = text_.let(fmt::format("row_tile / {}", index_literal(runs)));
        for (std::size_t i = outer_rank(); i-- > 0;) {
            const std::string size = index_literal(sizes_.axes[i].output.number());
            at_[i + 2] = text_.let(fmt::format("{} % {}", number, size));
            number = text_.let(fmt::format("{} / {}", number, size));
        }
        at_[0] = number;
        text_.line("let first = min(run * {}, {});", index_literal(run_),
                   index_literal(last_.output.number() - run_));
        for (std::int64_t t = 0; t < run_; ++t) text_.line("var sum{} = 0.0f;", t);
    }

    /// Adds the products with one row of the window, the taps along the last axis.
    void add_row(std::int64_t row) {
        const Storage& x = text_.storage(x_);
        text_.line("{");
        std::vector<std::string> indices{at_[0], "m"};
        std::string row_inside;
        std::int64_t rest = row;
        for (std::size_t i = outer_rank(); i-- > 0; rest /= sizes_.axes[i].kernel) {
            const WindowAxis& axis = sizes_.axes[i];
            const std::string index =
                text_.let(position(axis, at_[i + 2], rest % axis.kernel * axis.dilation));
            indices.insert(indices.begin() + 2, index);
            if (is_padded(axis)) row_inside += inside(axis, index) + " && ";
        }
        indices.emplace_back("0u");
        const std::string from = text_.let(offset_of(indices, x.strides, x.offset));
        for (std::int64_t k = 0; k < last_.kernel; ++k)
            text_.line("let w{} = {};", k,
                       text_.load(w_, fmt::format("(column_tile * {} + {}u) * {} + lane",
                                                  index_literal(sizes_.taps()), row * last_.kernel + k,
                                                  index_literal(columns_))));
        const std::int64_t span = (run_ - 1) * last_.stride + last_.extent();
        for (std::int64_t at = 0; at < span; ++at) add_element(at, from, row_inside);
        text_.line("}");
    }

    /// Adds the products with one element of the row to the sums whose windows have it.
    void add_element(std::int64_t at, const std::string& from, const std::string& row_inside) {
        std::string products;
        for (std::int64_t t = 0; t < run_; ++t) {
            const std::int64_t steps = at - t * last_.stride, k = steps / last_.dilation;
            if (steps < 0 || steps % last_.dilation != 0 || k >= last_.kernel) continue;
            products += fmt::format("sum{0} = sum{0} + value * w{1};\n", t, k);
        }
        if (products.empty()) return;
        const Storage& x = text_.storage(x_);
        text_.line("{");
        text_.line("let along = {};", position(last_, "first", at));
        std::string offset = fmt::format("{} + along * {}", from, index_literal(x.strides.back()));
        std::string all_inside = row_inside;
        if (is_padded(last_)) all_inside += inside(last_, "along") + " && ";
        if (!all_inside.empty()) {
            all_inside.resize(all_inside.size() - 4);
            text_.line("let is_inside = {};", all_inside);
            // The buffer begins with zeros; elsewhere any element is read, and replaced.
            offset =
                fmt::format("select({}, {}, is_inside)", has_zeros() ? "m" : index_literal(x.offset), offset);
        }
        const std::string value = text_.load(x_, offset);
        text_.line("let value = {};", all_inside.empty() || has_zeros()
                                          ? value
                                          : fmt::format("select(0.0f, {}, is_inside)", value));
        text_.line("{}}}", products);
    }

    static bool is_padded(const WindowAxis& axis) { return axis.pad_begin > 0 || axis.pad_end > 0; }
    /// The index of the input at this many steps into the window of an output; wraps below 0.
    static std::string position(const WindowAxis& axis, const std::string& output, std::int64_t steps) {
        return fmt::format("{} * {} + {}u - {}", output, index_literal(axis.stride), steps,
                           index_literal(axis.pad_begin));
    }
    static std::string inside(const WindowAxis& axis, const std::string& index) {
        return fmt::format("{} < {}", index, index_literal(axis.input.number()));
    }
    bool has_zeros() const {
        const Storage& x = text_.storage(x_);
        return x.strides[1] == 1 && x.zero_count >= sizes_.x[1];
    }

    GroupLowering& group_;
    const ConvSizes& sizes_;
    const WindowAxis& last_;
    std::int64_t run_, columns_;
    KernelText text_;
    OperandId x_, w_;
    std::vector<std::string>
        at_;  // the indices of an output; those of the run's but the last one are expressions
};

}  // namespace

bool fits_depthwise(const ConvSizes& sizes, const ConvOperands& operands) {
    constexpr std::int64_t most_taps = 49;  // each has a text of its own
    return sizes.is_depthwise() && !sizes.axes.empty() && sizes.taps() <= most_taps && !operands.quantized &&
           operands.terms == ConvOperands::Terms::floats;
}

void write_depthwise(GroupLowering& group, const ConvSizes& sizes, const ConvOperands& operands,
                     const Tensor& weights) {
    DepthwiseKernel(group, sizes, operands).write(operands, weights);
}

}  // namespace muster::graph
