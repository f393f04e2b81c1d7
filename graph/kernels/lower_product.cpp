#include <algorithm>
#include <cstring>
#include <optional>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/bytes.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/product_blocks.hpp>
#include <muster/graph/kernels/quantized_sum.hpp>
#include <muster/graph/kernels/shared_tiles.hpp>
#include <muster/graph/kernels/tile.hpp>

namespace muster::graph {
namespace {

/// A matrix product with batches: storages of [batch..., rows, depth], [batch..., depth, columns] and
/// [batch..., rows, columns].
struct Product {
    Storage a, b;
    Sizes y;
    std::int64_t depth = 0;
    std::int64_t first_column = 0, column_count = 0;  // those that one kernel makes
    std::optional<Tensor> constant_b;                 // of floats, to be packed
    // A dequantised product has bytes, four of the depth in a word, or, where they don't fit,
    // dequantises a as it is loaded.
    std::optional<QuantizedActivations> quantized_a;
    std::optional<QuantizedWeights> quantized_b;
    bool is_of_bytes = false, b_is_transposed = false;
    std::int64_t rows() const { return y[y.size() - 2]; }
    std::int64_t columns() const { return y.back(); }
    std::int64_t batches() const { return product({y.begin(), y.end() - 2}); }
    bool has_batches_of_b() const {
        return std::any_of(b.strides.begin(), b.strides.end() - 2,
                           [](std::int64_t stride) { return stride != 0; });
    }
};

/// A side with batch axes as many as the output has. A side of one axis is a row or a column.
Storage with_batches(Storage side, bool is_column, const Sizes& y) {
    if (side.sizes.size() == 1) {
        const auto at = is_column ? side.sizes.end() : side.sizes.begin();
        const auto stride_at = is_column ? side.strides.end() : side.strides.begin();
        side.sizes.insert(at, 1);
        side.strides.insert(stride_at, 0);
    }
    Sizes wanted(y.begin(), y.end() - 2);
    wanted.insert(wanted.end(), side.sizes.end() - 2, side.sizes.end());
    return broadcast_to(std::move(side), wanted);
}

void transpose_last(Storage& side) {
    const std::size_t last = side.sizes.size() - 1;
    std::swap(side.sizes[last], side.sizes[last - 1]);
    std::swap(side.strides[last], side.strides[last - 1]);
}

/// Most bytes of packed columns in one buffer: every device of WebGPU's default limits binds so many.
constexpr std::int64_t most_packed_bytes = std::int64_t{128} << 20;

/// Columns of the matrix b in the order that a workgroup reads them: [block of
/// columns][depth][column in the block].
PackedConstant packed_columns(const Tensor& b, const Storage& storage, std::int64_t depth, std::int64_t first,
                              std::int64_t columns, std::int64_t tile_columns) {
    const std::int64_t blocks = (columns + tile_columns - 1) / tile_columns;
    const std::int64_t down = storage.strides[storage.strides.size() - 2], across = storage.strides.back();
    const auto width = static_cast<std::size_t>(bytes_of(b.element()));
    PackedConstant result(static_cast<std::size_t>(blocks * depth * tile_columns) * width);
    for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t count = std::min(tile_columns, columns - block * tile_columns);
        for (std::int64_t column = 0; column < count; ++column) {
            std::byte* to =
                result.data() + static_cast<std::size_t>(block * depth * tile_columns + column) * width;
            const std::byte* from =
                b.bytes().data() +
                static_cast<std::size_t>((first + block * tile_columns + column) * across) * width;
            for (std::int64_t k = 0; k < depth; ++k) {
                std::memcpy(to + static_cast<std::size_t>(k * tile_columns) * width,
                            from + static_cast<std::size_t>(k * down) * width, width);
            }
        }
    }
    return result;
}

/// The same of quantised numbers, four of the depth in a word.
PackedConstant packed_bytes(const Product& product, std::int64_t tile_columns) {
    const QuantizedWeights& b = *product.quantized_b;
    const std::int64_t depth = b.sizes[product.b_is_transposed ? 1 : 0],
                       blocks = (product.column_count + tile_columns - 1) / tile_columns;
    PackedConstant result(static_cast<std::size_t>(blocks * product.depth * tile_columns) * 4);
    for (std::int64_t column = 0; column < product.column_count; ++column) {
        const std::int64_t from = product.first_column + column;
        for (std::int64_t k = 0; k < depth; ++k) {
            const std::int64_t word =
                (column / tile_columns * product.depth + k / 4) * tile_columns + column % tile_columns;
            const std::int64_t at = product.b_is_transposed ? from * depth + k : k * product.columns() + from;
            result[static_cast<std::size_t>(word * 4 + k % 4)] =
                static_cast<std::byte>(b.numbers[static_cast<std::size_t>(at)]);
        }
    }
    return result;
}

/// True if the pattern asks for tiles in workgroup memory, and the product is one of floats.
bool uses_shared_tiles(const GroupLowering& group, const Product& product) {
    return group.algorithm().kind == Algorithm::Kind::shared_tiles && is_float(product.a.element) &&
           !product.is_of_bytes && !product.quantized_a;
}

class ProductKernel {
  public:
    /// `b_input`: the input that is the second matrix.
    ProductKernel(GroupLowering& group, const Product& product, std::size_t b_input)
        : group_(group),
          product_(product),
          b_input_(b_input),
          packs_(product.is_of_bytes || product.constant_b),
          tile_(choose_tile(product_.rows(), product_.columns(), group.algorithm())),
          text_(static_cast<std::uint32_t>(tile_.columns)) {
        if (!uses_shared_tiles(group, product)) return;
        shared_.emplace(group.algorithm(), product_.rows(), product_.column_count,
                        ProductBlocks{.channels = product_.depth});
        tile_.columns = group.algorithm().columns;
        text_ = KernelText(shared_->lanes());
    }

