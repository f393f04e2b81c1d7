// lower_winograd.cpp - convolutions of 3x3 by Winograd's minimal filtering: a tile of m x m pixels takes (m +
// 2)^2 products for each pair of channels in the place of 9 * m^2.
//
// Three kernels: each tile of the input becomes its points, the points of all tiles are multiplied by
// those of the weights, one matrix product for each point, and the points of each tile of the output
// become its pixels. Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks",
// arXiv:1509.09308, sections 4.1 to 4.3.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/window.hpp>
#include <muster/graph/kernels/bytes.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/tile.hpp>

namespace muster::graph {
namespace {

using Matrix = std::vector<std::vector<float>>;

/// F(m, 3): m outputs of a filter of 3 from m + 2 points.
struct Filtering {
    std::int64_t outputs;
    Matrix of_input, of_weights, of_output;
    std::int64_t points() const { return outputs + 2; }
};

const Filtering& filtering_of_2() {
    static const Filtering filtering{
        2,
        {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
        {{1, 0, 0}, {0.5f, 0.5f, 0.5f}, {0.5f, -0.5f, 0.5f}, {0, 0, 1}},
        {{1, 1, 1, 0}, {0, 1, -1, -1}},
    };
    return filtering;
}

const Filtering& filtering_of_4() {
    static const Filtering filtering{
        4,
        {{4, 0, -5, 0, 1, 0},
         {0, -4, -4, 1, 1, 0},
         {0, 4, -4, -1, 1, 0},
         {0, -2, -1, 2, 1, 0},
         {0, 2, -1, -2, 1, 0},
         {0, 4, 0, -5, 0, 1}},
        {{1.0f / 4, 0, 0},
         {-1.0f / 6, -1.0f / 6, -1.0f / 6},
         {-1.0f / 6, 1.0f / 6, -1.0f / 6},
         {1.0f / 24, 1.0f / 12, 1.0f / 6},
         {1.0f / 24, -1.0f / 12, 1.0f / 6},
         {0, 0, 1}},
        {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}},
    };
    return filtering;
}

/// The filtering that takes fewer products for a result of this size.
const Filtering& choose(std::int64_t height, std::int64_t width) {
    const auto products = [&](const Filtering& of) {
        return tiles(height, of.outputs) * tiles(width, of.outputs) * of.points() * of.points();
    };
    return products(filtering_of_4()) < products(filtering_of_2()) ? filtering_of_4() : filtering_of_2();
}

/// The sum of the names' values, each times its factor.
std::string combination(std::span<const float> factors, std::span<const std::string> names) {
    std::string sum;
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const float size = std::abs(factors[i]);
        if (size == 0) continue;
        if (!sum.empty())
            sum += factors[i] < 0 ? " - " : " + ";
        else if (factors[i] < 0)
            sum = "-";
        sum += size == 1 ? names[i] : fmt::format("{} * {:.1f}f", names[i], size);
    }
    return sum;
}

/// matrix * names * transposed matrix, as names of new values, row by row.
std::vector<std::string> on_both_sides(const Matrix& matrix, std::span<const std::string> names,
                                       KernelText& text) {
    const std::size_t from = matrix[0].size(), to = matrix.size();
    std::vector<std::string> half(to * from), result;
    for (std::size_t column = 0; column < from; ++column) {
        std::vector<std::string> along;
        for (std::size_t row = 0; row < from; ++row) along.push_back(names[row * from + column]);
        for (std::size_t row = 0; row < to; ++row)
            half[row * from + column] = text.let(combination(matrix[row], along));
    }
    for (std::size_t row = 0; row < to; ++row)
        for (std::size_t column = 0; column < to; ++column)
            result.push_back(
                text.let(combination(matrix[column], std::span(half).subspan(row * from, from))));
    return result;
}

class Winograd {
  public:
    Winograd(GroupLowering& group, std::vector<WindowAxis> axes)
        : group_(group),
          axes_(std::move(axes)),
          y_(group.sizes(group.output())),
          filtering_(choose(y_[2], y_[3])),
          down_(tiles(y_[2], filtering_.outputs)),
          across_(tiles(y_[3], filtering_.outputs)),
          channels_in_(group.sizes(group.input(0))[1]),
          tile_(choose_tile(tile_count(), y_[1], group.algorithm())) {
        points_of_x_ = scratch(channels_in_);
        points_of_y_ = scratch(y_[1]);
    }

    void write() {
        read_input();
        multiply();
        write_output();
    }

  private:
    std::int64_t tile_count() const { return y_[0] * down_ * across_; }
    std::int64_t point_count() const { return filtering_.points() * filtering_.points(); }
    std::int64_t blocks_of(std::int64_t channels) const { return tiles(channels, tile_.columns); }
    std::uint32_t lanes() const { return static_cast<std::uint32_t>(tile_.columns); }

