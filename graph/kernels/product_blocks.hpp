// product_blocks.hpp - how the sum of a product or convolution is cut to blocks, which are merged by a tree
// (docs/numbers.md). Internal to graph/kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <muster/graph/ir/sum_blocks.hpp>
#include <muster/graph/kernels/tile.hpp>
#include <muster/graph/kernels/tree_text.hpp>

namespace muster::graph {

/// The blocks of a sum of `channels` terms for each of `taps`, so many of which are a row of the window: one of
/// all terms, if they are no more than a block's, or else those of each row, or of each tap, or parts of these.
struct ProductBlocks {
    std::int64_t taps = 1, row = 1, channels = 1;

    bool is_one() const { return taps * channels <= product_block; }
    std::int64_t of_tap() const { return std::max<std::int64_t>(tiles(channels, product_block), 1); }
    bool has_rows() const { return !is_one() && row > 1 && row * channels <= product_block; }
    std::int64_t count() const { return is_one() ? 1 : has_rows() ? taps / row : taps * of_tap(); }
};

/// Writes a loop over the numbers of a range, or of a block of it that begins at `first`: `body` gets the name of
/// a number. The loop's turns are constant, since compilers make more of that.
template <class Body>
void each_of_block(KernelText& text, const std::string& first, std::int64_t block, std::int64_t length,
                   const std::string& name, Body&& body) {
    const auto loop = [&](std::int64_t count, const std::string& from) {
        if (length <= block) {
            text.line("for (var {0} = 0u; {0} < {1}; {0}++) {{", name, index_literal(count));
        } else {
            text.line("let {}_from = {};", name, from);
            text.line("for (var {0}_in_block = 0u; {0}_in_block < {1}; {0}_in_block++) {{", name,
                      index_literal(count));
            text.line("let {0} = {0}_from + {0}_in_block;", name);
        }
        body();
        text.line("}");
    };
    if (length <= block || length % block == 0) return loop(std::min(length, block), first);
    // The last block is shorter. The others begin where the bound says, too, which tells that they fit.
    const std::int64_t last = length / block * block;
    text.line("if {} < {} {{", first, index_literal(last));
    loop(block, fmt::format("min({}, {})", first, index_literal(last - block)));
    text.line("} else {");
    loop(length % block, index_literal(last));
    text.line("}");
}

/// The end of a block that begins at `first`, of a range that it divides or not.
inline std::string end_of_block(const std::string& first, std::int64_t block, std::int64_t length) {
    const std::string last = fmt::format("{} + {}", first, index_literal(block));
    return length % block == 0 ? last : fmt::format("min({}, {})", last, index_literal(length));
}

/// The tree of the sums of floats `name`0, `name`1, ...; of one, `name`, if `count` is 0.
inline TreeText tree_of_sums(KernelText& text, const std::string& name, std::int64_t count) {
    const auto each = [name, count](const auto& write) {
        if (count == 0) write(name);
        for (std::int64_t i = 0; i < count; ++i) write(fmt::format("{}{}", name, i));
    };
    return {.declare =
                [each, &text](const std::string& end) {
                    each([&](const std::string& sum) { text.line("var {}{} = 0.0f;", sum, end); });
                },
            .merge =
                [each, &text](const std::string& into, const std::string& from, const std::string&,
                              std::int64_t) {
                    each([&](const std::string& sum) {
                        text.line("{0}{1} = {0}{1} + {0}{2};", sum, into, from);
                    });
                }};
}

}  // namespace muster::graph