    void write() {
        a_ = text_.operand(product_.a);
        if (product_.is_of_bytes) {
            b_ = text_.operand(
                {.place = group_.pack(packed_bytes(product_, tile_.columns)), .element = ElementType::i32});
        } else if (product_.constant_b) {
            const Tensor& b = *product_.constant_b;
            b_ = text_.operand(
                {.place = group_.pack(packed_columns(b, product_.b, product_.depth, product_.first_column,
                                                     product_.column_count, tile_.columns)),
                 .element = b.element()});
        } else {
            b_ = text_.operand(product_.b);
        }
        std::optional<OperandId> c;
        if (group_.op() == Operator::gemm && group_.has(2))
            c = text_.operand(broadcast_to(group_.storage(group_.input(2)), group_.sizes(group_.output())));
        Elements elements(group_, text_, group_.output());
        if (shared_) return write_shared(c, elements);
        begin();
        if (dequantizes_loads()) declare_scale(group_, *product_.quantized_a, text_);
        if (group_.op() == Operator::matmul_integer || group_.op() == Operator::qlinear_matmul)
            quantized_ = QuantizedSum::of_product(group_, text_, "column");
        sum();
        text_.line("if column >= {} {{ return; }}",
                   index_literal(product_.first_column + product_.column_count));
        if (product_.is_of_bytes) {
            declare_correction(group_, *product_.quantized_a, *product_.quantized_b, "column", text_);
            declare_factor(group_, *product_.quantized_a, *product_.quantized_b, "column", text_);
        }
        for (std::int64_t t = 0; t < tile_.rows; ++t) {
            text_.line("if row_tile * {} + {}u < {} {{", index_literal(tile_.rows), t,
                       index_literal(product_.rows()));
            const std::vector<std::string> indices = output_indices(fmt::format("row{}", t), "column");
            std::string value = fmt::format("sum{}", t);
            if (product_.is_of_bytes) value = fmt::format("f32({} - correction) * factor", value);
            store(indices, std::move(value), c, elements);
            text_.line("}");
        }
        group_.add(std::move(text_).finish(order().workgroups(product_.batches())));
    }

  private:
    TileOrder order() const {
        const std::int64_t blocks = tiles(product_.column_count, tile_.columns);
        return {tiles(product_.rows(), tile_.rows), blocks, product_.depth * blocks * tile_.columns * 4};
    }
    /// True if the sum is one of floats; else it is one of integers.
    bool is_of_floats() const {
        return !product_.is_of_bytes && (is_float(product_.a.element) || product_.quantized_a);
    }
    bool dequantizes_loads() const { return product_.quantized_a && !product_.is_of_bytes; }

    /// Stores what becomes of a sum.
    void store(const std::vector<std::string>& indices, std::string value, std::optional<OperandId> c,
               Elements& elements) {
        if (group_.op() == Operator::gemm)
            value = scaled(value, c ? text_.let(text_.load(*c, offset_of(indices, text_.storage(*c).strides,
                                                                         text_.storage(*c).offset)))
                                    : std::string());
        if (quantized_) value = quantized_->finished(value, text_);
        elements.store_at(indices, rounded(group_.element(group_.output()), value));
    }