    /// [point][tile][channel], where the channels are as many as blocks hold.
    Storage scratch(std::int64_t channels) {
        const Sizes sizes{point_count(), tile_count(), blocks_of(channels) * tile_.columns};
        return Storage::row_major(ElementType::f32, sizes, group_.scratch(product(sizes) * 4));
    }
    static std::string at(const Storage& points, const std::string& point, const std::string& tile,
                          const std::string& channel) {
        return offset_of(std::vector{point, tile, channel}, points.strides, points.offset);
    }

    /// Declares n, first_y and first_x, where the workgroup's tile of the output begins, and
    /// the invocation's channel.
    void declare_tile(KernelText& text) const {
        const std::vector<std::string> indices = text.indices_of("group.x", {y_[0], down_, across_});
        text.line("let n = {};", indices[0]);
        text.line("let first_y = {} * {};", indices[1], index_literal(filtering_.outputs));
        text.line("let first_x = {} * {};", indices[2], index_literal(filtering_.outputs));
        text.line("let channel = group.y * {} + lane;", index_literal(tile_.columns));
    }

    void read_input() {
        KernelText text(lanes());
        const Storage x = group_.storage(group_.input(0));
        const OperandId from = text.operand(x), to = text.operand(points_of_x_);
        const bool has_zeros = x.strides[1] == 1 && x.zero_count >= channels_in_;
        const std::array axis_names{"y", "x"};
        declare_tile(text);
        for (std::size_t i = 0; i < 2; ++i) {
            for (std::int64_t p = 0; p < filtering_.points(); ++p) {
                // Wraps below 0, so that one comparison tells both ends.
                text.line("let {0}{1} = first_{0} + {2};", axis_names[i], p,
                          index_literal(p - axes_[i].pad_begin));
                text.line("let has_{0}{1} = {0}{1} < {2};", axis_names[i], p,
                          index_literal(axes_[i].input.number()));
            }
        }
        std::vector<std::string> values;
        for (std::int64_t row = 0; row < filtering_.points(); ++row) {
            for (std::int64_t column = 0; column < filtering_.points(); ++column) {
                const std::vector<std::string> indices{"n", "0u", fmt::format("y{}", row),
                                                       fmt::format("x{}", column)};
                const std::string offset = text.let(
                    fmt::format("select({}, {}, has_y{} && has_x{})", index_literal(has_zeros ? 0 : x.offset),
                                offset_of(indices, x.strides, x.offset), row, column));
                std::string value =
                    text.load(from, fmt::format("{} + channel * {}", offset, index_literal(x.strides[1])));
                if (!has_zeros)
                    value = fmt::format("select(0.0f, {}, has_y{} && has_x{})", value, row, column);
                values.push_back(text.let(value));
            }
        }
        const std::vector<std::string> points = on_both_sides(filtering_.of_input, values, text);
        for (std::size_t i = 0; i < points.size(); ++i)
            text.store(to, at(points_of_x_, fmt::format("{}u", i), "group.x", "channel"), points[i]);
        group_.add(std::move(text).finish({static_cast<std::uint32_t>(tile_count()),
                                           static_cast<std::uint32_t>(blocks_of(channels_in_)), 1}));
    }

    /// The points of the weights, in the order that a workgroup reads them: [point][block of channels][input
    /// channel][channel in the block].
    PackedConstant packed_weights() const {
        const Tensor& weights = *group_.constant(group_.input(1));
        const std::vector<float> values = floats(weights);
        const auto points = static_cast<std::size_t>(filtering_.points());
        const auto in = static_cast<std::size_t>(channels_in_), out = static_cast<std::size_t>(y_[1]),
                   width = static_cast<std::size_t>(tile_.columns),
                   blocks = static_cast<std::size_t>(blocks_of(y_[1]));
        std::vector<float> packed(points * points * blocks * in * width);
        std::vector<double> half(points * 3);
        for (std::size_t m = 0; m < out; ++m) {
            for (std::size_t c = 0; c < in; ++c) {
                const float* const w = &values[(m * in + c) * 9];
                for (std::size_t p = 0; p < points; ++p) {
                    const std::vector<float>& row = filtering_.of_weights[p];
                    for (std::size_t i = 0; i < 3; ++i)
                        half[p * 3 + i] = double{row[0]} * double{w[i]} + double{row[1]} * double{w[3 + i]} +
                                          double{row[2]} * double{w[6 + i]};
                }
                for (std::size_t p = 0; p < points * points; ++p) {
                    const std::vector<float>& row = filtering_.of_weights[p % points];
                    const double* const from = &half[p / points * 3];
                    packed[((p * blocks + m / width) * in + c) * width + m % width] = static_cast<float>(
                        double{row[0]} * from[0] + double{row[1]} * from[1] + double{row[2]} * from[2]);
                }
            }
        }
        return packed_values(packed);
    }

