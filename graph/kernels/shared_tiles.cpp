#include <muster/foundation/base/printable.hpp>
#include <muster/graph/kernels/shared_tiles.hpp>
#include <muster/graph/kernels/tile.hpp>

namespace muster::graph {
namespace {

/// WebGPU's default limits.
constexpr std::uint32_t most_lanes = 256, most_shared_bytes = 16384;
/// An invocation's sums are registers.
constexpr std::uint32_t most_sums = 64;

/// One more than the rows, so that neighbours, which store neighbouring terms of a row, use different banks.
constexpr std::uint32_t stride_of_a(const Algorithm& a) { return a.rows + 1; }

}  // namespace

muster::Result<void> SharedTiles::check(const Algorithm& a, std::string_view pattern) {
    const auto divides = [](std::uint32_t part, std::uint32_t whole) {
        return part > 0 && whole % part == 0;
    };
    const bool divide = divides(a.rows_each, a.rows) && divides(a.columns_each, a.columns) && a.rows > 0 &&
                        a.columns > 0 && a.depth > 0;
    const std::uint64_t lanes =
        divide ? std::uint64_t{a.rows / a.rows_each} * (a.columns / a.columns_each) : 0;
    const bool fits =
        divide && lanes <= most_lanes && a.rows_each * a.columns_each <= most_sums &&
        std::uint64_t{a.depth} * (std::uint64_t{a.rows} + 1 + a.columns) * 4 <= most_shared_bytes &&
        divides(static_cast<std::uint32_t>(lanes), a.rows * a.depth) &&
        divides(static_cast<std::uint32_t>(lanes), a.columns * a.depth);
    if (fits) return {};
    return fail(
        ErrorCode::unsupported,
        fmt::format(
            "The pattern \"{}\" asks for tiles of {} x {} results, {} x {} for each invocation, {} terms "
            "at a time.",
            printable(pattern), a.rows, a.columns, a.rows_each, a.columns_each, a.depth),
        fmt::format("an invocation's part must divide the tile, up to {} sums; a workgroup has up to {} "
                    "invocations, which must divide rows * depth and columns * depth, and {} bytes for both",
                    most_sums, most_lanes, most_shared_bytes));
}

std::uint32_t SharedTiles::lanes() const {
    return algorithm_.rows / algorithm_.rows_each * (algorithm_.columns / algorithm_.columns_each);
}

std::array<std::uint32_t, 3> SharedTiles::workgroups(std::int64_t along_z) const {
    return {static_cast<std::uint32_t>(tiles(rows_, algorithm_.rows)),
            static_cast<std::uint32_t>(tiles(columns_, algorithm_.columns)),
            static_cast<std::uint32_t>(along_z)};
}

std::string SharedTiles::packed_offset(const std::string& term, const std::string& lane) const {
    return fmt::format("(group.y * {} + {}) * {}u + {}", index_literal(depth_), term, algorithm_.columns,
                       lane);
}

void SharedTiles::sum(KernelText& text, const Loads& loads) const {
    const Algorithm& a = algorithm_;
    const std::uint32_t a_stride = stride_of_a(a);
    text.function(fmt::format("var<workgroup> a_tile: array<f32, {}>;", a_stride * a.depth));
    text.function(fmt::format("var<workgroup> b_tile: array<f32, {}>;", a.columns * a.depth));
    const std::uint32_t across = a.columns / a.columns_each;
    text.line("let own_row = lane / {}u * {}u;", across, a.rows_each);
    text.line("let own_column = lane % {}u;", across);
    for (std::uint32_t i = 0; i < a.rows_each * a.columns_each; ++i) text.line("var sum{} = 0.0f;", i);
    const std::uint32_t loads_of_a = a.rows * a.depth / lanes();
    // Neighbours load neighbouring terms of a row, and neighbouring columns of a term.
    for (std::uint32_t i = 0; i < loads_of_a; ++i) {
        text.line("let a_at{0} = lane + {1}u;", i, i * lanes());
        loads.declare_row(i, fmt::format("(group.x * {}u + a_at{} / {}u)", a.rows, i, a.depth));
    }
    tree_of_sums(text, "sum", std::int64_t{a.rows_each} * a.columns_each)
        .write(text, "block", blocks_.count(), "",
               [&](const std::string& block, const std::string& end) { sum_block(text, loads, block, end); });
}

/// Adds the terms of a block to the sums with this end.
void SharedTiles::sum_block(KernelText& text, const Loads& loads, const std::string& block,
                            const std::string& end) const {
    const Algorithm& a = algorithm_;
    const std::uint32_t across = a.columns / a.columns_each, a_stride = stride_of_a(a);
    const std::uint32_t loads_of_a = a.rows * a.depth / lanes(), loads_of_b = a.columns * a.depth / lanes();
    std::string begin = "0u", last = index_literal(depth_);
    if (blocks_.has_rows()) {
        const std::string terms = index_literal(blocks_.row * blocks_.channels);
        begin = text.let(fmt::format("{} * {}", block, terms));
        last = text.let(fmt::format("{} + {}", begin, terms));
    } else if (blocks_.count() > 1) {
        const std::string of_tap = index_literal(blocks_.of_tap());
        const std::string tap =
            text.let(fmt::format("{} / {} * {}", block, of_tap, index_literal(blocks_.channels)));
        const std::string channel = text.let(fmt::format("{} % {} * {}u", block, of_tap, product_block));
        begin = text.let(fmt::format("{} + {}", tap, channel));
        last = text.let(fmt::format("{} + {}", tap, end_of_block(channel, product_block, blocks_.channels)));
    }
    text.line("for (var first = {}; first < {}; first += {}u) {{", begin, last, a.depth);
    for (std::uint32_t i = 0; i < loads_of_a; ++i) {
        text.line("let a_term{0} = first + a_at{0} % {1}u;", i, a.depth);
        text.line("a_tile[a_at{0} % {1}u * {2}u + a_at{0} / {1}u] = select(0.0f, {3}, a_term{0} < {4});", i,
                  a.depth, a_stride, loads.a(i, fmt::format("a_term{}", i)), last);
    }
    for (std::uint32_t i = 0; i < loads_of_b; ++i) {
        text.line("let b_at{0} = lane + {1}u;", i, i * lanes());
        text.line("let b_term{0} = first + b_at{0} / {1}u;", i, a.columns);
        text.line("let b_lane{0} = b_at{0} % {1}u;", i, a.columns);
        text.line("b_tile[b_at{0}] = select(0.0f, {1}, b_term{0} < {2});", i,
                  loads.b(fmt::format("b_term{}", i), fmt::format("(group.y * {}u + b_lane{})", a.columns, i),
                          fmt::format("b_lane{}", i)),
                  last);
    }
    text.line("workgroupBarrier();");
    text.line("for (var k = 0u; k < {}u; k++) {{", a.depth);
    for (std::uint32_t i = 0; i < a.rows_each; ++i)
        text.line("let a{0} = a_tile[k * {1}u + own_row + {0}u];", i, a_stride);
    for (std::uint32_t j = 0; j < a.columns_each; ++j)
        text.line("let b{0} = b_tile[k * {1}u + own_column + {2}u];", j, a.columns, j * across);
    for (std::uint32_t i = 0; i < a.rows_each; ++i)
        for (std::uint32_t j = 0; j < a.columns_each; ++j)
            text.line("sum{0}{3} = sum{0}{3} + a{1} * b{2};", i * a.columns_each + j, i, j, end);
    text.line("}");
    text.line("workgroupBarrier();");
    text.line("}");
}

void SharedTiles::each_result(KernelText& text, const std::function<void(const Result&)>& write) const {
    const Algorithm& a = algorithm_;
    const std::uint32_t across = a.columns / a.columns_each;
    for (std::uint32_t i = 0; i < a.rows_each; ++i) {
        for (std::uint32_t j = 0; j < a.columns_each; ++j) {
            const std::uint32_t number = i * a.columns_each + j;
            const Result result{fmt::format("sum{}", number), fmt::format("row{}", number),
                                fmt::format("column{}", number), number};
            text.line("let {} = group.x * {}u + own_row + {}u;", result.row, a.rows, i);
            text.line("let {} = group.y * {}u + own_column + {}u;", result.column, a.columns, j * across);
            text.line("if {} < {} && {} < {} {{", result.row, index_literal(rows_), result.column,
                      index_literal(columns_));
            write(result);
            text.line("}");
        }
    }
}

}  // namespace muster::graph