    void begin() {
        order().declare(text_);
        text_.line("let column = column_tile * {} + lane + {};", index_literal(tile_.columns),
                   index_literal(product_.first_column));
        // Columns beyond the last read what isn't stored.
        batch_ = text_.indices_of("group.z", {product_.y.begin(), product_.y.end() - 2});
        for (std::int64_t t = 0; t < tile_.rows; ++t) {
            text_.line("let row{0} = min(row_tile * {1} + {0}u, {2});", t, index_literal(tile_.rows),
                       index_literal(product_.rows() - 1));
            text_.line(
                "let a{} = {};", t,
                offset_of(indices(fmt::format("row{}", t), "0u"), product_.a.strides, product_.a.offset));
            text_.line("var sum{} = {};", t, is_of_floats() ? "0.0f" : "0");
        }
        text_.line("let b0 = {};",
                   packs_
                       ? fmt::format("column_tile * {} + lane", index_literal(product_.depth * tile_.columns))
                       : offset_of(indices("0u", "column"), product_.b.strides, product_.b.offset));
    }

    std::vector<std::string> indices(std::string row, std::string column) const {
        std::vector<std::string> result = batch_;
        result.push_back(std::move(row));
        result.push_back(std::move(column));
        return result;
    }

    /// The kernel with tiles in workgroup memory.
    void write_shared(std::optional<OperandId> c, Elements& elements) {
        batch_ = text_.indices_of("group.z", {product_.y.begin(), product_.y.end() - 2});
        const auto last = [](std::string index, std::int64_t count) {
            return fmt::format("min({}, {})", index, index_literal(count - 1));
        };
        shared_->sum(text_,
                     {.declare_row =
                          [&](std::size_t which, const std::string& row) {
                              text_.line("let a{} = {};", which,
                                         offset_of(indices(last(row, product_.rows()), "0u"),
                                                   product_.a.strides, product_.a.offset));
                          },
                      .a =
                          [&](std::size_t which, const std::string& term) {
                              return text_.load(a_, fmt::format("a{} + {} * {}", which, term,
                                                                index_literal(product_.a.strides.back())));
                          },
                      .b =
                          [&](const std::string& term, const std::string& column, const std::string& lane) {
                              if (packs_) return text_.load(b_, shared_->packed_offset(term, lane));
                              return text_.load(b_, offset_of(indices(term, last(column, product_.columns())),
                                                              product_.b.strides, product_.b.offset));
                          }});
        shared_->each_result(text_, [&](const SharedTiles::Result& result) {
            const std::string column =
                text_.let(fmt::format("{} + {}", result.column, index_literal(product_.first_column)));
            store(output_indices(result.row, column), result.sum, c, elements);
        });
        group_.add(std::move(text_).finish(shared_->workgroups(product_.batches())));
    }

    void sum() {
        const std::int64_t blocks = is_of_floats() ? tiles(product_.depth, product_block) : 1;
        tree_of_sums(text_, "sum", tile_.rows)
            .write(text_, "block", blocks, "", [&](const std::string& block, const std::string& end) {
                const std::string first = text_.let(fmt::format("{} * {}u", block, product_block));
                each_of_block(text_, first, blocks == 1 ? product_.depth : product_block, product_.depth, "k",
                              [&] { add_terms(end); });
            });
    }

    /// Adds the terms k to all sums with this end.
    void add_terms(const std::string& end) {
        const std::int64_t across = product_.a.strides.back(),
                           down = packs_ ? tile_.columns : product_.b.strides[product_.b.strides.size() - 2];
        std::string b = text_.load(b_, fmt::format("b0 + k * {}", index_literal(down)));
        if (quantized_) b = fmt::format("{} - {}", b, quantized_->w_zero);
        text_.line("let b = {};", product_.is_of_bytes ? fmt::format("u32({})", b) : b);
        for (std::int64_t t = 0; t < tile_.rows; ++t) {
            std::string a = text_.load(a_, fmt::format("a{} + k * {}", t, index_literal(across)));
            if (quantized_)
                a = fmt::format("({} - {})", a, quantized_->x_zero_of_row(fmt::format("row{}", t), text_));
            if (dequantizes_loads()) a = fmt::format("(f32({} - x_zero) * x_scale)", a);
            if (product_.is_of_bytes)
                text_.line("sum{0} = sum{0} + dot4I8Packed(u32({1}), b);", t, a);
            else
                text_.line("sum{0}{1} = sum{0}{1} + {2} * b;", t, end, a);
        }
    }