    void multiply() {
        KernelText text(lanes());
        const OperandId x = text.operand(points_of_x_), y = text.operand(points_of_y_),
                        w = text.operand({.place = group_.pack(packed_weights())});
        const TileOrder order(tiles(tile_count(), tile_.rows), blocks_of(y_[1]),
                              channels_in_ * blocks_of(y_[1]) * tile_.columns * 4);
        order.declare(text);
        const auto each_row = [&](auto&& write) {
            for (std::int64_t t = 0; t < tile_.rows; ++t) write(t);
        };
        each_row([&](std::int64_t t) {
            text.line("let tile{0} = min(row_tile * {1} + {0}u, {2});", t, index_literal(tile_.rows),
                      index_literal(tile_count() - 1));
            text.line("let x{0} = {1};", t, at(points_of_x_, "group.z", fmt::format("tile{}", t), "0u"));
            text.line("var sum{} = 0.0f;", t);
        });
        text.line("let w0 = (group.z * {} + column_tile) * {} + lane;", index_literal(blocks_of(y_[1])),
                  index_literal(channels_in_ * tile_.columns));
        text.line("for (var c = 0u; c < {}; c++) {{", index_literal(channels_in_));
        text.line("let w = {};", text.load(w, fmt::format("w0 + c * {}", index_literal(tile_.columns))));
        each_row([&](std::int64_t t) {
            text.line("sum{0} = sum{0} + {1} * w;", t, text.load(x, fmt::format("x{} + c", t)));
        });
        text.line("}");
        text.line("let channel = column_tile * {} + lane;", index_literal(tile_.columns));
        each_row([&](std::int64_t t) {
            text.line("if row_tile * {} + {}u < {} {{", index_literal(tile_.rows), t,
                      index_literal(tile_count()));
            text.store(y, at(points_of_y_, "group.z", fmt::format("tile{}", t), "channel"),
                       fmt::format("sum{}", t));
            text.line("}");
        });
        group_.add(std::move(text).finish(order.workgroups(point_count())));
    }

    void write_output() {
        KernelText text(lanes());
        const OperandId from = text.operand(points_of_y_);
        std::optional<OperandId> bias;
        if (group_.has(2)) bias = text.operand(group_.storage(group_.input(2)));
        Elements elements(group_, text, group_.output());
        declare_tile(text);
        std::vector<std::string> values;
        for (std::int64_t p = 0; p < point_count(); ++p)
            values.push_back(
                text.let(text.load(from, at(points_of_y_, fmt::format("{}u", p), "group.x", "channel"))));
        const std::vector<std::string> pixels = on_both_sides(filtering_.of_output, values, text);
        text.line("if channel >= {} {{ return; }}", index_literal(y_[1]));
        if (bias) text.line("let bias = {};", text.load(*bias, offset_along(text.storage(*bias), "channel")));
        for (std::int64_t row = 0; row < filtering_.outputs; ++row) {
            for (std::int64_t column = 0; column < filtering_.outputs; ++column) {
                text.line("if first_y + {}u < {} && first_x + {}u < {} {{", row, index_literal(y_[2]), column,
                          index_literal(y_[3]));
                const std::string& pixel =
                    pixels[static_cast<std::size_t>(row * filtering_.outputs + column)];
                elements.store_at(
                    std::vector<std::string>{"n", "channel", fmt::format("(first_y + {}u)", row),
                                             fmt::format("(first_x + {}u)", column)},
                    bias ? pixel + " + bias" : pixel);
                text.line("}");
            }
        }
        group_.add(std::move(text).finish(
            {static_cast<std::uint32_t>(tile_count()), static_cast<std::uint32_t>(blocks_of(y_[1])), 1}));
    }

    GroupLowering& group_;
    std::vector<WindowAxis> axes_;
    Sizes y_;
    const Filtering& filtering_;
    std::int64_t down_, across_;  // tiles of a picture
    std::int64_t channels_in_;
    Tile tile_;  // of the products; its columns are the channels of a workgroup in the other kernels too
    Storage points_of_x_, points_of_y_;
};

}  // namespace

Result<void> lower_winograd(GroupLowering& group) {
    const Sizes x = group.sizes(group.input(0)), w = group.sizes(group.input(1));
    const auto is_f32 = [&](ValueId value) { return group.element(value) == ElementType::f32; };
    const std::vector<Dimension> input(x.begin() + 2, x.end());
    std::vector<WindowAxis> axes = TRY(window_of(group.attributes(), input, std::span(w).subspan(2), false));
    const bool fits = w.size() == 4 && group.attributes().integer("group") == 1 &&
                      std::ranges::all_of(axes, [](const WindowAxis& axis) {
                          return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
                      });
    if (!fits || !group.constant(group.input(1)) || !is_f32(group.input(0)) || !is_f32(group.input(1)))
        return fail(
            ErrorCode::unsupported,
            fmt::format(
                "The pattern \"{}\" asks for Winograd's algorithm, which computes convolutions of f32 in "
                "one group, of constant weights of 3x3, moved by 1.",
                group.pattern_name()),
            "give the pattern the conditions constant(W), type(x, f32) and window(c, 3, 1)");
    Winograd(group, std::move(axes)).write();
    return {};
}

}  // namespace muster::graph