    /// The indices of the group's output, which lacks the row or the column where a side has one axis.
    std::vector<std::string> output_indices(const std::string& row, const std::string& column) const {
        std::vector<std::string> result = batch_;
        if (group_.op() == Operator::gemm || group_.sizes(group_.input(0)).size() > 1) result.push_back(row);
        if (group_.op() == Operator::gemm || group_.sizes(group_.input(b_input_)).size() > 1)
            result.push_back(column);
        return result;
    }

    /// alpha * sum + beta * c.
    std::string scaled(std::string value, const std::string& c) {
        const bool of_floats = is_float(group_.element(group_.output()));
        const auto times = [&](std::string_view attribute, const std::string& x) {
            const float factor = group_.attributes().number(attribute);
            if (factor == 1) return x;
            return of_floats ? fmt::format("{} * {}", literal(factor, text_), x)
                             : fmt::format("{} * {}", static_cast<std::int32_t>(factor), x);
        };
        value = text_.let(times("alpha", value));
        return c.empty() ? value : fmt::format("{} + {}", value, times("beta", c));
    }

    GroupLowering& group_;
    Product product_;
    std::size_t b_input_;
    bool packs_;
    Tile tile_;
    KernelText text_;
    std::optional<SharedTiles> shared_;
    OperandId a_, b_;
    std::vector<std::string> batch_;
    std::optional<QuantizedSum> quantized_;
};

}  // namespace

namespace {

/// Sets the operands of a product whose inputs the group dequantises. Errors: unsupported.
Result<void> set_quantized(GroupLowering& group, Product& product, NodeId a_from, NodeId b_from) {
    product.b_is_transposed = group.op() == Operator::gemm && group.attributes().flag("transB");
    product.quantized_a = activations_of(group, a_from);
    product.quantized_b = weights_of(group, b_from, product.b_is_transposed ? 0 : 1);
    if (!product.quantized_a || !product.quantized_b)
        return fail(ErrorCode::unsupported,
                    "Its quantised operands have no scale for all elements or each column.");
    const Sizes sizes = group.sizes(group.input(0));
    product.is_of_bytes = product.quantized_b->fit_bytes() && sizes.back() >= 4;
    if (product.is_of_bytes) {
        product.a = pack_activations(group, *product.quantized_a, sizes.size() - 1, false, false);
        return {};
    }
    product.a = product.quantized_a->bytes;
    product.constant_b = product.quantized_b->floats();
    product.b = Storage::row_major(ElementType::f32, product.quantized_b->sizes);
    return {};
}

}  // namespace

Result<void> lower_product(GroupLowering& group) {
    const bool is_gemm = group.op() == Operator::gemm;
    const std::size_t b_input = group.op() == Operator::qlinear_matmul ? 3 : 1;
    Product product{.y = group.sizes(group.output())};
    const auto a_from = dequantized(group, 0), b_from = dequantized(group, 1);
    if (a_from && b_from) {
        TRY(set_quantized(group, product, *a_from, *b_from));
    } else {
        product.a = group.storage(group.input(0));
        product.b = group.storage(group.input(b_input));
    }
    if (!is_gemm) {
        if (group.sizes(group.input(b_input)).size() == 1) product.y.push_back(1);
        if (group.sizes(group.input(0)).size() == 1) product.y.insert(product.y.end() - 1, 1);
    }
    if (is_gemm && group.attributes().flag("transA")) transpose_last(product.a);
    if (is_gemm && group.attributes().flag("transB") && !product.is_of_bytes) transpose_last(product.b);
    product.a = with_batches(std::move(product.a), false, product.y);
    if (!product.is_of_bytes) product.b = with_batches(std::move(product.b), true, product.y);
    product.depth = product.a.sizes.back();
    const Tensor* const constant = group.constant(group.input(b_input));
    if (constant && is_float(constant->element()) && !product.has_batches_of_b())
        product.constant_b = *constant;
    std::int64_t at_a_time = product.columns();
    if (product.constant_b || product.is_of_bytes) {
        const std::int64_t tile =
            uses_shared_tiles(group, product)
                ? std::int64_t{group.algorithm().columns}
                : choose_tile(product.rows(), product.columns(), group.algorithm()).columns;
        const std::int64_t block_bytes = product.depth * tile * 4;
        at_a_time =
            std::max<std::int64_t>(1, most_packed_bytes / std::max<std::int64_t>(block_bytes, 1)) * tile;
    }
    for (std::int64_t first = 0; first < product.columns(); first += at_a_time) {
        product.first_column = first;
        product.column_count = std::min(at_a_time, product.columns() - first);
        ProductKernel(group, product, b_input).write();
    }
    return {};
}

}  // namespace muster::graph
